import { Command } from 'commander';
import { withStart } from '../cli/start-flags';
import { profile, profiles } from './request';

export function profileCommand(): Command {
  const lookup = new Command('lookup').description(
    'Look up the asset profile of a CPF, or of each of an input: each answer may be charged for.',
  );
  return new Command('profile')
    .description('Asset profiles of persons.')
    .addCommand(withStart(lookup, { one: profile, many: profiles }));
}
