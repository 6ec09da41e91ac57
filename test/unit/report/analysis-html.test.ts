import type { AnalysisIssue } from '../../../src/domain/credit/analysis';
import { analysisHtml, type AnalysisReport } from '../../../src/report/analysis-html';

const issue: AnalysisIssue = {
  ruleId: 'valor_minimo',
  ruleName: 'Valor <minimo>',
  category: 'blocking',
  status: 'blocked',
  message: 'abaixo & fora',
  field: 'valor',
  actual: '109',
  expected: '>= 200',
  threshold: '200.00',
  source: 'cnab',
};

const report: AnalysisReport = {
  work: {
    workId: 'credit/0f/20261121T101530123Z',
    operationId: 'op-7',
    endedAt: '2026-11-21T10:15:40.000Z',
    files: [
      { name: 'remessa.rem', sha256: 'ab'.repeat(32) },
      { name: 'notas.zip', sha256: 'cd'.repeat(32) },
    ],
  },
  fileName: '<b>remessa</b>.rem',
  contradictions: ['the summary says 41'],
  payers: [
    {
      name: 'COMPRADORA SA',
      document: '10000077000115',
      status: 'blocked',
      issues: [],
      receivables: [
        { number: '7/1', value: 1234.5, dueOn: '2031-01-10', status: 'blocked', issues: [issue] },
      ],
      more: 12,
    },
  ],
  morePayers: 4,
  analysis: {
    operationId: 'op',
    engineId: 'e',
    engineName: 'Padrao',
    timestamp: null,
    assignor: { id: null, document: null, name: 'FORNECEDORA', status: 'alerted', issues: [] },
    summary: {
      receivables: 40,
      approved: 20,
      blocked: 10,
      alerted: 10,
      totalValue: 4000.1,
      approvedValue: 3000.1,
      blockedValue: 1000,
      alertedValue: 0,
      payers: 12,
      payersWithIssues: 6,
      assignorStatus: 'alerted',
    },
  },
};

const page = analysisHtml(report);
const bars = page.split('class="sums"').slice(1);
const widthsOf = (bar = '') =>
  [
    ...(bar.split('</svg>')[0] ?? '').matchAll(
      /x="([\d.]+)"[^>]*? width="([\d.]+)"[^>]*? class="fill-(\w+)"/gs,
    ),
  ].map(([, x, width, look]) => [Number(x), Number(width), look]);

it('pictures counts and values as parts of one bar that fill it, in the order of gravity', () => {
  expect(bars).toHaveLength(2);
  expect(widthsOf(bars[0])).toEqual([
    [0, 300, 'good'],
    [300, 150, 'warn'],
    [450, 150, 'bad'],
  ]);
  expect(widthsOf(bars[1])).toEqual([
    [0, 450, 'good'],
    [450, 0, 'warn'],
    [450, 150, 'bad'],
  ]);
  expect(page).toContain('preserveAspectRatio="none"');
});

it('tells the totals in words too, and amounts with their cents', () => {
  expect(page).toContain('By count: 40');
  expect(page).toContain('By value: BRL 4,000.10');
  expect(page).toContain('blocked BRL 1,000.00');
  expect(page).toMatch(/Titulo 7\/1: blocked, BRL 1,234\.50, due 2031-01-10/);
});

it('folds a payer over its titulos, and a titulo over its issues', () => {
  const [, payer = ''] = page.split('<details>');
  expect(payer).toMatch(
    /COMPRADORA SA\s+\(10\.\*\*\*\.\*\*\*\/\*\*\*\*-15\): blocked,\s+13 titulo\(s\) with issues/,
  );
  expect(page.match(/<details>/g)).toHaveLength(2);
  expect(page.match(/<\/details>/g)).toHaveLength(2);
  expect(page.indexOf('Titulo 7/1')).toBeGreaterThan(page.indexOf('COMPRADORA SA'));
  for (const cell of ['valor', '109', '&gt;= 200', '200.00', 'abaixo &amp; fora']) {
    expect(page).toContain(`<td>${cell}</td>`);
  }
  expect(page).toContain('And 12 more titulos');
  expect(page).toContain('And 4 more');
});

it('tells which analysis it is, when it ended, and the sums of what was sent', () => {
  expect(page).toContain(
    `credit/0f/20261121T101530123Z; operation op-7; ended 2026-11-21T10:15:40.000Z; sha256 of remessa.rem: ${'ab'.repeat(32)}; sha256 of notas.zip: ${'cd'.repeat(32)}`,
  );
});

it('shows no document in full, wherever the service or a person wrote it', () => {
  const [payer] = report.payers;
  if (payer === undefined) throw new Error('no payer');
  const told = {
    ...issue,
    actual: '11144477735',
    message: 'sacado 11.222.333/0001-81, NF-e 35261111222333000181550010000012341000012340',
  };
  const shown = analysisHtml({
    ...report,
    fileName: 'remessa-11222333000181.rem',
    payers: [{ ...payer, name: 'FULANO 11144477735', document: '11144477735', issues: [told] }],
  });
  expect(shown).not.toMatch(/11144477735|11\.?222\.?333\/?0001-?81/);
  expect(shown).toContain('***.444.777-**');
});

it('shows what contradicts itself, and obeys nothing that the service or a name says', () => {
  expect(page).toContain('<li>the summary says 41</li>');
  expect(page).toContain('&lt;b&gt;remessa&lt;/b&gt;.rem');
  expect(page).not.toContain('<minimo>');
  expect(page).not.toMatch(/<script|src=|href=/);
});
