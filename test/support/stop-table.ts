import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Installation, creditSettings, eventually } from './diligence-process';
import { allAttempts, storeIn, tamperWith } from './temporary-store';
import { hasCome, isTurnedAway, paidCalls, prepareCell, type Cell } from './stop-cells';

/** What the worker does while jobs are stopped. */
export type WorkerState = 'up' | 'down' | 'frozen';

/** What was found of a job some time after it was stopped. */
export interface StoppedJob {
  cell: Cell;
  id: string;
  /** Instant from which on nothing of it may be claimed, epoch milliseconds. */
  mark: number;
  /** What it had claimed until then. */
  claimed: number;
  /** Claims after the mark. */
  claimedLate: number;
  /** Calls after the mark that may be charged for. */
  sentLate: number;
  /** Requests in flight at the mark, at most. */
  chunks: number;
  /** Accepted ids, and claims whose answer is lost, that the job's result does not tell. */
  untold: string[];
  status: string | null;
}

const deadlineMs = 6_000;
/** Long enough for a second try, a poll and a request that was slow. */
const watchedMs = 4_000;
/** Longer than a heartbeat time-out. */
const frozenMs = 12_000;
/** On its way when the mark was set. */
const transitMs = 100;

type Stopped = Pick<Cell, 'kind' | 'at' | 'stop'>;

/** Starts a job for each cell, stops all of them where they stand, and looks what left afterwards. */
export async function stopAll(
  cells: readonly Stopped[],
  state: WorkerState,
): Promise<Map<string, StoppedJob>> {
  const place = await Installation.start(
    {
      issuance: { waitingMs: [20, 50], processingMs: [50, 100], distribution: 'uniform' },
      credit: { analysis: { waitingMs: [10, 20], processingMs: [20, 50] } },
      lens: { pollAfterSeconds: 1, timing: { waitingMs: [10, 20], processingMs: [20, 50] } },
      traces: { pollAfterSeconds: 1 },
      dossiers: { pollAfterSeconds: 1 },
    },
    (sandbox) => ({ ...creditSettings(sandbox), INVESTIGATION_RPS: '400', CREDIT_RPS: '100' }),
  );
  try {
    return await stopAllIn(place, cells, state);
  } finally {
    await place.stop();
  }
}

