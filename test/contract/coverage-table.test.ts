import path from 'node:path';
import {
  coverageHoles,
  coverageSummary,
  endpointHoles,
  type Coverage,
} from '../../scripts/check-coverage-table';
import { assumptionTable, type Assumption } from '../../src/apis/assumption-table';
import { certificateCommand } from '../../src/starters/certificates/commands';
import { dossierCommand } from '../../src/starters/dossiers/commands';
import { lensCommand } from '../../src/starters/lens/commands';
import { monitorCommand } from '../../src/starters/monitors/commands';
import { profileCommand } from '../../src/starters/profiles/commands';
import { traceCommand } from '../../src/starters/traces/commands';
import type { CoverageRow } from './coverage-table/row';
import {
  investigationChecklist,
  investigationCommands,
  investigationTable,
} from './coverage-table/investigation';
import { monitorChecklist, monitorTable } from './coverage-table/monitors';
import { creditChecklist, creditTable } from './coverage-table/credit';
import { dossierChecklist, dossierTable } from './coverage-table/dossiers';
import { lensChecklist, lensTable } from './coverage-table/lens';
import { profileChecklist, profileTable } from './coverage-table/profile';
import { traceChecklist, traceTable } from './coverage-table/traces';
import { declares } from './coverage-table/symbols';
import { testTitles } from './coverage-table/test-titles';

const root = path.join(__dirname, '../..');

/** Each with the areas of the assumptions that it must name. */
const tables: [
  string,
  Pick<Coverage, 'checklist' | 'table'> & { areas: readonly Assumption['area'][] },
][] = [
  [
    'certificates',
    {
      checklist: investigationChecklist,
      table: investigationTable,
      areas: ['Both services', 'Certificates'],
    },
  ],
  ['monitors', { checklist: monitorChecklist, table: monitorTable, areas: ['Lists', 'Monitors'] }],
  ['profiles', { checklist: profileChecklist, table: profileTable, areas: [] }],
  ['lens', { checklist: lensChecklist, table: lensTable, areas: ['Lens'] }],
  ['traces', { checklist: traceChecklist, table: traceTable, areas: ['Trace'] }],
  ['dossiers', { checklist: dossierChecklist, table: dossierTable, areas: ['Dossiers'] }],
  [
    'the credit service',
    { checklist: creditChecklist, table: creditTable, areas: ['Both services', 'Credit'] },
  ],
];

const good: CoverageRow = {
  sandbox: 'Shows it.',
  client: 'src/domain/certificates/issuance.ts#IssuanceResult.baseName',
  test: 'contract/sandbox-endings.test.ts › failed fails every time',
};
const title = 'contract/sandbox-endings.test.ts ›' as const;

/** The holes of a table with one row. */
function holesOf(row: Partial<CoverageRow>, more: Partial<Coverage> = {}): string[] {
  const table = { Part: { item: { ...good, ...row } } };
  return coverageHoles({ checklist: { Part: ['item'] }, table, assumptions: [], root, ...more });
}

