import { resolve, join } from 'node:path';
import type { BillingTotal } from '../../domain/core/service/billing-totals';
import type { OutputTerms } from '../../domain/job';
import type { Reader } from '../../report/reader';
import { stateWord } from '../../report/words';
import type { CommandContext } from '../jobs/context';
import { requestsOf, envelopeOf, exitCodeOfJob } from '../jobs/envelope';
import { UsageError } from '../jobs/errors';
import { exportJob, outputTerms } from '../jobs/export-job';
import { endedJob, nextStep, viewJob, type JobView } from '../jobs/find-job';
import type { EndedJob, Job, JobKind, RequestCounts } from '../jobs/job-kind';
import { markFolder } from '../jobs/named-job';
import { printable } from '../jobs/text';
import { refuseUnwritable } from '../jobs/written-file';
import type { StartFlags } from './flags';
import { findingsLines } from './findings-table';
import { progressLine } from './progress';
import { onScreen, print, printJson, printLine } from './terminal';

export type ResultFlags = Pick<StartFlags, 'out' | keyof OutputTerms> & { json?: boolean };

/** Writes the result folder of a job, and prints its outcome, or how it stands. Returns the exit code. */
export async function printResult<Input, Outcome>(
  ctx: CommandContext,
  kind: JobKind<Input, Outcome>,
  job: Job<Input, Outcome>,
  { out, json = false, ...how }: ResultFlags,
): Promise<number> {
  const target = resolve(out ?? defaultFolder(job.id));
  if (kind.export !== undefined) await refuseUnwritable(target);
  const terms = outputTerms(ctx, how, job.output);
  const files =
    job.outcome === null && kind.exportSoFar !== undefined
      ? await kind.exportSoFar(ctx, job, target, terms)
      : await exportJob(ctx, kind, endedJob(job), { ...terms, folder: target });
  const folder = files.length > 0 ? target : null;
  if (folder !== null) await markFolder(folder, job.id);
  const view = await viewJob(ctx, kind, job);
  await printView(onScreen(ctx, { json, lang: terms.lang }, null), kind, view, json, folder, files);
  return exitCodeOfJob(view.job);
}

/** Every row of an ended job, one JSON object a line. Returns the exit code. */
export async function printRows(ctx: CommandContext, kind: JobKind, job: Job): Promise<number> {
  if (kind.rows === undefined)
    throw new UsageError([
      `--rows: ${job.id} has no rows; it is for batches`,
      `--rows: ${job.id} não tem linhas; vale para lotes`,
    ]);
  for await (const row of kind.rows(ctx, endedJob(job))) await printLine(JSON.stringify(row));
  return exitCodeOfJob(job);
}

/** A job, open or ended, in the context's language. @param folder with the files that were written */
export async function printView(
  ctx: CommandContext,
  kind: JobKind,
  view: JobView,
  json: boolean,
  folder: string | null = null,
  files: readonly string[] = [],
): Promise<void> {
  if (json) return printJson(await envelopeOf(ctx, kind, view, folder));
  const { job, state, progress } = view;
  const { formats, language, say } = ctx.reader;
  const ended = say(`ended ${job.endedAt}`, `terminou em ${formats.instant(job.endedAt ?? '')}`);
  if (folder === null) print(`${job.id}: ${state === null ? ended : stateWord(state, language)}`);
  if (state === null) {
    const result = folder === null ? null : { folder, files };
    const lines = await endedLines(ctx, kind, endedJob(job), result);
    for (const line of lines) print(line);
    return;
  }
  if (progress !== null) print(`  ${progressLine(progress, null, Date.now(), ctx.reader)}`);
  else if (state === 'running') print(say('  no worker answers', '  nenhum worker responde'));
  const next = nextStep(state, ctx.reader);
  if (next !== null) print(`  ${next}`);
  if (folder === null) return;
  const names = files.join(', ');
  print(
    say(
      `not ended: what stands so far is in ${folder} (${names})`,
      `não terminou: o que já existe está em ${folder} (${names})`,
    ),
  );
}

