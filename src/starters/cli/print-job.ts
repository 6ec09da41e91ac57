import { resolve } from 'node:path';
import type { CommandContext } from '../jobs/context';
import { exitCodeOf } from '../../domain/attention';
import type { Language, OutputTerms } from '../../domain/job';
import { endedJob, nextStep, type JobView } from '../jobs/find-job';
import type { Asked, EndedJob, Job, JobKind } from '../jobs/job-kind';
import { markFolder } from '../jobs/named-job';
import { printable } from '../jobs/text';
import { closingLines, wholeLine, type Closing } from './closing';
import type { JobEnvelope } from './envelope';
import { findingsLines } from './findings-table';
import { progressLine } from './progress';
import { exitCodes, print, printJson } from './terminal';

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
  const files = (await kind.export?.(ctx, ended, target, terms)) ?? [];
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

/** What a command says, else what was said when the job was started. */
export function outputTerms(
  { environment }: Pick<CommandContext, 'environment'>,
  { excel, html, lang, pdfNames }: Partial<OutputTerms>,
  before: OutputTerms | null = null,
): OutputTerms {
  return {
    lang: lang ?? before?.lang ?? environment.language,
    excel: excel ?? before?.excel ?? false,
    html: html ?? before?.html ?? false,
    pdfNames: pdfNames ?? before?.pdfNames ?? 'id',
  };
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

async function askedOf<Input, Outcome>(
  ctx: CommandContext,
  kind: JobKind<Input, Outcome>,
  job: EndedJob<Input, Outcome>,
): Promise<Asked | null> {
  return (await kind.asked?.(job, ctx)) ?? null;
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

export async function envelopeOf(
  ctx: CommandContext,
  kind: JobKind,
  { job, state, progress }: JobView,
  folder: string | null,
): Promise<JobEnvelope> {
  const { id, outcome, status, needsAttention } = job;
  const ended = outcome === null ? null : endedJob(job);
  return {
    id,
    kind: job.kind,
    status: status ?? state ?? 'running',
    needsAttention,
    exitCode: exitCodeOfJob(job),
    outcome: ended && {
      ...((await kind.report?.(ctx, ended, folder)) ?? (ended.outcome as object)),
      ...(await foundIn(ctx, kind, ended)),
    },
    artifacts: ended === null ? [] : await kind.artifacts(ended, ctx),
    requests: ended && (await askedOf(ctx, kind, ended)),
    cost: ended === null ? [] : await kind.cost(ended, ctx),
    folder,
    progress,
  };
}

/** The answer as it came, and as tables; nothing, for a kind without findings. */
async function foundIn(
  { store }: CommandContext,
  kind: JobKind,
  ended: EndedJob<unknown, unknown>,
): Promise<object> {
  const found = await kind.findings?.(ended, store);
  if (found === undefined) return {};
  const { facts, result } = found;
  const sections = found.sections.map(({ name, title, file, rows }) => {
    return { name, title, file, total: rows.length, rows };
  });
  return { result, findings: result === null ? null : { facts, sections } };
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

function exitCodeOfJob({ kind, needsAttention, status }: Job): number {
  if (status !== null) return exitCodeOf(kind, { status, needsAttention });
  return needsAttention ? exitCodes.needsAttention : exitCodes.done;
}

/** `out/<kind>-<start of the id>`, the same for the same job. */
export function defaultFolder(id: string): string {
  const [kind = 'job', ...rest] = id.split('/');
  const name = rest.map((word) => word.slice(0, 16)).join('-');
  return `out/${kind}-${name}`;
}
