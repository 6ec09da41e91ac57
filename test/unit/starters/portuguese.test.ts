import { screenLanguage } from '../../../src/environment';
import { reportError } from '../../../src/starters/cli/errors';
import { setScreenLanguage } from '../../../src/starters/cli/terminal';
import { UsageError } from '../../../src/starters/jobs/errors';
import { kindFacts, type JobKind } from '../../../src/domain/job';
import {
  answerWords,
  orderAnswer,
  orderAnswers,
  type OrderAnswer,
} from '../../../src/domain/order-answers';
import { nameOf, statusWord } from '../../../src/report/words';
import { readerOf } from '../../../src/report/reader';
import { printView } from '../../../src/starters/cli/print-job';
import { progressLine } from '../../../src/starters/cli/progress';
import { listedLine, printServiceList } from '../../../src/starters/cli/service-list';
import { showEngine } from '../../../src/starters/credit/engine';
import { viewLines, type ScheduleView } from '../../../src/starters/monitors/list';
import { showSinks } from '../../../src/starters/monitors/commands';
import { showMonitor } from '../../../src/starters/monitors/update';
import type { Monitor } from '../../../src/domain/monitors/change';
import { planLines } from '../../../src/starters/operate/erase-plan';
import { allKinds } from '../../../src/store/erasure/catalog';
import { fingerprintOf, SinkRepository } from '../../../src/store/monitors/sinks';
import type { CommandContext } from '../../../src/starters/jobs/context';
import { problemLines } from '../../../src/starters/jobs/text';
import { kindOf } from '../../../src/starters/kinds';
import { sandboxAnswers } from '../../support/report-answers';
import { sampleJobs } from '../../support/report-pages';
import { printedByTests } from '../../support/printed';
import { TemporaryStore } from '../../support/temporary-store';

/** A Portuguese screen has no word of ours in English: what both languages show is data, or a command. */

const printed = printedByTests();
const at = '2026-01-05T12:00:00.000Z';

/** Without words that are cut. */
const wordsOf = (text: string): Set<string> =>
  new Set(
    text
      .toLowerCase()
      .replaceAll(/\S*…/g, '')
      .match(/\p{L}[\p{L}_-]{2,}/gu) ?? [],
  );

const leavesOf = (value: unknown): string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, inner]) => [key, ...leavesOf(inner)])
    : [String(value)];

/** Of commands, files and forms; words that the two languages share; what a sample lacks. */
const shared = wordsOf(
  'undefined nan `diligence result inbox show` id sha256 json csv tokens bytes total link',
);

test('findings and ends of each kind at 80 columns', async () => {
  Object.assign(process.stdout, { columns: 80 });
  const jobs = Object.entries(sampleJobs(await sandboxAnswers()));
  expect(jobs.length).toBeGreaterThan(3);
  for (const [name, { put, ...sample }] of jobs) {
    const place = new TemporaryStore();
    await put(place, 'x/1');
    const { input, kind, outcome, status } = sample as unknown as Record<string, object> & {
      kind: JobKind;
    };
    const job = {
      ...sample,
      id: 'x/1',
      folder: 'x/1',
      status: status ?? (kind === 'profile' ? 'found' : 'completed'),
      needsAttention: false,
      waitsFor: null,
      output: null,
      createdAt: at,
      endedAt: at,
      input: { createdAt: at, createdBy: 'ana', ...input },
      outcome: {
        error: null,
        settledAt: at,
        startedAt: at,
        attempts: [],
        status: status ?? (kind === 'profile' ? 'found' : 'completed'),
        ...outcome,
      },
    };
    const en = await screen('en');
    const pt = await screen('pt');
    const found = await kindOf(kind).findings?.(job, place.store);
    place.remove();
    const data = wordsOf(leavesOf([found, outcome]).join(' '));
    const both = [...wordsOf(pt)].filter((word) => wordsOf(en).has(word));
    const ours = both.filter((word) => !data.has(word) && !shared.has(word));
    expect({ name, ours }).toEqual({ name, ours: [] });
    // Headings and states, by the table of the texts.
    const columns = new Set(leavesOf(found));
    const english = [...columns].filter((path) => nameOf(path, 'en') !== nameOf(path, 'pt'));
    const heads = english.map((path) => nameOf(path, 'en').toUpperCase());
    const lines = pt.split('\n').map((line) => line.split(/ {2,}/));
    expect(lines.flat().filter((cell) => heads.includes(cell))).toEqual([]);

    async function screen(language: 'en' | 'pt'): Promise<string> {
      const environment = { language, monitorSinks: { sinks: [] } };
      const reader = readerOf(language);
      const ctx = { store: place.store, reader, environment } as unknown as CommandContext;
      const before = printed().length;
      await printView(ctx, kindOf(kind), { job, state: null, progress: null } as never, false);
      return printed().slice(before);
    }
  }
});

