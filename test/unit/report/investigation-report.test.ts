import type { InvestigationReport } from '../../../src/report/investigations/schema';
import { investigationHtml } from '../../../src/report/investigations/page';
import { sampleReport } from './investigation-sample';

const writtenAt = Date.parse('2026-11-24T15:00:00Z');

function pageOf(over: Partial<InvestigationReport> = {}, language: 'en' | 'pt' = 'en'): string {
  return investigationHtml(sampleReport(over), { language, writtenAt });
}

const textOf = (page: string): string =>
  page.replaceAll(/<style>[\s\S]*<\/style>|<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');

const headingsOf = (page: string): string[] =>
  [...page.matchAll(/<h2>([^<]+)<\/h2>/g)].map(([, title = '']) => title);

/** Names of tags and of their attributes. */
function markup(page: string): Set<string> {
  const tags = [...page.matchAll(/<([a-zA-Z][^\s/>]*)((?:[^>"']|"[^"]*"|'[^']*')*)>/g)];
  return new Set(
    tags.flatMap(([, tag = '', rest = '']) => [
      tag,
      ...[...rest.matchAll(/([^\s=/"']+)="[^"]*"/g)].map(([, name]) => `${tag} ${name}`),
    ]),
  );
}

function everyText(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((one) => everyText(one, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([word, one]) => [word, everyText(one, change)]),
  );
}

test.each([
  [
    'en',
    [
      'Why it is incomplete',
      'Subject',
      'Findings in short',
      'What was asked',
      'Certificates',
      'Assets',
      'Occurrences',
      'Pictures',
      'Risk',
      'Credit',
      'Open changes',
      'Divergences',
      'Timeline and cost',
      'Evidence',
    ],
    ['21 Nov 2026, 23:30:00', 'R$831,500.50', 'cndt-180', '20 May 2027', 'Rules that matched'],
  ],
  [
    'pt',
    [
      'Por que está incompleto',
      'De quem se trata',
      'O que foi encontrado, em resumo',
      'O que foi consultado',
      'Certidões',
      'Bens',
      'Ocorrências',
      'Imagens',
      'Risco',
      'Crédito',
      'Alterações em aberto',
      'Divergências',
      'Linha do tempo e custo',
      'Evidências',
    ],
    ['21/11/2026, 23:30:00', 'R$ 831.500,50', '20/05/2027', 'não há o que perguntar', 'falhou'],
  ],
] as const)('%s: has every section, at the time of São Paulo', (language, sections, words) => {
  const page = pageOf({}, language);
  expect(headingsOf(page)).toEqual(sections);
  const text = textOf(page).replaceAll('\u00a0', ' ');
  for (const word of words) expect(text).toContain(word);
});

test('runs nothing, and asks for nothing', () => {
  const page = pageOf();
  expect(page).toContain("default-src 'none'");
  expect(page).not.toMatch(/<(?:script|link|iframe|img|object|embed|form)\b|\bsrc=|url\(|@import/i);
  const addresses = [...page.matchAll(/href="([^"]*)"/g)].map(([, address]) => address);
  expect(addresses.length).toBeGreaterThan(3);
  for (const address of addresses) expect(address).toMatch(/^evidence\/[\w./-]+$/);
});

test.each(['</td><script>alert(1)</script>', '"><img src=x onerror=alert(1)>', "' onload='x()"])(
  'what a service or a person wrote is text: %s',
  (hostile) => {
    const dated = /^\d{4}-\d\d-\d\d/;
    const told = everyText(sampleReport(), (text) => (dated.test(text) ? text : text + hostile));
    const report = { ...(told as InvestigationReport), status: 'incomplete' as const };
    for (const language of ['en', 'pt'] as const) {
      const page = investigationHtml(report, { language, writtenAt });
      const plain = markup(pageOf({}, language));
      expect([...markup(page)].filter((name) => !plain.has(name))).toEqual([]);
      expect(page).not.toContain(hostile);
    }
  },
);

test('the same report has the same bytes, but for the stamp', () => {
  expect(pageOf()).toBe(pageOf());
  const how = { language: 'en', writtenAt: writtenAt + 1_000 } as const;
  const later = investigationHtml(sampleReport(), how);
  expect(later).not.toBe(pageOf());
  expect(later.replace('12:00:01', '12:00:00')).toBe(pageOf());
});

test('says what the plan does not ask about, and why there is no answer', () => {
  const coverage = sampleReport().coverage.filter(({ kind }) =>
    ['certificate', 'trace'].includes(kind),
  );
  const nothing = { certificates: [], occurrences: [], risk: [], credit: [], changes: [] };
  const assets = { totals: [], people: [] };
  const text = textOf(pageOf({ ...nothing, coverage, assets, divergences: [] }));
  expect(text).toContain('The plan does not ask about: assets, pictures, risk, credit, open');
  expect(text).toContain('There is no answer about this');
  expect(text).toContain('Risk, as classified not requested');
  expect(text).not.toContain('Divergences Sources name');
});

test('a step that the budget stopped has its reason in the language of the page', () => {
  const why = 'the budget was reached, and 3 more requests were not allowed';
  const coverage = sampleReport().coverage.map((row) => ({ ...row, why }));
  expect(textOf(pageOf({ coverage }, 'pt'))).toContain('e mais 3 pedidos não foram permitidos');
});

test('counts an open change as open, and one that is acknowledged as done', () => {
  expect(textOf(pageOf())).toContain('Open changes 1 ');
});
