import { createHash, randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { creditSettings, eventually, Installation } from '../support/diligence-process';
import { runningEngine } from '../../src/temporal/engine-record';
import { cnabFile } from '../support/cnab-files';
import { configured } from '../support/configured';
import { cnpj, cpf } from '../support/documents';

/**
 * One rule for the same command again, for every kind that costs: what runs is followed, what has ended is
 * shown, and only `--rerun` pays again. What the service was asked for is counted.
 */

interface Asked {
  words: string[];
  /** What is paid for, as the sandbox names it. */
  subjects: string[];
  /** Requests of one order. */
  pays: number;
  /** The same of `--rerun`. */
  rerunPays?: number;
  exitCode: number;
}

/** How a command ended; `paid`: requests in all, since the start. */
interface Told {
  id: string;
  outcome: Record<string, unknown> | null;
  code: number | null;
  paid: number;
}

const dossiers = [randomUUID(), randomUUID(), randomUUID()] as [string, string, string];
jest.setTimeout(180_000);
let place: Installation;

function picture(text: string): Buffer {
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.from(text.padEnd(500))]);
}

const sumOf = (name: string) => createHash('sha256').update(picture(name)).digest('hex');

const files: Record<string, Buffer | string> = {
  'good.rem': cnabFile({ receivables: 3 }),
  'failed.rem': cnabFile({ receivables: 4 }),
  'lot/one.rem': cnabFile({ receivables: 5 }),
  'lot/two.rem': cnabFile({ receivables: 6 }),
  'good.png': picture('good'),
  'failed.png': picture('failed'),
  'certificates.csv': `documento,tipo\n${cnpj(11)},cnpj\n${cnpj(12)},cnpj\n`,
  'people.csv': `cpf\n${cpf(11)}\n${cpf(12)}\n`,
  'targets.csv': 'alvo\none@example.com\ntwo@example.com\n',
  'dossiers.csv': `dossie\n${dossiers[2]}\n`,
};

function asked(name: string, words: string, subjects: string[], more: Partial<Asked> = {}) {
  const all = { words: words.split(' '), subjects, pays: subjects.length, exitCode: 0, ...more };
  return [name, all] as const;
}

/** A dossier has the attempts that `--max-attempts` allows, however often it is followed. */
const noMore = { rerunPays: 0 };
const table = [
  asked('a certificate', `certificate issue --type cnpj --document ${cnpj(1)}`, [cnpj(1)]),
  asked(
    'a certificate that failed',
    `certificate issue --type cnpj --document ${cnpj(2)}`,
    [cnpj(2)],
    { exitCode: 1 },
  ),
  asked(
    'a certificate of unknown outcome',
    `certificate issue --type cnpj --document ${cnpj(3)}`,
    [cnpj(3)],
    { exitCode: 3, rerunPays: 0 },
  ),
  asked('a batch of certificates', 'certificate batch --input certificates.csv', [
    cnpj(11),
    cnpj(12),
  ]),
  asked('an analysis', 'credit analyze --input good.rem', ['good.rem']),
  asked('an analysis that failed', 'credit analyze --input failed.rem', ['failed.rem'], {
    exitCode: 1,
  }),
  asked('a folder of analyses', 'credit analyze --input lot', ['one.rem', 'two.rem']),
  asked('a profile', `profile lookup --cpf ${cpf(1)}`, [cpf(1)]),
  asked('a profile of nobody', `profile lookup --cpf ${cpf(2)}`, [cpf(2)], { exitCode: 1 }),
  asked('a file of profiles', 'profile lookup --input people.csv', [cpf(11), cpf(12)]),
  asked('a search', 'trace search --target good@example.com', ['good@example.com']),
  asked(
    'a search that failed',
    'trace search --target failed@example.com',
    ['failed@example.com'],
    { exitCode: 1 },
  ),
  asked('a file of searches', 'trace search --input targets.csv', [
    'one@example.com',
    'two@example.com',
  ]),
  asked('a picture', 'lens analyze --input good.png', [sumOf('good')]),
  asked('a picture that failed', 'lens analyze --input failed.png', [sumOf('failed')], {
    exitCode: 1,
  }),
  asked('a dossier', `dossier follow ${dossiers[0]} --max-attempts 2`, [dossiers[0]], noMore),
  asked('a dossier that failed', `dossier follow ${dossiers[1]} --max-attempts 2`, [dossiers[1]], {
    exitCode: 1,
    ...noMore,
  }),
  asked(
    'a file of dossiers',
    'dossier follow --input dossiers.csv --max-attempts 2',
    [dossiers[2]],
    noMore,
  ),
  asked('an investigation', `investigate --plan supplier --cnpj ${cnpj(5)}`, [cnpj(5)], {
    pays: 2,
  }),
];

