import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowFailedError, isGrpcServiceError } from '@temporalio/client';
import type { Reader } from '../../report/reader';
import type { EngineClient } from '../../temporal/connection';
import { embeddedHealth } from '../../temporal/engine-record';
import { openEngine } from '../../temporal/open-engine';
import { isNotFound, tellOf, type CommandContext } from '../jobs/context';
import { CommandError } from '../jobs/errors';
import type { JobKind } from '../jobs/job-kind';
import type { Progress } from '../jobs/progress';
import { Pace } from './pace';
import { isHeldUp, progressLine, settledOf } from './progress';
import { exitCodes, printNote } from './terminal';

type ReadProgress = (engine: EngineClient) => Promise<Progress | null>;
/** The job that ran, where jobs of one request share the workflow. */
type Result = { jobId?: string };
type Display = ReturnType<typeof displayOf>;

/**
 * Follows a job on the terminal to the result of its workflow. Ctrl-C leaves it running: prints how to follow it
 * again and exits with 130.
 * @param id argument of `show` and `result`
 */
export async function followHere(
  ctx: CommandContext,
  engine: EngineClient,
  { id, workflowId }: { id: string; workflowId: string },
  kind: Pick<JobKind, 'readProgress'>,
): Promise<Result> {
  const { say } = ctx.reader;
  const display = displayOf(ctx.reader);
  const readProgress: ReadProgress = (current) =>
    kind.readProgress(current, workflowId, ctx.reader);
  const leave = (why: string): never => {
    display.clear();
    const ended = say('when it has ended', 'quando terminar');
    printNote(`${why}: \`diligence show ${id}\`, \`diligence result ${id}\` ${ended}`);
    process.exit(exitCodes.interrupted);
  };
  const onInterrupt = (): void => leave(say('the job goes on', 'o trabalho continua'));
  process.once('SIGINT', onInterrupt);
  try {
    const end = await followJob(ctx, engine, workflowId, readProgress, display);
    if (end.kind === 'ended') return end.result;
    return leave(
      say(
        'the engine was stopped, and the job goes on at its next start',
        'o servidor Temporal foi parado, e o trabalho continua quando ele voltar',
      ),
    );
  } finally {
    process.removeListener('SIGINT', onInterrupt);
  }
}

/** Rewrites one line on a terminal; elsewhere prints what is new, or a line now and then. */
function displayOf(reader: Reader) {
  const onTerminal = process.stderr.isTTY;
  const pace = new Pace();
  const startedAt = Date.now();
  let [shown, shownAt, news] = ['', 0, ''];
  return {
    intervalMs: onTerminal ? 500 : 1_000,
    show: (progress: Progress): void => {
      const at = Date.now();
      const { counts, details, stage, total, waiting } = progress;
      const rate =
        total === null || isHeldUp(progress) ? null : pace.observe(at, settledOf(counts));
      const line = progressLine(progress, rate, at, reader);
      if (onTerminal) {
        process.stderr.write(`\r\x1b[2K${line.slice(0, process.stderr.columns - 1)}`);
        shown = line;
        return;
      }
      // Keeps a log of hours short.
      const quietMs = at - startedAt < 60_000 ? 3_000 : 60_000;
      const told = [stage, waiting?.reason ?? '', ...details].join('\n');
      if (line === shown || (told === news && at - shownAt < quietMs)) return;
      printNote(line);
      [shown, shownAt, news] = [line, at, told];
    },
    /** Removes the last progress line: it is no longer true. */
    clear: (): void => {
      if (onTerminal && shown !== '') process.stderr.write('\r\x1b[2K');
      shown = '';
    },
  };
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
