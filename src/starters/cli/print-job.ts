import { resolve } from 'node:path';
import type { CommandContext } from '../jobs/context';
import type { Language, OutputTerms } from '../../domain/job';
import { askedOf, envelopeOf, exitCodeOfJob } from '../jobs/envelope';
import { exportJob, outputTerms } from '../jobs/export-job';
import { endedJob, nextStep, type JobView } from '../jobs/find-job';
import type { Job, JobKind } from '../jobs/job-kind';
import { markFolder } from '../jobs/named-job';
import { UsageError } from '../jobs/errors';
import { printable } from '../jobs/text';
import { closingLines, wholeLine, type Closing } from './closing';
import { findingsLines } from './findings-table';
import { progressLine } from './progress';
import { print, printJson, printLine } from './terminal';

export interface ResultFlags extends Partial<OutputTerms> {
  out?: string;
  json?: boolean;
}

/** Of an outcome that an erasure by age has left nothing but its end. */
const erasedLine = `  ${'erased'.padEnd(10)} what the service reported is no longer stored`;

/** Writes the result folder of a job that has ended, and prints how it ended. Returns the exit code. */
export async function printResult<Input, Outcome>(
  ctx: CommandContext,
  kind: JobKind<Input, Outcome>,
  job: Job<Input, Outcome>,
  { out, json = false, ...how }: ResultFlags,
): Promise<number> {
  const ended = endedJob(job);
  const target = resolve(out ?? defaultFolder(job.id));
  const terms = outputTerms(ctx, how, job.output);
  const files = await exportJob(ctx, kind, ended, { ...terms, folder: target });
  const folder = files.length > 0 ? target : null;
  if (folder !== null) await markFolder(folder, job.id);
  if (json) {
    const view = { job, state: null, progress: null };
    const envelope = await envelopeOf(ctx, kind, view, folder);
    printJson(envelope);
    return envelope.exitCode;
  }
  const { lines } = await shownOutcome(ctx, kind, job);
  for (const line of lines) print(line);
  const result = folder === null ? null : { folder, files };
  for (const line of await closingOf(ctx, kind, job, result, terms.lang)) print(line);
  return exitCodeOfJob(job);
}

/** Every row of a job that has ended, one JSON object a line. Returns the exit code. @throws UsageError */
export async function printRows(ctx: CommandContext, kind: JobKind, job: Job): Promise<number> {
  if (kind.rows === undefined)
    throw new UsageError(`--rows: ${job.id} has no rows; it is for batches`);
  for await (const row of kind.rows(ctx, endedJob(job))) await printLine(JSON.stringify(row));
  return exitCodeOfJob(job);
}

async function closingOf<Input, Outcome>(
  ctx: CommandContext,
  kind: JobKind<Input, Outcome>,
  job: Job<Input, Outcome>,
  result: Closing['result'],
  language: Language,
): Promise<string[]> {
  const ended = endedJob(job);
  const asked = await askedOf(ctx, kind, ended);
  const cost = await kind.cost(ended, ctx);
  return closingLines({ job, exitCode: exitCodeOfJob(job), asked, cost, result }, language);
}

/** How a job stands, ended or not. */
export async function printView(
  ctx: CommandContext,
  kind: JobKind,
  view: JobView,
  json: boolean,
): Promise<void> {
  const { job, state, progress } = view;
  if (json) {
    printJson(await envelopeOf(ctx, kind, view, null));
    return;
  }
  print(`${job.id}: ${state ?? `ended ${job.endedAt}`}`);
  if (state === null) {
    const { isFound, lines } = await shownOutcome(ctx, kind, job);
    for (const line of lines) print(line);
    const { lang } = outputTerms(ctx, {}, job.output);
    if (isFound) print(wholeLine(job.id, lang));
    for (const line of await closingOf(ctx, kind, job, null, lang)) print(line);
  } else {
    if (progress !== null) print(`  ${progressLine(progress, null, Date.now())}`);
    else if (state === 'running') print('  no worker answers');
    const next = nextStep(state);
    if (next !== null) print(`  ${next}`);
  }
}

/** `isFound`: an answer is in the store. */
async function shownOutcome(
  ctx: CommandContext,
  kind: JobKind,
  job: Job,
): Promise<{ lines: string[]; isFound: boolean }> {
  const ended = endedJob(job);
  const [first = '', ...more] = (await kind.lines(ended, ctx)).map(printable);
  const isErased = (ended.outcome as { erased?: true }).erased === true;
  const found = await kind.findings?.(ended, ctx.store);
  const tables = found === undefined ? [] : findingsLines(found, process.stdout.columns ?? 80);
  const lines = [first, ...(isErased ? [erasedLine] : []), ...more, ...tables];
  return { lines, isFound: found !== undefined && found.result !== null };
}

/** `out/<kind>-<start of the id>`, the same for the same job. */
export function defaultFolder(id: string): string {
  const [kind = 'job', ...rest] = id.split('/');
  const name = rest.map((word) => word.slice(0, 16)).join('-');
  return `out/${kind}-${name}`;
}
