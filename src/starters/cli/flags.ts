import { Option, type Command } from 'commander';
import { languages, type Language, type OutputTerms } from '../../domain/job';
import { durationMs, oneOf } from './terminal';

export interface StartFlags extends Partial<OutputTerms> {
  dryRun?: true;
  detach?: true;
  out?: string;
  json?: true;
  by?: string;
  lang?: Language;
}

export function withActor(command: Command): Command {
  return command.option(
    '--by <name>',
    'who decides (default: DILIGENCE_ACTOR, else the system user)',
  );
}

export function deadlineOption(): Option {
  return new Option('--deadline <duration>', 'time from a request to its outcome')
    .argParser(durationMs)
    .default(durationMs('24h'), '24h');
}

/** For commands that write sheets, reports and PDFs. @param heeded terms that have an effect */
export function withSheets(
  command: Command,
  heeded: ReadonlySet<string> = new Set(['excel', 'pdfNames']),
): Command {
  if (heeded.has('excel'))
    command.option(
      '--excel',
      'sheets for a spreadsheet program: `;`, BOM, decimal comma, punctuated documents',
    );
  if (heeded.has('html'))
    command.option('--html', 'of a batch: a page for each person too: pages/');
  if (heeded.has('pdfNames'))
    command.option(
      '--pdf-names <names>',
      'id, or reference: line, reference, document (default: id; with --reference that)',
      oneOf(['id', 'reference']),
    );
  return command;
}

export function withLanguage(command: Command): Command {
  return command.option(
    '--lang <language>',
    'language of reports and of the screen: en or pt (default: as the job was started with, DILIGENCE_LANG, the system)',
    oneOf(languages),
  );
}

export function withDetach(command: Command): Command {
  return command.option('--detach', 'start, print the id, and do not wait');
}
