import { readerOf } from '../../../src/report/reader';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readAnalysis } from '../../../src/apis/credit/result.wire';
import type { JobKind as KindName } from '../../../src/domain/job';
import { printResult, printView } from '../../../src/starters/cli/print-job';
import type { CommandContext } from '../../../src/starters/jobs/context';
import { kindOf } from '../../../src/starters/kinds';
import { putLarge } from '../../../src/store/core/large-objects';
import { sandboxAnswers, type Answers } from '../../support/report-answers';
import { sampleJobs } from '../../support/report-pages';
import { printedByTests } from '../../support/printed';
import { TemporaryStore } from '../../support/temporary-store';
import { leavesOf, missing, plain, wordsOf, type Fields } from '../../support/printed-leaves';

/** What the sandbox told stands in the JSON, on the screen and in the report: all of it, and nothing else. */

let answers: Answers;
let place: TemporaryStore;
const printed = printedByTests();
beforeAll(async () => {
  answers = await sandboxAnswers();
});
beforeEach(() => {
  place = new TemporaryStore();
});
afterEach(() => {
  Reflect.deleteProperty(process.stdout, 'columns');
  place.remove();
});

const at = '2026-01-05T12:00:00.000Z';

interface Case {
  answer: unknown;
  kind: KindName;
  input: object;
  outcome: object;
  put: () => Promise<unknown>;
}

const names = ['profile', 'trace', 'lens-geo', 'lens-face', 'dossier', 'credit-analysis'] as const;

async function caseOf(name: (typeof names)[number]): Promise<Case> {
  if (name === 'credit-analysis') return creditCase();
  const { put, ...sample } = sampleJobs(answers)[name] ?? {};
  if (put === undefined) throw new Error(`no sample of ${name}`);
  const by = { 'lens-geo': answers.geo, 'lens-face': answers.face };
  const { json } = name in by ? by[name as keyof typeof by] : answers[name as 'trace'];
  return {
    ...(sample as Omit<Case, 'put' | 'answer'>),
    answer: json,
    put: () => put(place, 'x/1'),
  };
}

async function creditCase(): Promise<Case> {
  const { analysis } = answers;
  const { engineId, operationId, summary } = await readAnalysis(
    { method: 'GET', pathTemplate: '/x' },
    [analysis],
  );
  const file = { name: 'remessa.rem', sha256: 'ab', bytes: 1, key: 'k' };
  return {
    answer: JSON.parse(analysis.toString('utf8')),
    kind: 'credit-analysis',
    input: { name: 'n', jobId: 'credit/x', cnab: file, xmls: null, filter: 'all' },
    outcome: {
      operationId,
      possibleDoubleCharge: false,
      result: { allKey: 'all', issuesKey: 'all', engineId, summary, contradictions: [] },
    },
    put: () =>
      putLarge(
        place.store,
        'all',
        (async function* () {
          yield analysis;
        })(),
      ),
  };
}

/** Of the answer, what its page is about; numbers and dates have another look there. */
const pageHas: Record<(typeof names)[number], (answer: Record<string, unknown>) => unknown> = {
  profile: ({ imoveis, veiculos }) =>
    [...(veiculos as Fields[]), ...(imoveis as Fields[])].map((one) => one['marca'] ?? one['sql']),
  trace: ({ coverage, result }) => [coverage, result],
  'lens-geo': ({ result }) => result,
  'lens-face': ({ result }) => result,
  dossier: ({ coverage, result, risk_classification: risk }) => [coverage, result, risk],
  'credit-analysis': ({ cedente }) => {
    const { razaoSocial, sacados } = cedente as Fields;
    const payers = sacados as Fields[];
    const titulos = payers.flatMap(({ titulos: own }) => own as Fields[]);
    const issues = [...payers, ...titulos].flatMap(({ issues: own }) => own as Fields[]);
    // The page names the greatest ones, and adds up the others.
    const valueOf = ({ titulos: own }: Fields) =>
      (own as { valor: number }[]).reduce((sum, { valor }) => sum + valor, 0);
    const greatest = payers.toSorted((a, b) => valueOf(b) - valueOf(a)).slice(0, 5);
    return [
      razaoSocial,
      ...greatest.map((one) => one['razaoSocial']),
      ...issues.map((one) => one['ruleName']),
    ];
  },
};
test.each(names)(
  '%s: in the JSON, on screens of 80 and 140 columns, in the report',
  async (name) => {
    const { answer, input, kind, outcome, put } = await caseOf(name);
    await put();
    const status = kind === 'profile' ? 'found' : 'completed';
    const job = {
      id: 'x/1',
      folder: 'x/1',
      kind,
      status,
      needsAttention: false,
      waitsFor: null,
      output: null,
      createdAt: at,
      endedAt: at,
      input: { createdAt: at, createdBy: 'ana', ...input },
      outcome: { error: null, settledAt: at, startedAt: at, attempts: [], status, ...outcome },
    };
    const environment = { language: 'en', monitorSinks: { sinks: [] } };
    const ctx = {
      store: place.store,
      reader: readerOf('en'),
      environment,
    } as unknown as CommandContext;

    await printResult(ctx, kindOf(kind), job as never, {
      json: true,
      html: true,
      out: place.folder,
    });
    const { outcome: shown } = JSON.parse(printed()) as { outcome: Fields };
    expect(missing(answer, leavesOf(shown))).toEqual([]);
    const { facts, sections } = shown['findings'] as { facts: Fields; sections: Fields[] };
    const told = [...leavesOf(answer, { keys: true }), 'sacado', 'titulo'];
    const rows = sections.filter((one) => one['name'] !== 'rules').map((one) => one['rows']);
    expect(missing([facts, rows], told)).toEqual([]);
    expect(rows.flat().length).toBeGreaterThan(1);

    // Sentences are as long as they are; a terminal breaks them.
    const sentences = await kindOf(kind).lines(job, ctx);
    let before = printed().length;
    for (const width of [80, 140]) {
      Object.assign(process.stdout, { columns: width });
      await printView(ctx, kindOf(kind), { job, state: null, progress: null }, false);
      const lines = printed().slice(before).split('\n');
      before = printed().length;
      expect(lines.filter((line) => line.length > width && !sentences.includes(line))).toEqual([]);
      const full = sections.filter((one) => (one['rows'] as unknown[]).length > 0).slice(0, 5);
      expect(full.length).toBeGreaterThan(0);
      for (const { rows: all, title } of full)
        expect(lines).toContain(`${String(title)} (${(all as unknown[]).length})`);
    }

    const page = wordsOf(await readFile(join(place.folder, 'report.html'), 'utf8'));
    const words = leavesOf(pageHas[name](answer as Fields)).filter(
      (leaf) => typeof leaf === 'string',
    );
    expect(words.length).toBeGreaterThan(1);
    expect(words.map(plain).filter((word) => !page.includes(word))).toEqual([]);
  },
);
