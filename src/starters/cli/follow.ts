import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowFailedError, isGrpcServiceError } from '@temporalio/client';
import type { BatchSummary } from '../../domain/certificates/certificates';
import type { AnalysisOutcome } from '../../domain/credit/work';
import {
  batchProgressQuery,
  rowsProgressQuery,
  type BatchProgress,
} from '../../workflows/messages';
import type { EngineClient } from '../../temporal/connection';
import { openEngine } from '../../temporal/open-engine';
import { embeddedHealth } from '../../temporal/engine-record';
import { jobLine } from './job-line';
import { Pace } from './pace';
import {
  addUp,
  isHeldUp,
  progressLine,
  progressOfRows,
  settledOf,
  type WorkProgress,
} from './progress';
import { CommandError } from '../jobs/errors';
import { exitCodes, tell } from './terminal';
import { isNotFound, type CommandContext } from '../jobs/context';
import { isDecisionId } from './works-on-file';

/** Asks a running (or closed, not yet deleted) work how it stands. Null when it cannot answer. */
export async function readProgress(
  engine: EngineClient,
  workflowId: string,
): Promise<WorkProgress | null> {
  const handle = engine.client.workflow.getHandle(workflowId);
  try {
    if (workflowId.startsWith('certificate/') && !isDecisionId(workflowId)) {
      return progressOfRows(await handle.query(rowsProgressQuery));
    }
    const batch = await handle.query(batchProgressQuery);
    return addUp(batch, await Promise.all(batch.lanes.map((lane) => laneProgress(engine, lane))));
  } catch {
    // No worker to answer, or not there: progress is a courtesy.
    return null;
  }
}

async function laneProgress(engine: EngineClient, lane: BatchProgress['lanes'][number]) {
  if (lane.counts !== null) {
    const idle = { outstanding: 0, requesting: 0, again: 0, paused: false, cancelling: false };
    return { total: lane.items, counts: lane.counts, ...idle, waiting: null };
  }
  return engine.client.workflow
    .getHandle(lane.id)
    .query(rowsProgressQuery)
    .catch(() => null);
}

/** Shows how a work goes on until it is told to stop; never ends by itself before. */
type Shower = (engine: EngineClient, signal: AbortSignal) => Promise<void>;

/** Nobody waits longer for a line that tells how it goes. */
const longestQueryMs = 10_000;

/**
 * Shows progress until the work has ended. Ctrl-C leaves it running: the id and the way back are
 * printed and the process ends with 130. An embedded engine that dies meanwhile is started again.
 *
 * @throws CommandError when the workflow failed or was terminated
 */
export async function followWork(
  place: CommandContext,
  engine: EngineClient,
  workflowId: string,
): Promise<BatchSummary> {
  const display = new Display();
  return followWith<BatchSummary>(place, engine, workflowId, display, (current, signal) =>
    showProgress(current, workflowId, display, signal),
  );
}

/** An analysis, as `followWork`: a line for each thing that it begins or waits for. */
export async function followAnalysis(
  place: CommandContext,
  engine: EngineClient,
  workflowId: string,
): Promise<AnalysisOutcome> {
  return followByLines<AnalysisOutcome>(place, engine, workflowId, (current) =>
    jobLine(current, workflowId),
  );
}

/** Any work that tells how it stands in a line. */
export async function followByLines<T>(
  place: CommandContext,
  engine: EngineClient,
  workflowId: string,
  lineOf: (engine: EngineClient) => Promise<string | null>,
): Promise<T> {
  let told = '';
  return followWith<T>(place, engine, workflowId, new Display(), async (current, signal) => {
    while (!signal.aborted) {
      const line = await inTime(current, signal, () => lineOf(current));
      if (line !== null && line !== told && !signal.aborted) tell(line);
      told = line ?? told;
      await pause(1_000, signal);
    }
  });
}

async function followWith<T>(
  place: CommandContext,
  engine: EngineClient,
  workflowId: string,
  display: Display,
  show: Shower,
): Promise<T> {
  const leave = (why: string): never => {
    display.clear();
    tell(
      `${why}: \`diligence status ${workflowId}\`, \`diligence result ${workflowId}\` when it has ended`,
    );
    process.exit(exitCodes.interrupted);
  };
  const onInterrupt = (): void => leave('the work goes on');
  process.once('SIGINT', onInterrupt);
  let current = engine;
  try {
    for (;;) {
      const end = await followOn<T>(place, current, workflowId, show);
      if (end.kind === 'ended') return end.summary;
      if (end.kind === 'stopped')
        return leave('the engine was stopped, and the work goes on at its next start');
      display.clear();
      tell('the engine has ended unexpectedly');
      const before = current;
      current = await openEngine(place, tell);
      if (before !== engine) await before.close();
    }
  } finally {
    process.removeListener('SIGINT', onInterrupt);
    display.clear();
    if (current !== engine) await current.close();
  }
}

