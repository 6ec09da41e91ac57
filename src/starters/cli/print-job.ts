import { resolve } from 'node:path';
import type { OutputTerms } from '../../domain/job';
import type { Reader } from '../../report/reader';
import { type CommandContext } from '../jobs/context';
import { requestsOf, envelopeOf, exitCodeOfJob } from '../jobs/envelope';
import { exportJob, outputTerms } from '../jobs/export-job';
import { endedJob, nextStep, viewJob, type JobView } from '../jobs/find-job';
import type { Job, JobKind } from '../jobs/job-kind';
import { markFolder } from '../jobs/named-job';
import { UsageError } from '../jobs/errors';
import { printable } from '../jobs/text';
import { stateWord } from '../../report/words';
import { closingLines, wholeLine, type Closing } from './closing';
import { findingsLines } from './findings-table';
import { progressLine } from './progress';
import { print, printJson, printLine, onScreen } from './terminal';

export interface ResultFlags extends Partial<OutputTerms> {
  out?: string;
  json?: boolean;
}

/** For an outcome of which an erasure by age has left only the status. */
function erasedLine({ say }: Reader): string {
  return say(
    '  erased     what the service reported is no longer stored',
    '  eliminado  o que o serviço informou já não está armazenado',
  );
}

/** Writes the result folder of a job, and prints its outcome, or how it stands. Returns the exit code. */
export async function printResult<Input, Outcome>(
  ctx: CommandContext,
  kind: JobKind<Input, Outcome>,
  job: Job<Input, Outcome>,
  { out, json = false, ...how }: ResultFlags,
): Promise<number> {
  const target = resolve(out ?? defaultFolder(job.id));
  const terms = outputTerms(ctx, how, job.output);
  if (job.outcome === null && kind.exportSoFar !== undefined) {
    const files = await kind.exportSoFar(ctx, job, target, terms);
    await markFolder(target, job.id);
    const view = await viewJob(ctx, kind, job);
    if (json) {
      printJson(await envelopeOf(ctx, kind, view, target));
    } else {
      const shown = onScreen(ctx, terms.lang);
      const { say } = shown.reader;
      await printView(shown, kind, view, false);
      print(
        say(
          `not ended: what stands so far is in ${target} (${files.join(', ')})`,
          `não terminou: o que já existe está em ${target} (${files.join(', ')})`,
        ),
      );
    }
    return exitCodeOfJob(view.job);
  }
  const ended = endedJob(job);
  const files = await exportJob(ctx, kind, ended, { ...terms, folder: target });
  const folder = files.length > 0 ? target : null;
  if (folder !== null) await markFolder(folder, job.id);
  if (json) {
    const view = { job, state: null, progress: null };
    const envelope = await envelopeOf(ctx, kind, view, folder);
    printJson(envelope);
    return envelope.exitCode;
  }
  const shown = onScreen(ctx, terms.lang);
  const { lines } = await shownOutcome(shown, kind, job);
  for (const line of lines) print(line);
  const result = folder === null ? null : { folder, files };
  for (const line of await closingOf(shown, kind, job, result)) print(line);
  return exitCodeOfJob(job);
}

/** Every row of an ended job, one JSON object a line. Returns the exit code. @throws UsageError */
export async function printRows(ctx: CommandContext, kind: JobKind, job: Job): Promise<number> {
  if (kind.rows === undefined)
    throw new UsageError([
      `--rows: ${job.id} has no rows; it is for batches`,
      `--rows: ${job.id} não tem linhas; vale para lotes`,
    ]);
  for await (const row of kind.rows(ctx, endedJob(job))) await printLine(JSON.stringify(row));
  return exitCodeOfJob(job);
}

async function closingOf<Input, Outcome>(
  ctx: CommandContext,
  kind: JobKind<Input, Outcome>,
  job: Job<Input, Outcome>,
  result: Closing['result'],
): Promise<string[]> {
  const ended = endedJob(job);
  const requests = await requestsOf(ctx, kind, ended);
  const cost = await kind.cost(ended, ctx);
  return closingLines({ job, exitCode: exitCodeOfJob(job), requests, cost, result }, ctx.reader);
}

/** A job, open or ended, in the context's language. */
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
  const { reader } = ctx;
  const { language, say } = reader;
  const ended = say(
    `ended ${job.endedAt}`,
    `terminou em ${reader.formats.instant(job.endedAt ?? '')}`,
  );
  print(`${job.id}: ${state === null ? ended : stateWord(state, language)}`);
  if (state === null) {
    const { isFound, lines } = await shownOutcome(ctx, kind, job);
    for (const line of lines) print(line);
    if (isFound) print(wholeLine(job.id, reader));
    for (const line of await closingOf(ctx, kind, job, null)) print(line);
  } else {
    if (progress !== null) print(`  ${progressLine(progress, null, Date.now(), reader)}`);
    else if (state === 'running') print(say('  no worker answers', '  nenhum worker responde'));
    const next = nextStep(state, reader);
    if (next !== null) print(`  ${next}`);
  }
}

/** `isFound`: the store has a response. */
async function shownOutcome(
  ctx: CommandContext,
  kind: JobKind,
  job: Job,
): Promise<{ lines: string[]; isFound: boolean }> {
  const ended = endedJob(job);
  const [first = '', ...more] = (await kind.lines(ended, ctx)).map(printable);
  const isErased = (ended.outcome as { erased?: true }).erased === true;
  const found = await kind.findings?.(ended, ctx.store);
  const tables =
    found === undefined ? [] : findingsLines(found, process.stdout.columns ?? 80, ctx.reader);
  const lines = [first, ...(isErased ? [erasedLine(ctx.reader)] : []), ...more, ...tables];
  return { lines, isFound: found !== undefined && found.result !== null };
}

/** `out/<kind>-<start of the id>`, stable for a job. */
export function defaultFolder(id: string): string {
  const [kind = 'job', ...rest] = id.split('/');
  const name = rest.map((word) => word.slice(0, 16)).join('-');
  return `out/${kind}-${name}`;
}
