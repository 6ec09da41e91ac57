import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TraceOutcome } from '../../src/domain/traces/search';
import { Installation, eventually } from '../support/diligence-process';
import { tamperWith } from '../support/temporary-store';

/** Searches from a command to what they found, with the sandbox and a real server. */

type Searched = Awaited<ReturnType<typeof search>>;
interface Shown {
  id: string;
  exitCode: number;
  folder: string | null;
  outcome: TraceOutcome;
}

const atOnce: [number, number] = [0, 0];
const quick = { waitingMs: atOnce, processingMs: atOnce };
/** They wait more than they work: all are begun at once, and each test looks at its own. */
const begunAtOnce = [
  ['lost@example.com'],
  ['unreadable@example.com'],
  ['partial@example.com'],
  ['failed@example.com'],
  ['refused@example.com'],
  ['flaky@example.com'],
  ['locked@example.com'],
  ['dark.person@example.com'],
  ['repeated@example.com'],
  ['slow@example.com', '--deadline', '4s'],
] as const;
let installation: Installation;
let sluggish: string;
let searches = 0;
const ends = new Map<string, Searched>();

jest.setTimeout(120_000);
beforeAll(async () => {
  installation = await Installation.start({
    traces: {
      pollAfterSeconds: 1,
      targets: {
        'lost@example.com': { ...quick, create: ['504_after', 'reset_after'] },
        'unreadable@example.com': { ...quick, create: ['unreadable_2xx', 'missing_id'] },
        'partial@example.com': { ...quick, end: ['partial'] },
        'failed@example.com': { ...quick, end: ['failed'] },
        'refused@example.com': { ...quick, create: ['400_refused'] },
        'flaky@example.com': { ...quick, create: ['429', '409_retryable'], read: ['502', '404'] },
        'slow@example.com': { waitingMs: [0, 0], processingMs: [600_000, 600_000] },
        'sluggish@example.com': { waitingMs: atOnce, processingMs: [600_000, 600_000] },
        'locked@example.com': { ...quick, create: ['401', '401', '401'] },
        'stopped@example.com': { ...quick, create: ['401', '401', '401', '401'] },
        '*': quick,
      },
    },
  });
  await installation.startWorkerHere();
  await Promise.all([
    ...begunAtOnce.map(async ([target, ...more]) => {
      ends.set(target, await search(target, ...more));
    }),
    installation
      .run(['trace', 'search', '--target', 'sluggish@example.com', '--detach'])
      .then(({ stdout }) => (sluggish = stdout.trim())),
  ]);
});
afterAll(() => installation.stop());

async function search(target: string, ...more: string[]) {
  searches += 1;
  const out = `out-${searches}`;
  const words = ['trace', 'search', '--json', '--target', target, '--out', out, ...more];
  const { code, stdout, stderr } = await installation.run(words);
  return { code, stderr, shown: (stdout === '' ? null : JSON.parse(stdout)) as Shown | null };
}

function ended(target: string): Searched {
  const end = ends.get(target);
  if (end === undefined) throw new Error(`${target} was not begun`);
  return end;
}

function madeFor(target: string): number | undefined {
  return installation.sandbox.traces.counts().items.find((item) => item.target === target)?.started;
}

