import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Option, type Command } from 'commander';
import type { JobBatchEnd, JobBatchRecord } from '../../domain/core/job-batch';
import {
  planBatchStart,
  inputFileOf,
  type BatchRequest,
  type BatchTerms,
  type InputFile,
} from '../jobs/batches/request';
import type { CommandContext } from '../jobs/context';
import type { JobKind } from '../jobs/job-kind';
import type { StartFlags } from './flags';
import { start } from './start-command';
import { wholeNumber } from './terminal';

/** For commands that take one subject or an input of many. */
export function withInput(command: Command, what: string, concurrency: number): Command {
  return withSheet(withConcurrency(command, concurrency), what);
}

/** Sheet options, the same for all commands that read one. */
export function withSheet(command: Command, what: string): Command {
  return command
    .option('--input <file>', `CSV or .xlsx with a column of ${what}, a line each; - reads CSV`)
    .option('--column <name>', 'of the input: the column that holds them: name, letter or number')
    .option(
      '--reference <column>',
      'of the input: the column that names its rows in results, reports and files',
    )
    .option('--sheet <name>', 'of a workbook: its name or number (default: the first with such)');
}

interface InputFlags {
  input?: string;
  column?: string;
  reference?: string;
  sheet?: string;
}

/** Flags that apply to an input only. */
export const inputFlags = ['--column', '--reference', '--sheet', '--concurrency', '--excel'];

export function withConcurrency(command: Command, concurrency: number): Command {
  return command
    .addOption(
      new Option('--concurrency <n>', 'of a batch: jobs in flight at once')
        .argParser(wholeNumber(1, 500))
        .default(concurrency),
    )
    .option('--excel', 'sheets for a spreadsheet program: `;`, BOM, decimal comma');
}

/** For inputs whose rows send chargeable requests. */
export function withBudget(command: Command): Command {
  return command.addOption(
    new Option(
      '--budget <n>',
      'of a batch: requests that may be charged before a person must look (default: no bound)',
    ).argParser(wholeNumber(1, 1_000_000)),
  );
}

export function withBatch(command: Command, concurrency: number): Command {
  return withConcurrency(command, concurrency)
    .option('--dry-run', 'show what would be requested, send nothing')
    .option('--label <text>', 'a word of yours to find it by (`list --label`)');
}

/** An input is read more than once: standard input is copied to a file. */
export async function withInputFile<T>(
  input: string,
  use: (path: string) => Promise<T>,
): Promise<T> {
  if (input !== '-') return use(input);
  const folder = await mkdtemp(join(tmpdir(), 'diligence-input-'));
  try {
    const path = join(folder, 'standard input.csv');
    await pipeline(process.stdin, createWriteStream(path, { mode: 0o600 }));
    return await use(path);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** `start` for a batch. */
export function startBatch(
  command: Command,
  kind: JobKind<JobBatchRecord, JobBatchEnd>,
  request: (ctx: CommandContext) => BatchRequest | Promise<BatchRequest>,
): Promise<void> {
  const terms: BatchTerms = command.opts();
  return start(command, kind, async (ctx) => planBatchStart(ctx, await request(ctx), terms));
}

/**
 * `startBatch` with the file of `--input`.
 *
 * @returns false when there is no `--input`
 */
export async function startInput(
  command: Command,
  kind: JobKind<JobBatchRecord, JobBatchEnd>,
  request: (ctx: CommandContext, file: InputFile) => BatchRequest | Promise<BatchRequest>,
): Promise<boolean> {
  const flags = command.opts<InputFlags & StartFlags>();
  const { input } = flags;
  if (input === undefined) return false;
  await withInputFile(input, (path) => {
    const file = { ...inputFileOf({ ...flags, input }), path };
    return startBatch(command, kind, (ctx) => request(ctx, file));
  });
  return true;
}
