import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { Option, type Command } from 'commander';
import { orderEntry } from '../../domain/audit-entries';
import { workflowIdOf } from '../../domain/core/job-batch';
import type { InputChoice } from '../../sheets/read-rows';
import { JobBatchRepository } from '../../store/core/job-batches';
import type { EngineClient } from '../../temporal/connection';
import {
  cancelUpdate,
  jobBatchProgressQuery,
  pauseUpdate,
  resumeUpdate,
} from '../../workflows/messages';
import {
  batchOf,
  foresee,
  openBatch,
  startBatch,
  type BatchRequest,
  type Foreseen,
  type LineProblem,
  type StoredBatch,
} from '../jobs/batch';
import type { BatchKind } from '../jobs/batch-kind';
import {
  isNotFound,
  isRunning,
  warnWithoutPollers,
  withEngine,
  type CommandContext,
} from '../jobs/context';
import { CommandError } from '../jobs/errors';
import { counted } from '../jobs/text';
import { countLines, leftLines, printProblems, showBatch, type BatchOutput } from './batch-outcome';
import { followByLines } from './follow';
import { exitCodes, print, printJson, tell, wholeNumber } from './terminal';
import { refuseUnwritable } from './unwritable-folder';
import type { OrderName, WorkFamily } from './work-family';

export interface BatchFlags extends BatchOutput {
  concurrency: number;
  deadline: number;
  dryRun?: true;
  detach?: true;
}

/** For commands that take one thing or an input of many. */
export function withInput(command: Command, what: string, concurrency: number): Command {
  return withConcurrency(command, concurrency)
    .option('--input <file>', `CSV or .xlsx with a column of ${what}, a line each; - reads CSV`)
    .option('--column <name>', 'of the input: the column that holds them')
    .option('--sheet <name>', 'of a workbook: its name or number (default: the first)');
}

export interface InputFlags {
  input?: string;
  column?: string;
  sheet?: string;
}

/** Where in a sheet they stand. */
export function choiceOf({ column, sheet }: InputFlags): InputChoice {
  return { ...(column !== undefined && { column }), ...(sheet !== undefined && { sheet }) };
}

/** Flags that say something of many alone. */
export const inputFlags = ['--column', '--sheet', '--concurrency'];

export function withConcurrency(command: Command, concurrency: number): Command {
  return command.addOption(
    new Option('--concurrency <n>', 'of an input: jobs in flight at once')
      .argParser(wholeNumber(1, 500))
      .default(concurrency),
  );
}

export function withBatch(command: Command, concurrency: number): Command {
  return withConcurrency(command, concurrency)
    .option('--dry-run', 'show what would be asked for, send nothing')
    .option('--label <text>', 'to find it by');
}

