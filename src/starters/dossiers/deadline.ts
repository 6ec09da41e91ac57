import { Option } from 'commander';
import { durationMs } from '../cli/terminal';

/** Dossiers take days, and their reviews as long as people do. */
export function deadlineOption(description: string): Option {
  return new Option('--deadline <duration>', description)
    .argParser(durationMs)
    .default(durationMs('7d'), '7d');
}
