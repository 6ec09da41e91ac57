import { join } from 'node:path';
import type { BillingTotal } from '../../domain/core/service/billing-totals';
import type { Language } from '../../domain/job';
import type { Asked, Job } from '../jobs/job-kind';
import { printable } from '../jobs/text';

/** What the last lines about a job that has ended say, after how it ended. */
export interface Closing {
  job: Pick<Job, 'id' | 'kind' | 'needsAttention'>;
  exitCode: number;
  /** Null: nothing is bought in its name. */
  asked: Asked | null;
  cost: readonly BillingTotal[];
  /** The result folder and its files; null: none was written. */
  result: { folder: string; files: readonly string[] } | null;
}

interface Words {
  asked(asked: Asked): string;
  cost: string;
  report: string;
  result(folder: string, files: string): string;
  noFolder(id: string): string;
  decide(id: string): string;
  failed: string;
  sweep: string;
  nothing: string;
}

const texts: Record<Language, Words> = {
  en: {
    asked: ({ possibleDoubleCharges: twice, requested, reused }) =>
      `requested: ${requested}, reused: ${reused}` +
      (twice > 0 ? `, may have been charged twice: ${twice}` : ''),
    cost: 'cost',
    report: 'report',
    result: (folder, files) => `result: ${folder} (${files}: an export, in the clear)`,
    noFolder: (id) => `the whole: \`diligence result ${id}\``,
    decide: (id) => `left to do: \`diligence inbox show ${id}\` says what can be decided`,
    failed: 'left to do: it has failed for good; the same command with --rerun orders it anew',
    sweep: 'left to do: the next sweep takes up what is left',
    nothing: 'left to do: nothing',
  },
  pt: {
    asked: ({ possibleDoubleCharges: twice, requested, reused }) =>
      `solicitados: ${requested}, reaproveitados: ${reused}` +
      (twice > 0 ? `, talvez cobrados duas vezes: ${twice}` : ''),
    cost: 'custo',
    report: 'relatório',
    result: (folder, files) => `resultado: ${folder} (${files}: exportação, sem máscara)`,
    noFolder: (id) => `tudo: \`diligence result ${id}\``,
    decide: (id) => `a fazer: \`diligence inbox show ${id}\` mostra o que se pode decidir`,
    failed: 'a fazer: falhou em definitivo; o mesmo comando com --rerun pede de novo',
    sweep: 'a fazer: a próxima varredura retoma o que ficou',
    nothing: 'a fazer: nada',
  },
};

/** What was requested and reused, what it cost, where the result is, and what is left to do. */
export function closingLines(closing: Closing, language: Language): string[] {
  const { asked, cost, exitCode, job, result } = closing;
  const words = texts[language];
  const lines = asked === null ? [] : [words.asked(asked)];
  if (cost.length > 0) lines.push(`${words.cost}: ${cost.map(costWords).join(', ')}`);
  if (result !== null) {
    const { files, folder } = result;
    if (files.includes('report.html'))
      lines.push(`${words.report}: ${join(folder, 'report.html')}`);
    lines.push(words.result(folder, files.join(', ')));
  }
  const isSweep = job.kind === 'monitor-sweep' || job.kind === 'monitor-scan';
  const left = exitCode === 0 ? words.nothing : isSweep ? words.sweep : words.failed;
  return [...lines, job.needsAttention ? words.decide(job.id) : left];
}

export function wholeLine(id: string, language: Language): string {
  return texts[language].noFolder(id);
}

/** `2 x charged 20 tokens`: by the words of the service. */
export function costWords({ amount, count, status, unit }: BillingTotal): string {
  const told = [status, amount, unit].filter((word) => word !== null);
  return printable(`${count} x ${told.join(' ')}`);
}