test('a search is made once, followed to its end, and stored as it was told', async () => {
  const target = 'Fulana.Silva@example.com';
  const first = await search(target, '--strategy', 'all', '--label', 'first look');
  const rerun = await search(target, '--strategy', 'all', '--rerun');
  expect({ code: first.code, stderr: first.stderr }).toMatchObject({ code: 0 });
  const { outcome, id, folder } = first.shown as Shown;
  expect(outcome).toMatchObject({
    status: 'completed',
    traceId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    seen: {
      type: 'email',
      partial: false,
      billing: { status: 'charged', amount: 10, unit: 'tokens' },
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    },
  });
  const answer = JSON.parse(await readFile(join(folder ?? '', 'trace.json'), 'utf8')) as object;
  expect(answer).toMatchObject({ id: outcome.traceId, target, strategy: 'all' });
  const { ocorrencias } = (answer as { result: { ocorrencias: object[] } }).result;
  expect(outcome).toMatchObject({
    result: answer,
    findings: { sections: [{ name: 'ocorrencias', rows: ocorrencias }, { name: 'coverage' }] },
  });
  const made = installation.sandbox.traces
    .received()
    .filter(({ stage, subject }) => stage === 'create' && subject === target)
    .map(({ body }) => body);
  expect(made).toEqual([
    { target, strategy: 'all' },
    { target, strategy: 'all' },
  ]);
  expect(`${first.stderr}${await installation.workerLog()}`).not.toContain('Silva');

  expect(rerun.shown?.outcome.traceId).not.toBe(outcome.traceId);
  const { id: rerunId, outcome: rerunOutcome } = rerun.shown as Shown;
  const again = await search(target, '--strategy', 'all');
  expect(again.shown).toMatchObject({ id: rerunId, outcome: rerunOutcome });
  const old = await installation.run(['result', id, '--json', '--out', 'old']);
  expect(JSON.parse(old.stdout)).toMatchObject({ id, outcome });
  expect(madeFor(target)).toBe(2);
});

test.each([['lost@example.com'], ['unreadable@example.com'], ['flaky@example.com']])(
  'answers for %s that are lost, spoilt or late leave one search',
  (target) => {
    const { code, shown } = ended(target);
    expect({ code, status: shown?.outcome.status }).toEqual({ code: 0, status: 'completed' });
    expect(madeFor(target)).toBe(1);
    const keys = installation.sandbox.traces
      .received()
      .filter(({ stage, subject }) => stage === 'create' && subject === target)
      .map(({ key }) => key);
    expect(keys.length).toBeGreaterThan(1);
    expect(new Set(keys).size).toBe(1);
  },
);

test.each([
  ['partial@example.com', 0, { status: 'completed', seen: { partial: true } }],
  ['failed@example.com', 1, { status: 'failed', error: { code: 'busca_falhou' } }],
  ['refused@example.com', 1, { status: 'refused', traceId: null }],
])('%s ends with %d', (target, code, outcome) => {
  const end = ended(target);
  expect(end.shown?.outcome).toMatchObject(outcome);
  expect(end.code).toBe(code);
});

test('a refused token is waited out, and shown as what is waited for', () => {
  const { code, stderr } = ended('locked@example.com');
  expect(code).toBe(0);
  expect(stderr).toContain('waiting: credentials');
});

test('the history is short and in the dark, and the id holds nothing of the target', async () => {
  const { shown } = ended('dark.person@example.com');
  const [, name] = (shown?.id ?? '').split('/');
  const client = await installation.client();
  const { events } = await client.workflow.getHandle(`trace/${name}`).fetchHistory();
  expect(events?.length).toBeLessThanOrEqual(30);
  expect(Buffer.from(JSON.stringify(events)).toString('latin1')).not.toContain('dark.person');
  expect(await installation.workerLog()).not.toContain('dark.person');
});

test('what the service holds is listed, masked, with what it cost; ours are told', async () => {
  const { shown } = await search('listed@example.com');
  const { code, stdout } = await installation.run(['trace', 'list', '--json', '--type', 'email']);
  expect(code).toBe(0);
  const list = JSON.parse(stdout) as {
    traces: { id: string; target: string; type: string; job: string | null }[];
    count: number;
    billing: { status: string; unit: string; count: number; amount: number }[];
  };
  expect(list.traces).toHaveLength(list.count);
  expect(list.traces.find(({ id }) => id === shown?.outcome.traceId)).toMatchObject({
    target: 'l***@e***',
    type: 'email',
    job: shown?.id.split('/').slice(0, 2).join('/'),
  });
  expect(stdout).not.toContain('listed@');
  const told = list.billing.reduce((sum, { count }) => sum + count, 0);
  expect(told).toBe(list.count);
  const failed = await installation.run(['trace', 'list', '--status', 'failed']);
  expect(failed.stdout).toMatch(/1 search\n {2}1 x not_charged 0 tokens\n$/);
});

