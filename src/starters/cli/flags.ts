import { Option, type Command } from 'commander';
import { languages, type Language, type Words } from '../../domain/job';
import { UsageError } from '../jobs/errors';
import { durationMs, oneOf } from './terminal';

/** Flags of all commands that start a job. */
export interface StartFlags {
  deadline: number;
  maxAge?: number;
  rerun?: boolean;
  label?: string;
  dryRun?: true;
  detach?: true;
  out?: string;
  json?: true;
  by?: string;
}

export interface OutputFlags {
  out?: string;
  excel?: true;
  html?: true;
  pdfNames?: 'id' | 'reference';
  lang?: Language;
  detach?: true;
  json?: true;
}

/** @param maxAge default: a result never expires */
export function withStart(
  command: Command,
  { deadline, maxAge }: { deadline: string; maxAge?: string },
): Command {
  const age = durationOption('--max-age <duration>', 'reuse what ended within this time', maxAge);
  return withLanguage(withDetach(withActor(command)))
    .addOption(durationOption('--deadline <duration>', 'time to the outcome', deadline))
    .addOption(age)
    .option('--rerun', 'order it anew although there is a result: it may be charged again')
    .option('--label <text>', 'a word of yours to find it by (`list --label`)')
    .option('--dry-run', 'show what would be requested, send nothing')
    .option('--out <folder>', 'result folder (default: out/<id>)')
    .option('--json', 'one JSON document on standard output');
}

/** For commands that record an actor. */
export function withActor(command: Command): Command {
  return command.option(
    '--by <name>',
    'who decides (default: DILIGENCE_ACTOR, else the system user)',
  );
}

export function deadlineOption(fallback = '24h'): Option {
  return durationOption('--deadline <duration>', 'time from a request to its outcome', fallback);
}

function durationOption(flags: string, description: string, fallback?: string): Option {
  const option = new Option(flags, description).argParser(durationMs);
  return fallback === undefined ? option : option.default(durationMs(fallback), fallback);
}

export function withOutput(command: Command): Command {
  return withLanguage(withSheets(command))
    .option('--out <folder>', 'result folder (default: out/<id>)')
    .option('--json', 'one JSON document on standard output');
}

/** For commands that write sheets, reports and PDFs. */
export function withSheets(command: Command): Command {
  return command
    .option('--excel', 'results.csv for a spreadsheet program: `;`, BOM, punctuated documents')
    .option(
      '--pdf-names <names>',
      'id, or reference: line, reference, document (default: id; with --reference that)',
      oneOf(['id', 'reference']),
    );
}

/** For commands that start a job or show its results: the language is stored with the job. */
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

/**
 * Refuses flags that belong to the other form of a command, instead of ignoring them.
 *
 * @param flags as they are typed: `--dry-run`
 * @param form the argument or flag that selects this form
 * @throws UsageError when one of them was given
 */
export function refuseFlagsBeside(form: Words, flags: readonly string[], command: Command): void {
  const given = command.options.find(
    (option) =>
      flags.includes(option.long ?? '') &&
      command.getOptionValueSource(option.attributeName()) === 'cli',
  );
  if (given !== undefined)
    throw new UsageError([
      `${given.long} does not go with ${form[0]}`,
      `${given.long} não vale junto com ${form[1]}`,
    ]);
}
