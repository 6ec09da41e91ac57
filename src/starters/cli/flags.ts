import { Option, type Command } from 'commander';
import type { IssuingTerms, OnUnknown } from '../../workflows/messages';
import { reportLanguages, type ReportLanguage } from '../../report/formats';
import { durationMs, oneOf } from './terminal';
import type { CommandContext } from '../jobs/context';

/** Flags that the certificate commands share, and what they mean to the engine. */
export interface TermFlags {
  onUnknown: OnUnknown;
  deadline: number;
  maxAge: number;
  fresh?: true;
  by?: string;
}

export interface OutputFlags {
  out?: string;
  excel?: true;
  pdfNames: 'id' | 'reference';
  lang: ReportLanguage;
  detach?: true;
  json?: true;
}

/** What was issued within this time is reused, unless told otherwise. */
export const reuseAgeMs = 7 * 86_400_000;

export function withTerms(command: Command): Command {
  return withActor(command)
    .option(
      '--on-unknown <policy>',
      'a request whose answer was lost: report it, or reissue it once (may be charged twice)',
      oneOf(['report', 'reissue']),
      'report',
    )
    .addOption(deadlineOption())
    .addOption(
      durationOption('--max-age <duration>', 'reuse what was issued within this time', '7d'),
    )
    .option('--fresh', 'reuse nothing, and be a batch of its own');
}

/** For commands that decide something. */
export function withActor(command: Command): Command {
  return command.option(
    '--by <name>',
    'who decides (default: DILIGENCE_ACTOR, else the system user)',
  );
}

export function deadlineOption(): Option {
  return durationOption('--deadline <duration>', 'time from a request to its outcome', '24h');
}

function durationOption(flags: string, description: string, fallback: string): Option {
  return new Option(flags, description)
    .argParser(durationMs)
    .default(durationMs(fallback), fallback);
}

export function withOutput(command: Command): Command {
  return command
    .option('--out <folder>', 'result folder (default: out/<id>)')
    .option('--excel', 'results.csv for a spreadsheet program: `;`, BOM, punctuated documents')
    .option('--pdf-names <names>', 'id or reference', oneOf(['id', 'reference']), 'id')
    .option('--lang <language>', 'language of report.html: en or pt', oneOf(reportLanguages), 'en')
    .option('--json', 'one JSON document on standard output');
}

/** For commands that start work and follow it. */
export function withDetach(command: Command): Command {
  return command.option('--detach', 'start, print the id, and do not wait');
}

export function issuingTerms(
  place: CommandContext,
  flags: TermFlags,
  interactive: boolean,
): IssuingTerms {
  const now = Date.now();
  return {
    reuseSince: flags.fresh === true ? now : now - flags.maxAge,
    rowDeadlineMs: flags.deadline,
    requestUntil: now + flags.deadline,
    onUnknown: flags.onUnknown,
    interactive,
    queueSuffix: place.queueSuffix,
  };
}

export function outputOf(flags: OutputFlags, workflowId: string) {
  return {
    workflowId,
    folder: flags.out ?? defaultFolder(workflowId),
    excel: flags.excel === true,
    pdfNames: flags.pdfNames,
    lang: flags.lang,
    json: flags.json === true,
  };
}

/** `out/<kind>-<start of the id>`, the same for the same work. */
export function defaultFolder(workflowId: string): string {
  const [kind = 'work', ...rest] = workflowId.split('/');
  const name = rest.map((word) => word.slice(0, 16)).join('-');
  return `out/${kind}-${name}`;
}
