import type {
  AnalysedPayer,
  AnalysedReceivable,
  AnalysisIssue,
} from '../../../src/domain/credit/analysis';
import { analysisHtml, type AnalysisReport } from '../../../src/report/credit/page';
import { AnalysisFigures } from '../../../src/report/credit/figures';

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
const payer: AnalysedPayer = {
  id: null,
  document: '10000077000115',
  name: 'COMPRADORA SA',
  kind: 'PJ',
  status: 'blocked',
  issues: [],
};
const receivable: AnalysedReceivable = {
  id: null,
  number: '7/1',
  value: 1234.5,
  dueOn: '2031-01-10',
  invoiceKey: null,
  status: 'blocked',
  issues: [issue],
};

function reportOf(fold: AnalysisFigures): AnalysisReport {
  return {
    job: {
      jobId: 'credit/0f/20261121T101530123Z',
      createdBy: 'ana',
      createdAt: '2026-11-21T10:15:30.000Z',
      cnab: { name: '<b>remessa</b>.rem', sha256: 'ab'.repeat(32), bytes: 400, key: 'k' },
      xmls: null,
    },
    outcome: { operationId: 'op-7', settledAt: '2026-11-21T10:15:40.000Z' },
    contradictions: ['the summary says 41'],
    figures: fold,
    files: [],
    writtenAt: 0,
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
}

const textOf = (page: string) =>
  page.replaceAll(/<(style|svg)[^]*?<\/\1>|<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');

function pageOf(fill: (fold: AnalysisFigures) => void, language: 'en' | 'pt' = 'en'): string {
  const fold = new AnalysisFigures();
  fill(fold);
  return analysisHtml(reportOf(fold), language);
}

const ofOne = (fold: AnalysisFigures) => {
  fold.payer(payer, 0);
  fold.receivable(receivable, 0);
};

it('tells counts and values by status, in the order of gravity', () => {
  const text = textOf(pageOf(ofOne));
  expect(text).toMatch(/By count .* Approved 20 50% Alerted 10 25% Blocked 10 25%/);
  expect(text).toMatch(/Value Share Approved R\$3,000\.10 75% .* Total R\$4,000\.10/);
});

it('tells every issue with what it is about, and how often each rule fired', () => {
  const text = textOf(pageOf(ofOne));
  expect(text).toMatch(
    /Titulo 7\/1 COMPRADORA SA R\$1,234\.50 Valor &lt;minimo&gt; valor Blocked 109/,
  );
  expect(text).toContain('&gt;= 200 200.00 abaixo &amp; fora');
  expect(text).toMatch(/Rules that fired Rule Times Share Valor &lt;minimo&gt; 1 100% Blocked: 1/);
});

it('tells who owes most, and how much of all that is', () => {
  const text = textOf(
    pageOf((fold) => {
      for (let n = 0; n < 12; n += 1) {
        fold.payer({ ...payer, name: `PAYER ${n}` }, n);
        fold.receivable({ ...receivable, value: n === 3 ? 0.3 : 0.1, issues: [] }, n);
      }
    }),
  );
  expect(text).toMatch(/PAYER 3 10\.\*{3}\.\*{3}\/\*{4}-15 R\$0\.30 21\.4% 1 título, Blocked/);
  expect(text).toMatch(/2 others R\$0\.20 14\.3%/);
});

it('adds up what is due by month, and keeps what has no date apart', () => {
  const text = textOf(
    pageOf((fold) => {
      for (const dueOn of ['2031-02-01', '2031-01-10', '2031-01-31', null, 'amanhã']) {
        fold.receivable({ ...receivable, dueOn, issues: [] }, 0);
      }
    }, 'pt'),
  );
  expect(text).toMatch(/sem data 2 R\$ 2\.469,00 01\/2031 2 R\$ 2\.469,00 02\/2031 1/);
});

it('shows five hundred issues, and says how many more there are', () => {
  const page = pageOf((fold) => {
    for (let n = 0; n < 503; n += 1) fold.receivable(receivable, 0);
  });
  expect(page).toContain('3 more in issues.csv');
});

it('tells which analysis it is, when it ended, and the sums of what was sent', () => {
  const text = textOf(pageOf(ofOne));
  expect(text).toContain('credit/0f/20261121T101530123Z');
  expect(text).toMatch(/Ended 21 Nov 2026, 07:15:40/);
  expect(text).toContain(`remessa&lt;/b&gt;.rem 400 as it was sent ${'ab'.repeat(32)}`);
});

it('shows no document in full, wherever the service or a person wrote it', () => {
  const told = {
    ...issue,
    actual: '11144477735',
    message: 'sacado 11.222.333/0001-81, NF-e 35261111222333000181550010000012341000012340',
  };
  const page = pageOf((fold) => {
    fold.payer(
      { ...payer, name: 'FULANO 11144477735', document: '11144477735', issues: [told] },
      0,
    );
  });
  expect(page).not.toMatch(/11144477735|11\.?222\.?333\/?0001-?81/);
  expect(page).toContain('***.444.777-**');
});

it('shows what contradicts itself, and obeys nothing that the service or a name says', () => {
  const page = pageOf(ofOne);
  expect(page).toContain('<li>the summary says 41</li>');
  expect(page).toContain('&lt;b&gt;remessa&lt;/b&gt;.rem');
  expect(page).not.toMatch(/<minimo>|<script|src=|href=/);
});