const monitorId = '5f0d2f0a-3c11-4b7e-9a55-6d1c0c0a0002';
const monitor = {
  monitorId,
  statusWord: null,
  name: 'Fornecedora',
  identifier: null,
  listenItems: null,
  emails: [],
  frequencyHours: 24,
  executionAllowed: true,
  blockingReason: null,
  health: { status: 'ok', consecutiveFailures: 0, lastCycleAt: at },
  subscription: null,
} as unknown as Monitor;
const schedule = {
  name: 'fornecedores',
  every: '15m',
  monitors: 3,
  paused: false,
  next: at,
  last: null,
  running: [],
  skipped: 2,
  missed: 1,
  scannedAt: at,
  open: 4,
  notes: [],
} as unknown as ScheduleView;
const billing = { status: 'charged', amount: 10, unit: 'tokens' };
const dossier = { id: 'x', status: 'failed', attempt: null, billing };
const engine = {
  id: 'x',
  name: 'Padrão',
  description: null,
  isTemplate: true,
  ruleCount: 7,
  rules: [{ id: 'r1', name: 'Teto', severity: 'critical', enabled: false }],
} as never;

/** Screens that print, and those that are lines. */
const screens: Record<string, (ctx: CommandContext) => unknown> = {
  'monitor list': ({ reader }) => [
    ...viewLines(schedule, reader),
    ...viewLines({ ...schedule, paused: true, last: at, next: null, scannedAt: null }, reader),
  ],
  'monitor update': ({ reader }) => {
    const taken = { field: 'emails', requested: null, answered: [] };
    showMonitor(monitor, [taken], reader);
  },
  'monitor sink': (ctx) => showSinks(ctx, {}),
  'dossier list': ({ reader }) =>
    listedLine(dossier, ['id', 'status', 'attempt', 'billing'], reader),
  'what a list costs': ({ store }) =>
    printServiceList<{ id: string; billing: never }>(
      {
        name: 'traces',
        noun: [
          ['search', 'searches'],
          ['busca', 'buscas'],
        ],
        pathTemplate: '/rastro',
        api: () => ({
          list: async () =>
            ({
              items: [
                { kind: 'read', item: { id: 'x', billing } },
                { kind: 'read', item: { id: 'y', billing: null } },
              ],
              hasMore: false,
              nextCursor: null,
              ids: null,
            }) as never,
        }),
        filters: {},
        id: ({ id }) => id,
        view: (item) => ({ billing: item.billing }),
        columns: [],
      },
      {},
      store,
      false,
    ),
  engine: () => showEngine(engine, undefined),
  erase: () =>
    planLines({
      jobs: [{ id: 'trace/x', whole: true }],
      rows: 3,
      workflows: new Set(['x']),
      objects: allKinds().map((kind) => ({ kind, removed: 1, emptied: 0 })),
      refusals: [],
    } as never),
};

