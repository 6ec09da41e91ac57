import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowFailedError, isGrpcServiceError } from '@temporalio/client';
import type { EngineClient } from '../../temporal/connection';
import { embeddedHealth } from '../../temporal/engine-record';
import { openEngine } from '../../temporal/open-engine';
import { isNotFound, tellOf, type CommandContext } from './context';
import { CommandError } from './errors';
import type { Progress } from './progress';

export type ReadProgress = (engine: EngineClient) => Promise<Progress | null>;
/** The job that ran, where jobs of one request share the workflow. */
export type Result = { jobId?: string };

export interface Display {
  readonly intervalMs: number;
  show(progress: Progress): void;
  /** Removes the last progress line: it is no longer true. */
  clear(): void;
}

/** `stopped`: the embedded server was, and the job resumes at its next start. */
type End = { kind: 'ended'; result: Result } | { kind: 'stopped' };

/** Shows progress until the workflow has ended. Restarts an embedded server that dies meanwhile. */
export async function followJob(
  ctx: CommandContext,
  engine: EngineClient,
  workflowId: string,
  readProgress: ReadProgress,
  display: Display,
): Promise<End> {
  let current = engine;
  try {
    for (;;) {
      const end = await followOn(ctx, current, workflowId, readProgress, display);
      if (end.kind !== 'crashed') return end;
      display.clear();
      tellOf(ctx)('the engine has ended unexpectedly', 'o servidor terminou inesperadamente');
      const before = current;
      current = await openEngine(ctx, tellOf(ctx));
      if (before !== engine) await before.close();
    }
  } finally {
    display.clear();
    if (current !== engine) await current.close();
  }
}

async function followOn(
  ctx: CommandContext,
  engine: EngineClient,
  workflowId: string,
  readProgress: ReadProgress,
  display: Display,
): Promise<End | { kind: 'crashed' }> {
  const over = new AbortController();
  const { signal } = over;
  const shown = engine.client.withAbortSignal(signal, () =>
    showProgress(ctx, engine, readProgress, display, signal),
  );
  let isGone = false;
  try {
    const end = await Promise.race([
      resultOf(ctx, engine, workflowId, signal),
      engineGone(ctx, engine, signal),
      shown.then(() => never()),
    ]);
    isGone = end.kind !== 'ended';
    return end;
  } finally {
    over.abort();
    // The SDK's retries ignore the signal: a retry on a closed connection ends the process.
    if (!isGone) await shown.catch(() => undefined);
  }
}

const silentMs = 15_000;

async function showProgress(
  ctx: CommandContext,
  engine: EngineClient,
  readProgress: ReadProgress,
  display: Display,
  signal: AbortSignal,
): Promise<void> {
  let answeredAt = Date.now();
  let isTold = false;
  while (!signal.aborted) {
    const progress = await inTime(engine, signal, () => readProgress(engine));
    if (signal.aborted) return;
    if (progress !== null) {
      display.show(progress);
      answeredAt = Date.now();
      isTold = false;
    } else if (!isTold && Date.now() - answeredAt > silentMs) {
      display.clear();
      tellOf(ctx)(
        'no worker answers: the work waits until one runs (`diligence worker`)',
        'nenhum worker responde: o trabalho aguarda até que um seja iniciado (`diligence worker`)',
      );
      isTold = true;
    }
    await pause(display.intervalMs, signal);
  }
}

const longestQueryMs = 10_000;

/** Ends a call and its retries on timeout or with the signal. */
export async function inTime<T>(
  { client }: Pick<EngineClient, 'client'>,
  signal: AbortSignal,
  call: () => Promise<T>,
): Promise<T> {
  // The SDK leaves one listener for every call: a signal per call releases them.
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

/** Waits for the result; polls again when the server does not answer for a while. */
async function resultOf(
  ctx: CommandContext,
  engine: EngineClient,
  workflowId: string,
  signal: AbortSignal,
): Promise<End> {
  const handle = engine.client.workflow.getHandle(workflowId);
  let isLogged = false;
  for (;;) {
    try {
      return { kind: 'ended', result: (await handle.result()) as Result };
    } catch (error) {
      if (signal.aborted) return never();
      if (isNotFound(error)) {
        throw new CommandError([
          `the Temporal server does not know ${workflowId} any more: the same command continues it`,
          `o servidor Temporal não conhece mais ${workflowId}: o mesmo comando o continua`,
        ]);
      }
      if (error instanceof WorkflowFailedError) {
        const cause = error.cause?.name ?? 'failed';
        throw new CommandError([
          `${workflowId} failed (${cause}): what is stored stays, and the same command continues from it`,
          `${workflowId} falhou (${cause}): o que foi gravado permanece, e o mesmo comando continua a partir dele`,
        ]);
      }
      if (!isUnavailable(error)) throw error;
      if (!isLogged)
        ctx.log(
          ctx.reader.say(
            `the Temporal server at ${engine.address} does not answer: trying again`,
            `o servidor Temporal em ${engine.address} não responde: tentando de novo`,
          ),
        );
      isLogged = true;
      await pause(1_000, signal);
    }
  }
}

function isUnavailable(error: unknown): boolean {
  const cause = (error as Error).cause ?? error;
  const codes = new Set([1, 4, 14]);
  return isGrpcServiceError(cause) && codes.has(cause.code);
}

/** Fulfilled when our embedded server is gone; never for another server. */
async function engineGone(
  ctx: CommandContext,
  { record }: EngineClient,
  signal: AbortSignal,
): Promise<{ kind: 'stopped' | 'crashed' }> {
  if (record === undefined) return never();
  for (;;) {
    await pause(1_000, signal);
    if (signal.aborted) return never();
    const health = await embeddedHealth(ctx.environment.dataDir, record);
    if (health === 'stopped') return { kind: 'stopped' };
    if (health !== 'runs') return { kind: 'crashed' };
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