const paidStages = new Set(['request', 'upload', 'lookup', 'create', 'retry']);

/** Requests that the service may charge for. */
function paidFor(subjects: readonly string[]): number {
  const { credit, dossiers: dossier, lens, profiles, traces } = place.sandbox;
  const received = [
    place.sandbox.received(),
    credit.received(),
    dossier.received(),
    lens.received().filter(({ stage }) => stage === 'create'),
    profiles.received(),
    traces.received(),
  ].flat();
  return received.filter(
    ({ path, stage, subject, variant }) =>
      paidStages.has(stage ?? '') &&
      subjects.some((one) => one === subject || one === variant || path.includes(one)),
  ).length;
}

type Timing = { waitingMs: [number, number]; processingMs: [number, number] };

async function installation(soon: Timing): Promise<Installation> {
  const failing = { ...soon, end: ['failed' as const] };
  const triedAgain = (end: 'completed' | 'failed') => {
    return { ...soon, end: ['failure_retryable' as const, end] };
  };
  const started = await Installation.start(
    {
      // Long enough that what is begun at once is under way at once.
      latencyMs: [200, 300],
      issuance: { ...soon, distribution: 'uniform' },
      documents: {
        [cnpj(2)]: { end: ['failure_permanent'] },
        [cnpj(3)]: { request: ['reset_after'] },
      },
      credit: { analysis: soon, files: { 'failed.rem': { end: ['failed'] } } },
      profiles: { people: { [cpf(2)]: { answer: 'not_found' } } },
      traces: { pollAfterSeconds: 1, targets: { 'failed@example.com': failing, '*': soon } },
      lens: { pollAfterSeconds: 1, files: { '*': soon, [sumOf('failed')]: failing } },
      dossiers: {
        pollAfterSeconds: 1,
        held: {
          [dossiers[0]]: triedAgain('completed'),
          [dossiers[1]]: triedAgain('failed'),
          [dossiers[2]]: triedAgain('completed'),
        },
      },
    },
    (sandbox) => ({
      INVESTIGATION_RPS: '400',
      CREDIT_RPS: '400',
      // No browser is found: prints are tested by themselves.
      PATH: '/nowhere',
      // An answer that is late only because twenty stories are told at once is not lost.
      ...configured({ certificates: { timeoutSeconds: 30 }, credit: { timeoutSeconds: 30 } }),
      ...creditSettings(sandbox),
    }),
  );
  await mkdir(join(started.folder, 'lot'));
  for (const [name, body] of Object.entries(files))
    await writeFile(join(started.folder, name), body);
  return started;
}

async function run(words: readonly string[], subjects: readonly string[], env = {}): Promise<Told> {
  const { code, stdout, stderr } = await place.run([...words, '--json'], env);
  const shown = (stdout.startsWith('{') ? JSON.parse(stdout) : null) as Told | null;
  const { id, outcome } = shown ?? { id: stderr, outcome: null };
  return { code, id, outcome, paid: paidFor(subjects) };
}

/** Ctrl-C on the first; then twice at once, again, twice at once with `--rerun`, and again. */
async function story({ subjects, words }: Asked): Promise<Told[]> {
  const { process: child, result } = place.begin(words);
  child.stderr?.on('data', (chunk: Buffer) => {
    if (/^[\w./-]+: \S+/m.test(chunk.toString())) child.kill('SIGINT');
  });
  await result;
  const same = () => run(words, subjects);
  const anew = () => run([...words, '--rerun'], subjects);
  return [
    ...(await Promise.all([same(), same()])),
    await same(),
    ...(await Promise.all([anew(), anew()])),
    await same(),
  ];
}