test.each(Object.entries(screens))('%s has no English word of ours', async (_, show) => {
  Object.assign(process.env, {
    INVESTIGATION_BASE_URL: 'http://127.0.0.1:9/v1',
    INVESTIGATION_TOKEN: 'x',
  });
  const notes = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  const place = new TemporaryStore();
  const sinks = [
    { name: 'file', required: true },
    { name: 'webhook', required: false },
  ];
  const sinksKnown = new SinkRepository(place.store);
  await sinksKnown.disable('webhook', { at, why: '410', settings: fingerprintOf(webhook) });
  const shownIn = async (language: 'en' | 'pt'): Promise<string> => {
    setScreenLanguage(language);
    const environment = { language, monitorSinks: { sinks, webhook } };
    const ctx = {
      store: place.store,
      reader: readerOf(language),
      environment,
    } as unknown as CommandContext;
    const before = printed().length;
    const lines = await show(ctx);
    return [lines].flat().join('\n') + printed().slice(before) + notes.mock.calls.splice(0).join();
  };
  try {
    const [en, pt] = [await shownIn('en'), await shownIn('pt')];
    const data = wordsOf(leavesOf([monitor, schedule, dossier, engine, sinks]).join(' '));
    for (const word of [
      'cnab',
      'workflows',
      'monitor',
      'pdf',
      'cpf',
      'cadastro',
      'e-mails',
      'trace',
      'ids',
    ])
      data.add(word);
    const both = [...wordsOf(pt)].filter((word) => wordsOf(en).has(word));
    expect(both.filter((word) => !data.has(word) && !shared.has(word))).toEqual([]);
    expect(pt).not.toBe(en);
  } finally {
    setScreenLanguage('en');
    place.remove();
  }
});
const webhook = { url: 'https://receiver.example/x' };

test('every status of a job has a word in Portuguese', () => {
  const statuses = Object.values(kindFacts).flatMap((facts) => Object.keys(facts.statuses));
  const plain = (word: string) => word.replaceAll('_', ' ').toLowerCase();
  const without = statuses.filter(
    (status) => statusWord(status, 'pt').toLowerCase() === plain(status),
  );
  expect(without).toEqual([]);
});

test('a bad line names the line, the cell and the cure; progress says what is waited for', () => {
  const reader = readerOf('pt');
  const problem = { line: 7, status: 'invalid', code: 'wrong_digits', message: 'B7: The check...' };
  expect(problemLines([problem], reader)).toEqual([
    '  linha 7: inválido (wrong_digits): B7: Os dígitos verificadores não conferem.',
  ]);
  const progress = {
    stage: 'issuing',
    total: 9,
    counts: { issued: 4, failed: 1 },
    outstanding: 2,
    again: 0,
    waiting: { reason: 'rate limit', until: 5_000 },
    paused: false,
    cancelling: false,
    details: [],
  };
  expect(progressLine(progress, null, 0, reader)).toBe(
    '5/9  emitido: 4, falhou: 1  2 a receber  aguarda: o limite de chamadas, próxima tentativa em 5 s',
  );
});

test('what a workflow answers to an order is said in Portuguese, with its number', () => {
  for (const [name, [en, pt]] of Object.entries(orderAnswers)) {
    const answer = orderAnswer(name as OrderAnswer['code'], 1_200);
    expect(answerWords(answer)).toEqual([en.replace('#', '1200'), pt.replace('#', '1200')]);
    const both = [...wordsOf(pt)].filter((word) => wordsOf(en).has(word) && word !== 'ids');
    expect({ name, both }).toEqual({ name, both: [] });
  }
  const newer = { code: 'newer' } as unknown as OrderAnswer;
  expect(answerWords(newer)).toEqual(['newer', 'newer']);
});

test('an error is printed in the language of the screen, and in English to programs', () => {
  const lines: string[] = [];
  const print = (text: unknown): boolean => lines.push(String(text)) > 0;
  const [stderr, stdout] = [process.stderr, process.stdout].map((stream) =>
    jest.spyOn(stream, 'write').mockImplementation(print),
  );
  try {
    setScreenLanguage('pt');
    expect(reportError(new UsageError(['--note: say why', '--note: informe o motivo']))).toBe(2);
    setScreenLanguage('en');
    reportError(new UsageError(['--note: say why', '--note: informe o motivo']), true);
  } finally {
    stderr?.mockRestore();
    stdout?.mockRestore();
  }
  expect(lines[0]).toBe('diligence: --note: informe o motivo\n');
  expect(lines.slice(1).join('')).toMatch(/^diligence: --note: say why\n.*"--note: say why"/s);
});

test.each<[string, readonly string[], Record<string, string>]>([
  ['pt', ['--lang', 'pt'], { DILIGENCE_LANG: 'en' }],
  ['pt', ['--lang=pt'], {}],
  ['en', [], { DILIGENCE_LANG: 'en', LANG: 'pt_BR.UTF-8' }],
  ['pt', ['--lang', 'xx'], { LANG: 'pt_BR.UTF-8' }],
])('the screen is in %s for %j and %j', (language, words, variables) => {
  expect(screenLanguage(words, variables)).toBe(language);
});