type End<T> = { kind: 'ended'; summary: T } | { kind: 'stopped' } | { kind: 'crashed' };

async function followOn<T>(
  place: CommandContext,
  engine: EngineClient,
  workflowId: string,
  show: Shower,
): Promise<End<T>> {
  const over = new AbortController();
  const { signal } = over;
  const shown = engine.client.withAbortSignal(signal, () => show(engine, signal));
  let isGone = false;
  try {
    const end = await Promise.race([
      resultOf<T>(engine, workflowId, signal),
      engineGone(place, engine, signal),
      shown.then(() => never()),
    ]);
    isGone = end.kind !== 'ended';
    return end;
  } finally {
    over.abort();
    // The SDK's retries heed no signal: one that finds its connection closed ends the process.
    if (!isGone) await shown.catch(() => undefined);
  }
}

/** A call and its retries are over by then, or with the signal. */
export async function inTime<T>(
  { client }: Pick<EngineClient, 'client'>,
  signal: AbortSignal,
  call: () => Promise<T>,
): Promise<T> {
  // The SDK leaves a listener behind for every call: they go with a signal of the call's own.
  const own = new AbortController();
  const abort = (): void => own.abort();
  signal.addEventListener('abort', abort);
  try {
    return await client.withAbortSignal(own.signal, () =>
      client.withDeadline(Date.now() + longestQueryMs, call),
    );
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Waits for the result; a server that does not answer for a while is asked again. */
async function resultOf<T>(
  engine: EngineClient,
  workflowId: string,
  signal: AbortSignal,
): Promise<End<T>> {
  const handle = engine.client.workflow.getHandle(workflowId);
  let told = false;
  for (;;) {
    try {
      return { kind: 'ended', summary: (await handle.result()) as T };
    } catch (error) {
      if (signal.aborted) return never();
      if (isNotFound(error)) {
        throw new CommandError(
          `${workflowId} was lost by the engine: start the same command again to go on`,
        );
      }
      if (error instanceof WorkflowFailedError) {
        const cause = error.cause?.name ?? 'failed';
        throw new CommandError(
          `${workflowId} did not end well (${cause}): what is on file stays there, and the same command goes on from it`,
        );
      }
      if (!isUnavailable(error)) throw error;
      if (!told) tell(`the Temporal server at ${engine.address} does not answer: trying again`);
      told = true;
      await pause(1_000, signal);
    }
  }
}

function isUnavailable(error: unknown): boolean {
  const cause = (error as Error).cause ?? error;
  const codes = new Set([1, 4, 14]);
  return isGrpcServiceError(cause) && codes.has(cause.code);
}

/** Fulfilled when the embedded engine that we work with is no more; never for another server. */
async function engineGone(
  place: CommandContext,
  engine: EngineClient,
  signal: AbortSignal,
): Promise<End<never>> {
  const { record } = engine;
  if (record === undefined) return never();
  for (;;) {
    await pause(1_000, signal);
    if (signal.aborted) return never();
    const health = await embeddedHealth(place.environment.dataDir, record);
    if (health === 'stopped') return { kind: 'stopped' };
    if (health !== 'runs') return { kind: 'crashed' };
  }
}

async function showProgress(
  engine: EngineClient,
  workflowId: string,
  display: Display,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const progress = await inTime(engine, signal, () => readProgress(engine, workflowId));
    if (progress !== null && !signal.aborted) display.show(progress);
    await pause(display.intervalMs, signal);
  }
}

/** One line rewritten in place on a terminal; elsewhere a line now and then. */
class Display {
  readonly #onTerminal = process.stderr.isTTY;
  readonly #pace = new Pace();
  readonly #startedAt = Date.now();
  #shown = '';
  #shownAt = 0;
  #waiting: string | null = null;

  get intervalMs(): number {
    return this.#onTerminal ? 500 : 1_000;
  }

  show(progress: WorkProgress): void {
    const at = Date.now();
    const settled = settledOf(progress.counts);
    const sample = { at, settled, total: progress.total, held: isHeldUp(progress) };
    const line = progressLine(progress, this.#pace.observe(sample), at);
    if (this.#onTerminal) {
      process.stderr.write(`\r\x1b[2K${line.slice(0, process.stderr.columns - 1)}`);
      this.#shown = line;
      return;
    }
    const waiting = progress.waiting?.reason ?? null;
    const isNews = waiting !== this.#waiting;
    if (line === this.#shown || (!isNews && at - this.#shownAt < this.#quietMs(at))) return;
    tell(line);
    this.#shown = line;
    this.#shownAt = at;
    this.#waiting = waiting;
  }

  clear(): void {
    if (this.#onTerminal && this.#shown !== '') process.stderr.write('\r\x1b[2K');
    this.#shown = '';
  }

  /** A log of a night should not be a book. */
  #quietMs(at: number): number {
    const age = at - this.#startedAt;
    if (age < 60_000) return 3_000;
    return age < 600_000 ? 15_000 : 60_000;
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
