import { join } from 'node:path';
import type { BillingTotal } from '../../domain/core/service/billing-totals';
import type { Reader } from '../../report/reader';
import { stateWord } from '../../report/words';
import type { RequestCounts, Job } from '../jobs/job-kind';
import { printable } from '../jobs/text';

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