async function stopAllIn(place: Installation, all: readonly Stopped[], state: WorkerState) {
  const isQueued = all.some(({ at }) => at === 'queued');
  let worker: ChildProcess | null = null;
  if (!isQueued) worker = await place.startWorker();
  const cells: Cell[] = [];
  for (const [number, one] of all.entries()) cells.push(await prepareCell(place, one, number));

  const started = await Promise.all(
    cells.map(async (cell) => {
      const words = [...cell.words, '--detach', '--json'];
      if (cell.stop === 'deadline') words.push('--deadline', `${deadlineMs / 1_000}s`);
      const { stdout, stderr } = await place.run(words);
      if (stdout === '') throw new Error(`${words.join(' ')}: ${stderr}`);
      return { cell, id: (JSON.parse(stdout) as { id: string }).id, startedAt: Date.now() };
    }),
  );
  if (!isQueued) {
    const notYet = (): Cell[] =>
      cells.filter((cell) => cell.stop !== 'deadline' && !hasCome(place, cell));
    await eventually(
      'every job stands where it is to be stopped',
      () => notYet().length === 0,
      30_000,
    ).catch((error: Error) => {
      const missing = notYet().map(({ kind, at, stop }) => `${kind} ${at} ${stop}`);
      throw new Error(`${error.message}: ${missing.join(', ')}`);
    });
  }
  if (state === 'frozen' && worker !== null) await freeze(place, worker);
  if (state === 'down' && worker !== null) await ended(worker, 'SIGTERM');

  const stopped = await Promise.all(
    started.map(async ({ cell, id, startedAt }) => {
      if (cell.stop === 'deadline') return { cell, id, mark: startedAt + deadlineMs };
      const { code, stderr } = await place.run([cell.stop, id]);
      // What has settled meanwhile takes no order: then nothing of it is sent anyway.
      if (code !== 0 && !/settled|ended/.test(stderr)) throw new Error(`${id}: ${stderr}`);
      return { cell, id, mark: Date.now() };
    }),
  );
  await sleep(Math.max(0, ...stopped.map(({ mark }) => mark - Date.now())));
  // What would be sent now would be charged for.
  for (const cell of cells) if (isTurnedAway(cell)) place.sandbox.configure(cell.release);
  if (state === 'frozen') {
    await sleep(frozenMs);
    worker?.kill('SIGCONT');
  } else if (worker === null || state === 'down') worker = await place.startWorker();
  await sleep(watchedMs);

  const found = new Map<string, StoppedJob>();
  const attempts = await allAttempts(storeIn(place.folder));
  for (const { cell, id, mark } of stopped) {
    const children = await childrenOf(place, id);
    const things = [id, ...children].map((one) => one.replace(/\/\d{8}T\w+$/, ''));
    const own = attempts.filter(
      ({ claim: { kind, owner } }) =>
        kind === 'send' && things.some((thing) => owner.workflowId.startsWith(thing)),
    );
    const claimedLate = own.filter(({ claim }) => claim.claimedAt > mark).length;
    const sentLate = paidCalls(place, cell).filter(({ at }) => Date.parse(at) > mark + transitMs);
    const shown = await shownOf(place, id);
    if (shown.outcome === null) await place.run(['cancel', id, '--now']);
    const end = shown.outcome === null ? await endOf(place, id) : shown;
    const said = JSON.stringify(end);
    const isBatch = cell.kind.endsWith('-batch');
    const untold = isBatch
      ? []
      : own.flatMap(({ n, receipt }) => {
          if (receipt?.kind === 'accepted' && cell.kind !== 'profile' && cell.kind !== 'dossier')
            return said.includes(receipt.externalId) ? [] : [receipt.externalId];
          const isLost = receipt === null || receipt.kind === 'unknown';
          return isLost && end.status !== 'unknown_outcome' && !said.includes('lost')
            ? [`the answer to request ${n}`]
            : [];
        });
    const sent = sentLate.length;
    found.set(nameOf(cell), {
      claimed: own.length - claimedLate,
      cell,
      id,
      mark,
      claimedLate,
      sentLate: sent,
      untold,
      status: end.status,
      chunks: isBatch ? 3 : 1,
    });
  }
  return found;
}

async function childrenOf({ folder }: Installation, id: string): Promise<string[]> {
  const sql = 'SELECT child FROM batch_row WHERE job = ? AND child IS NOT NULL';
  const rows = (await tamperWith(folder, sql, `batches/${id}`)) as { child: string }[];
  return rows.map(({ child }) => child);
}

interface Shown {
  status: string | null;
  outcome: object | null;
}

async function shownOf(place: Installation, id: string): Promise<Shown> {
  return JSON.parse((await place.run(['show', id, '--json'])).stdout) as Shown;
}

async function endOf(place: Installation, id: string): Promise<Shown> {
  let shown: Shown = { status: null, outcome: null };
  await eventually(`${id} has ended`, async () => {
    shown = await shownOf(place, id);
    return shown.outcome !== null;
  });
  return shown;
}

/** Not while it holds the lock of the database: then no order could be put on record, and would say so. */
async function freeze({ folder }: Installation, worker: ChildProcess): Promise<void> {
  const isFree = (): Promise<boolean> =>
    tamperWith(folder, 'UPDATE install SET epoch = epoch').then(
      () => true,
      () => false,
    );
  await eventually('it is frozen between two transactions', async () => {
    worker.kill('SIGSTOP');
    await sleep(20);
    if (await isFree()) return true;
    worker.kill('SIGCONT');
    return false;
  });
}

async function ended(worker: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const exited = once(worker, 'exit');
  worker.kill(signal);
  await exited;
}

export function nameOf({ kind, at, stop }: Stopped): string {
  return `${kind}, ${at}: ${stop}`;
}
