import { readerOf } from '../../../src/report/reader';
import type { OutputTerms } from '../../../src/domain/job';
import { closingLines, type Closing } from '../../../src/starters/cli/print-job';
import { outputTerms } from '../../../src/starters/jobs/export-job';
import type { CommandContext } from '../../../src/starters/jobs/context';

const closing: Closing = {
  job: { id: 'trace/1', kind: 'trace', needsAttention: true },
  exitCode: 3,
  requests: { requested: 2, reused: 1, possibleDoubleCharges: 1 },
  cost: [
    { status: 'charged', unit: 'tokens', count: 2, amount: 20 },
    { status: null, unit: 'answer', count: 1, amount: null },
  ],
  result: { folder: '/out', files: ['results.csv', 'report.html'] },
};

test('the last lines say what was requested, reused and charged, where it is, and what is left', () => {
  expect(closingLines(closing, readerOf('en'))).toEqual([
    'requested: 2, reused: 1, may have been charged twice: 1',
    'cost: 2 x charged 20 tokens, 1 x answer',
    'report: /out/report.html',
    'result: /out (results.csv, report.html: an export, in the clear)',
    'left to do: `diligence inbox show trace/1` says what can be decided',
  ]);
});

test('in Portuguese they say the same', () => {
  expect(closingLines(closing, readerOf('pt'))).toEqual([
    'solicitados: 2, reaproveitados: 1, talvez cobrados duas vezes: 1',
    'custo: 2 x cobrado 20 tokens, 1 x resposta',
    'relatório: /out/report.html',
    'resultado: /out (results.csv, report.html: exportação, sem máscara)',
    'pendências: `diligence inbox show trace/1` mostra as ações possíveis',
  ]);
});

test.each([
  ['trace', 0, 'left to do: nothing'],
  ['trace', 1, 'left to do: it has failed for good; the same command with --rerun orders it anew'],
  ['monitor-sweep', 1, 'left to do: the next sweep takes up what is left'],
] as const)('of a %s with exit code %i and without a person: %s', (kind, exitCode, line) => {
  const job = { id: 'x', kind, needsAttention: false };
  const bare = { job, exitCode, requests: null, cost: [], result: null };
  expect(closingLines(bare, readerOf('en'))).toEqual([line]);
});

test('what a command says comes before what was said at the start, and that before the system', () => {
  const ctx = { environment: { language: 'pt' } } as CommandContext;
  const before: OutputTerms = { lang: 'en', excel: true, html: false, pdfNames: 'reference' };
  expect(outputTerms(ctx, {})).toEqual({ lang: 'pt', excel: false, html: false, pdfNames: 'id' });
  expect(outputTerms(ctx, {}, before)).toEqual(before);
  expect(outputTerms(ctx, { lang: 'pt', html: true }, before)).toEqual({
    ...before,
    lang: 'pt',
    html: true,
  });
});