test('a search is listed, shown and written again from the store, and erased by its id', async () => {
  const { shown } = await search('kept@example.com');
  const id = shown?.id ?? '';
  const found = { id, kind: 'trace', input: 'k***@e***', status: 'completed' };
  for (const words of [
    ['--limit', '1'],
    ['--subject', 'kept@example.com'],
  ]) {
    const { stdout } = await installation.run(['list', ...words, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ jobs: [{ ...found, needsAttention: false }] });
  }
  expect((await installation.run(['show', id])).stdout).toMatch(
    /completed\n[^]*\ncoverage \(3\)\n/,
  );
  const again = await installation.run(['result', id, '--out', 'again']);
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('trace.json') });
  const words = ['erase', '--job', id, '--reason', 'a test', '--yes'];
  expect((await installation.run(words)).code).toBe(0);
  expect((await installation.run(['result', id])).code).toBe(1);
  const left = await installation.run(['list', '--subject', 'kept@example.com', '--json']);
  expect(JSON.parse(left.stdout)).toEqual({ jobs: [], next: null });
});

test('a search that is cancelled is waited for no longer, and its id stays on file', async () => {
  const id = sluggish;
  await eventually('it runs at the service', async () => {
    return (await installation.run(['show', id])).stdout.includes('running');
  });
  expect((await installation.run(['cancel', id])).code).toBe(0);
  await eventually('it has ended', async () => {
    return (await installation.run(['show', id, '--json'])).stdout.includes(
      '"status": "cancelled"',
    );
  });
  const { stdout } = await installation.run(['result', id, '--json']);
  expect(JSON.parse(stdout)).toMatchObject({
    exitCode: 0,
    outcome: {
      status: 'cancelled',
      traceId: expect.any(String),
      seen: { state: 'running', billing: { status: expect.any(String) } },
    },
  });
});

test('where a search cannot be read by its id, the list tells', async () => {
  installation.sandbox.configure({ traces: { readRoute: 'not_allowed' } });
  const { shown } = await search('by-the-list@example.com');
  expect(shown?.outcome.status).toBe('completed');
  installation.sandbox.configure({ traces: { readRoute: 'served' } });
});

test('a repeated key that is refused is looked for on the list, and no other search is taken for it', async () => {
  const target = 'repeated@example.com';
  expect(madeFor(target)).toBe(1);
  installation.sandbox.configure({
    traces: { repeatedKey: 'refused', targets: { [target]: { ...quick, create: ['504_after'] } } },
  });
  const { shown } = await search(target, '--rerun');
  expect(shown?.outcome.status).toBe('completed');
  expect(madeFor(target)).toBe(2);
});

test('an expired search is gone on with by the same command, and is not made again', async () => {
  const target = 'slow@example.com';
  const late = ended(target);
  expect(late.code).toBe(3);
  expect(late.shown?.outcome).toMatchObject({
    status: 'expired',
    seen: { state: 'running' },
    error: { code: 'deadline' },
  });
  installation.sandbox.clock.advance(900_000);
  const { shown } = await search(target);
  expect(shown?.outcome).toMatchObject({
    status: 'completed',
    traceId: late.shown?.outcome.traceId,
  });
  expect(madeFor(target)).toBe(1);
});

test('a search that was broken off, and stopped as by a restore, goes on by the same command', async () => {
  const target = 'stopped@example.com';
  const begun = await installation.run(['trace', 'search', '--target', target, '--detach']);
  const id = begun.stdout.trim();
  const [, name = ''] = id.split('/');
  const handle = (await installation.client()).workflow.getHandle(`trace/${name}`);
  await handle.terminate();
  const mark = "INSERT INTO stop_mark (folder, word) VALUES (?, 'paused') RETURNING word";
  const folder = id.replace('trace/', 'traces/');
  expect(await tamperWith(installation.folder, mark, folder)).toHaveLength(1);
  const { shown } = await search(target, '--deadline', '40s');
  expect(shown).toMatchObject({ id, outcome: { status: 'completed' } });
  expect(madeFor(target)).toBe(1);
});