/** An input is read more than once: what comes on standard input is a file meanwhile. */
export async function withInputFile<T>(
  input: string,
  use: (path: string) => Promise<T>,
): Promise<T> {
  if (input !== '-') return use(input);
  const folder = await mkdtemp(join(tmpdir(), 'diligence-input-'));
  try {
    const path = join(folder, 'input.csv');
    await pipeline(process.stdin, createWriteStream(path, { mode: 0o600 }));
    return await use(path);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Plans, starts, follows and shows a batch. */
export async function runBatch(
  ctx: CommandContext,
  kind: BatchKind,
  request: BatchRequest,
  flags: BatchFlags,
): Promise<number> {
  if (flags.dryRun === true) {
    const { foreseen, problems } = await foresee(request);
    return showForeseen(foreseen, problems, flags.json === true);
  }
  if (flags.detach !== true) await refuseUnwritable(flags.out ?? 'out');
  const batch = await openBatch(ctx, request);
  tell(linesLine(batch));
  if (batch.end === null) {
    const isLeft = await withEngine(ctx, (engine) => drive(ctx, engine, kind, batch, flags));
    if (isLeft) return exitCodes.done;
  }
  const end = await new JobBatchRepository(ctx.store).end(batch.folder);
  return showBatch(ctx, kind, { ...batch, end }, flags);
}

function linesLine({ record }: StoredBatch): string {
  const { blankLines, items, lines, linesAtFault } = record;
  const repeated = lines - items - linesAtFault;
  return `${lines} lines: ${items} different, ${repeated} repeated, ${linesAtFault} at fault, ${blankLines} blank`;
}

/** @returns true when it was started and left alone */
async function drive(
  ctx: CommandContext,
  engine: EngineClient,
  kind: BatchKind,
  batch: StoredBatch,
  flags: BatchFlags,
): Promise<boolean> {
  const { batchId, children, items } = batch.record;
  const { workflowId, ranAlready } = await startBatch(ctx, engine, batch, flags);
  if (ranAlready) {
    tell('it runs already: --concurrency and --deadline are those that it was started with');
  }
  const before = items - children;
  const asked = counted(children, ...kind.noun);
  tell(`${batchId}: ${asked}${before > 0 ? `; ${before} had ended before` : ''}`);
  if (flags.detach === true) {
    if (flags.json === true) printJson({ id: batchId, status: 'started' });
    else print(batchId);
    return true;
  }
  await warnWithoutPollers(engine, ctx, kind.service);
  await followByLines(ctx, engine, workflowId, (current) => progressOf(current, workflowId));
  return false;
}

/** How a batch stands, in a line; null when nobody can tell. */
async function progressOf(engine: EngineClient, workflowId: string): Promise<string | null> {
  const handle = engine.client.workflow.getHandle(workflowId);
  const progress = await handle.query(jobBatchProgressQuery).catch(() => null);
  if (progress === null) return null;
  const { total, counts, underWay, paused, cancelling } = progress;
  const ended = Object.entries(counts);
  const sum = ended.reduce((all, [, count]) => all + (count ?? 0), 0);
  const how = ended.map(([status, count]) => `${count} ${status}`).join(', ');
  const held = cancelling ? ', cancelling' : paused ? ', paused' : '';
  return `${sum} of ${total} ended${how === '' ? '' : ` (${how})`}, ${underWay} under way${held}`;
}

/** What a command would do, without doing it. */
export function showForeseen(
  { left, ...foreseen }: Foreseen,
  problems: readonly LineProblem[],
  isJson: boolean,
): number {
  if (isJson) {
    printJson({ dryRun: true, ...foreseen, left, problems });
    return exitCodes.done;
  }
  const { request, reuse, underWay } = foreseen;
  print(`would request ${request}, reuse ${reuse} that are there already`);
  if (underWay > 0) print(`${underWay} are under way and would be gone on with`);
  printProblems(problems);
  for (const line of leftLines(left)) print(`  ${line}`);
  print('nothing was sent');
  return exitCodes.done;
}

/** `show`: what the store knows, and how it runs where an engine does. */
async function showStatus(
  ctx: CommandContext,
  kind: BatchKind,
  batch: StoredBatch,
  isJson: boolean,
): Promise<void> {
  const { folder, record, end } = batch;
  const { batchId: id, children, items } = record;
  const workflowId = workflowIdOf(id);
  const counts = await new JobBatchRepository(ctx.store).counts(folder);
  const { engineIfRunning } =
    require('../../temporal/open-engine') as typeof import('../../temporal/open-engine');
  const engine = end === null ? await engineIfRunning(ctx, ctx.log) : null;
  const runs = engine !== null && (await isRunning(engine, workflowId));
  const progress = runs ? await progressOf(engine, workflowId) : null;
  await engine?.close();
  const open = engine === null ? 'waits for the engine' : runs ? 'running' : 'broken off';
  const state = end === null ? open : 'ended';
  if (isJson) {
    printJson({ ...record, id, state, progress, counts });
    return;
  }
  print(`${id}: ${state}${end === null ? '' : ` ${end.endedAt}`}`);
  if (progress !== null) print(`  ${progress}`);
  for (const line of countLines(counts)) print(line);
  const asked = counted(children, ...kind.noun);
  const before = `${items - children} that had ended before`;
  print(`  of ${counted(record.lines, 'line')}: ${asked}, ${before}, ${faultsOf(record)}`);
  if (state === 'broken off') print('  the same command goes on with it');
}

function faultsOf({ linesAtFault }: { linesAtFault: number }): string {
  return `${counted(linesAtFault, 'line')} at fault`;
}

async function order(
  ctx: CommandContext,
  { record, end }: StoredBatch,
  name: OrderName,
): Promise<void> {
  const { batchId } = record;
  if (end !== null) throw new CommandError(`${batchId} has ended: \`diligence result ${batchId}\``);
  const entry = orderEntry(name, { workId: batchId, by: ctx.environment.actor }, Date.now());
  await withEngine(ctx, async (engine) => {
    const handle = engine.client.workflow.getHandle(workflowIdOf(batchId));
    await ctx.audit.appendAndAnchor([entry]);
    try {
      if (name === 'pause') print(await handle.executeUpdate(pauseUpdate));
      else if (name === 'resume') print(await handle.executeUpdate(resumeUpdate));
      else print(await handle.executeUpdate(cancelUpdate, { args: [{ now: name !== 'cancel' }] }));
    } catch (error) {
      const isRefused = error instanceof WorkflowUpdateFailedError;
      if (!isRefused && !isNotFound(error)) throw error;
      await ctx.audit.appendAndAnchor([{ ...entry, result: 'refused' }]);
      throw new CommandError(
        isRefused
          ? `${batchId}: ${error.cause?.message ?? 'refused'}`
          : `${batchId} does not run: the same command goes on with it`,
      );
    }
  });
}

/** Batches of a kind, as `show`, `result` and the orders see them. */
export function batchFamily(kind: BatchKind): WorkFamily {
  return {
    takesExcel: true,
    owns: (id) => id.startsWith(`${kind.kind}/`),
    status: async (ctx, id, json) => showStatus(ctx, kind, await batchOf(ctx, id), json),
    result: async (ctx, id, { out, excel, json }) =>
      showBatch(ctx, kind, await batchOf(ctx, id), {
        html: true,
        ...(out !== undefined && { out }),
        ...(excel === true && { excel }),
        ...(json === true && { json }),
      }),
    order: async (ctx, id, name) => order(ctx, await batchOf(ctx, id), name),
  };
}