async function endedLines(
  ctx: CommandContext,
  kind: JobKind,
  job: EndedJob<unknown, unknown>,
  result: Closing['result'],
): Promise<string[]> {
  const { reader, store } = ctx;
  const { say } = reader;
  const [first = '', ...more] = (await kind.lines(job, ctx)).map(printable);
  // An erasure by age has left only the status.
  const isErased = (job.outcome as { erased?: true }).erased === true;
  const erased = say(
    '  erased     what the service reported is no longer stored',
    '  eliminado  o que o serviço informou já não está armazenado',
  );
  const found = await kind.findings?.(job, store);
  const isWhole = result !== null || found === undefined || found.result === null;
  const requests = await requestsOf(ctx, kind, job);
  const cost = (await kind.cost?.(job, ctx)) ?? [];
  const closing = { job, exitCode: exitCodeOfJob(job), requests, cost, result };
  return [
    first,
    ...(isErased ? [erased] : []),
    ...more,
    ...(found === undefined ? [] : findingsLines(found, process.stdout.columns ?? 80, reader)),
    ...(isWhole ? [] : [`${say('the whole', 'tudo')}: \`diligence result ${job.id}\``]),
    ...closingLines(closing, reader),
  ];
}

/** `out/<kind>-<start of the id>`, stable for a job. */
function defaultFolder(id: string): string {
  const [kind = 'job', ...rest] = id.split('/');
  return `out/${kind}-${rest.map((word) => word.slice(0, 16)).join('-')}`;
}

export interface Closing {
  job: Pick<Job, 'id' | 'kind' | 'needsAttention'>;
  exitCode: number;
  /** Null: the job sends no chargeable requests itself. */
  requests: RequestCounts | null;
  cost: readonly BillingTotal[];
  /** The result folder and its files; null: none was written. */
  result: { folder: string; files: readonly string[] } | null;
}

export function closingLines(closing: Closing, reader: Reader): string[] {
  const { requests, cost, result } = closing;
  const { say } = reader;
  const lines: string[] = [];
  if (requests !== null) {
    const { possibleDoubleCharges: twice, requested, reused } = requests;
    const doubt = say(', may have been charged twice: ', ', talvez cobrados duas vezes: ');
    const words = say(
      `requested: ${requested}, reused: ${reused}`,
      `solicitados: ${requested}, reaproveitados: ${reused}`,
    );
    lines.push(twice > 0 ? `${words}${doubt}${twice}` : words);
  }
  if (cost.length > 0)
    lines.push(`${say('cost', 'custo')}: ${cost.map((one) => costWords(one, reader)).join(', ')}`);
  if (result !== null) {
    const { files, folder } = result;
    if (files.includes('report.html'))
      lines.push(`${say('report', 'relatório')}: ${join(folder, 'report.html')}`);
    const clear = say('an export, in the clear', 'exportação, sem máscara');
    lines.push(`${say('result', 'resultado')}: ${folder} (${files.join(', ')}: ${clear})`);
  }
  return [...lines, `${say('left to do', 'pendências')}: ${leftToDo(closing, reader)}`];
}

function leftToDo({ exitCode, job }: Closing, { say }: Reader): string {
  const show = `\`diligence inbox show ${job.id}\``;
  if (job.needsAttention)
    return say(`${show} says what can be decided`, `${show} mostra as ações possíveis`);
  if (exitCode === 0) return say('nothing', 'nenhuma');
  if (job.kind === 'monitor-sweep' || job.kind === 'monitor-scan')
    return say('the next sweep takes up what is left', 'a próxima varredura retoma o que ficou');
  return say(
    'it has failed for good; the same command with --rerun orders it anew',
    'falhou em definitivo; o mesmo comando com --rerun pede de novo',
  );
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