describe('the coverage table', () => {
  test.each(tables)('has no hole for %s', (_, { checklist, table, areas }) => {
    const assumptions = assumptionTable.filter(({ area }) => areas.includes(area));
    expect(coverageHoles({ checklist, table, assumptions, root })).toEqual([]);
  });

  test('is asked for the assumptions of every area', () => {
    const asked = tables.flatMap(([, { areas }]) => areas);
    expect(new Set(asked)).toEqual(new Set(assumptionTable.map(({ area }) => area)));
  });

  test('counts its rows, and tells what asks each endpoint', () => {
    const lines = coverageSummary(investigationTable, investigationCommands);
    const items = Object.values(investigationChecklist).flat().length;
    expect(lines.find((line) => line.startsWith('all'))).toMatch(new RegExp(`^all\\s+${items} `));
    expect(lines).toContainEqual(expect.stringMatching(/^POST \/rastro +trace search$/));
  });

  test('names a command for every endpoint, and each can be given', () => {
    const whole = Object.assign({}, ...tables.slice(0, -1).map(([, { checklist }]) => checklist));
    expect(endpointHoles(whole, investigationCommands)).toEqual([]);
    const groups = [
      certificateCommand(),
      dossierCommand(),
      lensCommand(),
      monitorCommand(),
      profileCommand(),
      traceCommand(),
    ];
    const given = groups.flatMap((group) =>
      group.commands.map((command) => `${group.name()} ${command.name()}`),
    );
    expect(given).toEqual(expect.arrayContaining(Object.values(investigationCommands)));
  });

  test('an endpoint without a command, and a command without one, are holes', () => {
    const list = { Part: ['GET /a/{id}: page size', 'GET /a/{id}', 'what GET /c is'] };
    expect(endpointHoles(list, { 'POST /b': 'x' })).toEqual([
      'GET /a/{id}: no command asks it',
      'POST /b: no endpoint of the specification',
    ]);
  });

  test('a row that stands is no hole', () => {
    expect(holesOf({})).toEqual([]);
    expect(holesOf({ client: 'not read: nobody needs it' })).toEqual([]);
  });

  test.each<[string, Partial<CoverageRow>, string]>([
    ['no sandbox', { sandbox: ' ' }, 'no sandbox'],
    [
      'a test that does not exist',
      { test: `${title} fails every time` },
      'test/contract/sandbox-endings.test.ts has no test "fails every time"',
    ],
    [
      'a row of a table that does not exist',
      { test: `${title} completed fails every time` },
      'test/contract/sandbox-endings.test.ts has no test "completed fails every time"',
    ],
    [
      'a test file that does not exist',
      { test: 'contract/none.test.ts › x' },
      'no such file: test/contract/none.test.ts',
    ],
    [
      'a field that does not exist',
      { client: 'src/domain/certificates/issuance.ts#IssuanceResult.certidao' },
      'src/domain/certificates/issuance.ts declares no IssuanceResult.certidao',
    ],
    [
      'no field at all',
      { client: 'src/domain/certificates/issuance.ts#' },
      'src/domain/certificates/issuance.ts declares no ',
    ],
    [
      'a source file that does not exist',
      { client: 'src/domain/none.ts#X' },
      'no such file: src/domain/none.ts',
    ],
    [
      'an assumption that does not exist',
      { client: 'assumption: the moon' },
      'no assumption has the matter "the moon"',
    ],
    ['no word on the plan', { client: 'planned: ' }, 'no word on what is to hold it'],
    ['no reason', { client: 'not read: ' }, 'no reason why the client does not read it'],
  ])('%s is a hole', (_, row, hole) => {
    expect(holesOf(row)).toEqual([`Part | item: ${hole}`]);
  });

  test('an item without a row, a row without an item, a column left out', () => {
    const { test: _, ...untested } = good;
    const table = { Part: { other: good, untested: untested as CoverageRow } };
    const checklist = { Part: ['item', 'untested'], Rest: ['x'] };
    expect(coverageHoles({ checklist, table, assumptions: [], root })).toEqual([
      'Part | item: no row',
      'Part | untested: no test',
      'Rest | x: no row',
      'Part | other: a row for nothing on the checklist',
    ]);
  });

  test('an assumption that no row names is a hole', () => {
    const assumptions = [{ matter: 'PDF address' }, { matter: 'success status' }];
    expect(holesOf({ client: 'assumption: PDF address' }, { assumptions })).toEqual([
      'assumption "success status": no row names it',
    ]);
  });
});

describe('titles of tests', () => {
  test('are found as written, and row by row where the table is plain', () => {
    const source = `
      test('one', () => {});
      it(\`two\`, () => {});
      test.each([['a', 1, x], [y, 2, x]] as const)('%s is %i', () => {});
      test.each(['b', null])('%s alone', () => {});
      const names = ['c'];
      test.each(names)('%s by name', () => {});
      describe('not me', () => { test('three', () => { call('not me either'); }); });
    `;
    const found = [
      'one',
      'two',
      '%s is %i',
      'a is 1',
      '%s alone',
      'b alone',
      'null alone',
      '%s by name',
      'c by name',
      'three',
    ];
    expect([...testTitles(source)]).toEqual(found);
  });

  test('do not count when the test does not run', () => {
    const source = `test.skip('a', f); test.todo('b'); test.failing('c', f); // test('d', f)
      describe.skip('e', () => { test('f', f); });`;
    expect(testTitles(source).size).toBe(0);
  });
});

describe('declarations', () => {
  const source = `
    interface Issuance { id: string; place: { url: string } }
    const wire = z.object({ result: z.object({ name: text }).nullish(), name: text });
    class Api { readonly base: string; async read() { const call = { path: 1 }; } }
    type Row = [place: number, due: number];
  `;
  test.each([
    'Issuance',
    'Issuance.place.url',
    'wire.result.name',
    'wire.name',
    'Api.base',
    'Api.read.path',
    'Row.due',
  ])('%s is found', (symbol) => {
    expect(declares(source, symbol)).toBe(true);
  });

  test.each(['Nothing', 'Issuance.url', 'wire.result.result', 'Api.path', 'id', 'Row.id'])(
    '%s is not',
    (symbol) => {
      expect(declares(source, symbol)).toBe(false);
    },
  );
});
