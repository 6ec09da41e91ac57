import { join, resolve } from 'node:path';
import type { CommandContext } from '../jobs/context';
import { exportJob } from '../jobs/export-job';
import { endedJob, nextStep, type JobView } from '../jobs/find-job';
import type { ExportOptions, Job, JobKind } from '../jobs/job-kind';
import { printable } from '../jobs/text';
import { envelopeOf, exitCodeOfJob } from '../jobs/envelope';
import { findingsLines } from './findings-table';
import { progressLine } from './progress';
import { print, printJson } from './terminal';

export interface ResultFlags extends Partial<ExportOptions> {
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
  const options = { excel: false, html: false, lang: 'en', pdfNames: 'id', ...how } as const;
  const files = await exportJob(ctx, kind, ended, { ...options, folder: target });
  const folder = files.length > 0 ? target : null;
  if (json) {
    const view = { job, state: null, progress: null };
    const envelope = await envelopeOf(ctx, kind, view, folder);
    printJson(envelope);
    return envelope.exitCode;
  }
  const { lines } = await shownOutcome(ctx, kind, job);
  for (const line of lines) print(line);
  if (folder !== null) {
    if (files.includes('report.html')) print(`report: ${join(folder, 'report.html')}`);
    print(`result: ${folder} (${files.join(', ')}: an export, in the clear)`);
  }
  if (kind.findings !== undefined && job.needsAttention) print(leftToDo(job));
  return exitCodeOfJob(job);
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
    if (isFound) print(`the whole: \`diligence result ${job.id}\``);
    if (kind.findings !== undefined && job.needsAttention) print(leftToDo(job));
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

function leftToDo({ id }: Job): string {
  return `left to do: \`diligence inbox show ${id}\` says what can be decided`;
}

/** `out/<kind>-<start of the id>`, the same for the same job. */
export function defaultFolder(id: string): string {
  const [kind = 'job', ...rest] = id.split('/');
  const name = rest.map((word) => word.slice(0, 16)).join('-');
  return `out/${kind}-${name}`;
}