/** What ends otherwise is begun alike: shown again, ordered anew, and shown again. */
async function shortStory({ subjects, words }: Asked): Promise<Told[]> {
  const first = await run(words, subjects);
  const again = await run(words, subjects);
  const rerun = await run([...words, '--rerun'], subjects);
  const last = await run(words, subjects);
  return [first, again, again, rerun, last, last];
}

describe('at once, after Ctrl-C, after the end', () => {
  const ends = new Map<string, Told[]>();

  beforeAll(async () => {
    place = await installation({ waitingMs: [300, 400], processingMs: [700, 1_000] });
    await place.startWorkerHere();
    const storyOf = (one: Asked) => (one.exitCode === 0 ? story(one) : shortStory(one));
    await Promise.all(table.map(async ([name, one]) => ends.set(name, await storyOf(one))));
  });
  afterAll(() => place.stop());

  test.each(table)('%s is paid once, and once more by --rerun', (name, one) => {
    const [first, second, again, rerun, other, last] = ends.get(name) ?? [];
    const { exitCode: code, pays, rerunPays = pays } = one;
    expect(first).toEqual({ code, id: first?.id, outcome: expect.any(Object), paid: pays });
    expect([second, again]).toEqual([first, first]);
    const paid = pays + rerunPays;
    expect(rerun).toEqual({ code, id: rerun?.id, outcome: expect.any(Object), paid });
    expect([other, last]).toEqual([rerun, rerun]);
    expect(rerun?.id).not.toBe(first?.id);
  });

  test('nothing is left behind that looks interrupted', async () => {
    const { stdout } = await place.run(['list', '--status', 'open', '--json']);
    expect(JSON.parse(stdout)).toEqual({ jobs: [], next: null });
  });

  test('of two orders at once one stands', async () => {
    const { stdout } = await place.run(['list', '--limit', '200', '--json']);
    const { jobs } = JSON.parse(stdout) as { jobs: { id: string; kind: string }[] };
    const batches = jobs.filter(({ kind }) => kind.endsWith('-batch'));
    const told = new Set([...ends.values()].flat().map(({ id }) => id));
    expect(batches.filter(({ id }) => !told.has(id))).toEqual([]);
    expect(batches).toHaveLength(10);
  });
});

describe('after stop', () => {
  const kinds = table.filter(([, { exitCode }]) => exitCode === 0);
  const embedded = { TEMPORAL_ADDRESS: '', TEMPORAL_NAMESPACE: '' };
  const started = new Map<string, Told>();
  const looked: (number | null)[] = [];
  const isRunning: boolean[] = [];
  const ends = new Map<string, Told>();

  beforeAll(async () => {
    place = await installation({ waitingMs: [800, 1_000], processingMs: [1_500, 2_000] });
    const env = { ...embedded, TEMPORAL_CLI_PATH: process.env.TEMPORAL_CLI_PATH ?? '' };
    await Promise.all(
      kinds.map(async ([name, { subjects, words }]) => {
        started.set(name, await run([...words, '--detach'], subjects, env));
      }),
    );
    await eventually('something is paid for', () =>
      kinds.some(([, one]) => paidFor(one.subjects) > 0),
    );
    await place.run(['stop'], env);
    // Who looks starts nothing.
    const looks = [...started.values()].flatMap(({ id }) =>
      ['show', 'result'].map((word) => [word, id]),
    );
    for (const words of [...looks, ['list'], ['inbox']])
      looked.push((await place.run(words, env)).code);
    isRunning.push((await runningEngine(join(place.folder, 'data'))) !== null);
    await Promise.all(
      kinds.map(async ([name, { subjects, words }]) => {
        ends.set(name, await run(words, subjects, env));
      }),
    );
    await place.run(['stop'], env);
  });
  afterAll(() => place.stop());

  test('show, result, list and inbox start no engine, and set nothing going', () => {
    expect(isRunning).toEqual([false]);
    expect(looked.filter((code) => code === 0).length).toBeGreaterThanOrEqual(kinds.length);
  });

  test.each(kinds)('%s goes on, and is paid once', (name, { exitCode: code, pays }) => {
    const id = started.get(name)?.id;
    expect(ends.get(name)).toEqual({ code, id, outcome: expect.any(Object), paid: pays });
  });
});
