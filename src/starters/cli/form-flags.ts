import type { Command } from 'commander';
import { UsageError } from '../jobs/errors';

/**
 * For a command that has two forms: flags of the other one are not taken and left aside.
 *
 * @param flags as they are typed: `--dry-run`
 * @param form what was typed that makes it this form
 * @throws UsageError when one of them was given
 */
export function refuseFlagsBeside(form: string, flags: readonly string[], command: Command): void {
  const given = command.options.find(
    (option) =>
      flags.includes(option.long ?? '') &&
      command.getOptionValueSource(option.attributeName()) === 'cli',
  );
  if (given !== undefined) throw new UsageError(`${given.long} does not go with ${form}`);
}
