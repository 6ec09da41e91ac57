import { readFindings } from '../../../src/domain/core/findings';
import type { AssetTotal } from '../../../src/report/investigations/schema';
import {
  shortFacts,
  addAssets,
  creditTables,
  tablesOf,
} from '../../../src/starters/investigations/report/tables';
import type { AnalysisOutcome } from '../../../src/domain/credit/job';

const findingsOf = (answer: object) => readFindings(answer, { file: 'x.json' });

test('a list is cut to what can be read, and says how long it is; the file has all of it', () => {
  const columns = Array.from({ length: 12 }, (_, at) => `c${at}`);
  const row = Object.fromEntries(columns.map((column) => [column, 1]));
  const answer = { list: Array.from({ length: 100 }, () => ({ empty: null, ...row })) };
  const [table] = tablesOf('owner', findingsOf(answer), 'evidence/x.json');
  expect(table).toMatchObject({ name: 'list', file: 'evidence/x.json', total: 100 });
  expect(table?.columns).toEqual(columns.slice(0, 7));
  expect(table?.rows).toHaveLength(30);
});

test('single values of the risk are a table apart, and empty lists are none', () => {
  const answer = {
    mode: 'standard',
    risk: { level: 'high', matched_rules: [{ id: 'R1' }] },
    none: [],
  };
  const names = tablesOf('dossier', findingsOf(answer), null).map(({ name }) => name);
  expect(names).toEqual(['', 'risk', 'risk.matched_rules']);
});

test('assets of all people add up, exactly, and what has no value has none', () => {
  const totals: AssetTotal[] = [];
  const sections = (answer: object) => findingsOf(answer);
  addAssets(totals, sections({ imoveis: [{ valor_venal: 0.1 }, { valor_venal: null }] }));
  addAssets(totals, sections({ imoveis: [{ valor_venal: 0.2 }], aeronaves_drones: [{ a: 1 }] }));
  addAssets(totals, sections({ rural_resumo: [{ area_total_ha: 1 }], patentes: [] }));
  expect(totals).toEqual([
    { name: 'imoveis', count: 3, value: 0.3 },
    { name: 'aeronaves_drones', count: 1, value: null },
  ]);
});

test('a credit analysis without a result has no table', () => {
  expect(creditTables('credit', { result: null } as AnalysisOutcome, null)).toEqual([]);
});

test('what ended badly says why, in the words of who said no', () => {
  const outcome = {
    status: 'refused',
    seen: null,
    error: { code: 'no_balance', message: 'no balance left' },
  };
  expect(shortFacts('trace', outcome, { facts: {}, found: null })).toEqual([
    { what: 'error', value: 'no_balance no balance left' },
  ]);
});

test('a certificate that failed has the message of its row', () => {
  const facts = { officialName: null, errorMessage: 'the source is down' };
  const short = shortFacts('certificate', { summary: {} }, { facts, found: null });
  expect(short).toEqual([{ what: 'error', value: 'the source is down' }]);
});
