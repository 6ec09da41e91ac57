import { resolve, join } from 'node:path';
import type { OutputTerms } from '../../domain/job';
import type { Reader } from '../../report/reader';
import { type CommandContext } from '../jobs/context';
import { requestsOf, envelopeOf, exitCodeOfJob } from '../jobs/envelope';
import { exportJob, outputTerms } from '../jobs/export-job';
import { endedJob, nextStep, viewJob, type JobView } from '../jobs/find-job';
import type { Job, JobKind, RequestCounts } from '../jobs/job-kind';
import { markFolder } from '../jobs/named-job';
import { UsageError } from '../jobs/errors';
import { printable } from '../jobs/text';
import { stateWord } from '../../report/words';
import { findingsLines } from './findings-table';
import { progressLine } from './progress';
import { print, printJson, printLine, onScreen } from './terminal';
import type { BillingTotal } from '../../domain/core/service/billing-totals';

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

/** The last lines about an ended job, after its outcome. */
export interface Closing {
  job: Pick<Job, 'id' | 'kind' | 'needsAttention'>;
  exitCode: number;
  /** Null: the job sends no chargeable requests itself. */
  requests: RequestCounts | null;
  cost: readonly BillingTotal[];
  /** The result folder and its files; null: none was written. */
  result: { folder: string; files: readonly string[] } | null;
}

/** Requests, reuse, cost, the result folder, and next steps. */
export function closingLines(closing: Closing, reader: Reader): string[] {
  const { requests, cost, result } = closing;
  const { say } = reader;
  const lines = requests === null ? [] : [requestWords(requests, reader)];
  if (cost.length > 0) {
    const words = cost.map((one) => costWords(one, reader));
    lines.push(`${say('cost', 'custo')}: ${words.join(', ')}`);
  }
  if (result !== null) {
    const { files, folder } = result;
    if (files.includes('report.html'))
      lines.push(`${say('report', 'relatório')}: ${join(folder, 'report.html')}`);
    const names = files.join(', ');
    lines.push(
      say(
        `result: ${folder} (${names}: an export, in the clear)`,
        `resultado: ${folder} (${names}: exportação, sem máscara)`,
      ),
    );
  }
  return [...lines, `${say('left to do', 'pendências')}: ${leftToDo(closing, reader)}`];
}

function requestWords(
  { possibleDoubleCharges: twice, requested, reused }: RequestCounts,
  { say }: Reader,
): string {
  const doubt = say(
    `may have been charged twice: ${twice}`,
    `talvez cobrados duas vezes: ${twice}`,
  );
  const words = say(
    `requested: ${requested}, reused: ${reused}`,
    `solicitados: ${requested}, reaproveitados: ${reused}`,
  );
  return twice > 0 ? `${words}, ${doubt}` : words;
}

function leftToDo({ exitCode, job }: Closing, { say }: Reader): string {
  const show = `\`diligence inbox show ${job.id}\``;
  if (job.needsAttention)
    return say(`${show} says what can be decided`, `${show} mostra as ações possíveis`);
  if (exitCode === 0) return say('nothing', 'nenhuma');
  if (job.kind === 'monitor-sweep' || job.kind === 'monitor-scan') {
    return say('the next sweep takes up what is left', 'a próxima varredura retoma o que ficou');
  }
  return say(
    'it has failed for good; the same command with --rerun orders it anew',
    'falhou em definitivo; o mesmo comando com --rerun pede de novo',
  );
}

export function wholeLine(id: string, { say }: Reader): string {
  return `${say('the whole', 'tudo')}: \`diligence result ${id}\``;
}

/** `2 x charged 20 tokens`, in the service's words. */
export function costWords(
  { amount, count, status, unit }: BillingTotal,
  { language, say }: Reader,
): string {
  const state = status === null ? null : stateWord(status, language);
  const of = unit === 'answer' ? say('answer', 'resposta') : unit;
  const shown = [state, amount, of].filter((word) => word !== null);
  return printable(`${count} x ${shown.join(' ')}`);
}
