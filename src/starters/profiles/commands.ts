import { Command } from 'commander';
import { inputFlags, startInput, withBudget, withInput } from '../cli/batch';
import { refuseFlagsBeside, type StartFlags, withStart } from '../cli/flags';
import { start } from '../cli/start-command';
import type { InputFile } from '../jobs/batches/request';
import type { CommandContext } from '../jobs/context';
import { UsageError } from '../jobs/errors';
import { planProfile } from './request';
import { profileBatch } from './batch';
import { profileBatchKind, profileKind } from './kind';

type LookupFlags = StartFlags & {
  input?: string;
  cpf?: string;
  maxAge: number;
  retryRural?: boolean;
};

/** `diligence profile lookup`. */
export function profileCommand(): Command {
  const command = new Command('profile').description('Asset profiles of persons.');
  command.addCommand(lookupCommand());
  return command;
}

function lookupCommand(): Command {
  const lookup = withStart(new Command('lookup'), { deadline: '15m', maxAge: '7d' });
  return withBudget(withInput(lookup, 'CPFs', 10))
    .description(
      'Look up the asset profile of a CPF, or of each of an input: each answer may be charged for.',
    )
    .option('--cpf <number>', 'eleven digits, punctuated or not')
    .option(
      '--retry-rural',
      'ask once more when the rural part timed out or failed; of a batch: also where it had',
    )
    .option('--html', 'of a batch: a page for each person too: pages/')
    .action(async (flags: LookupFlags, command: Command) => {
      const { cpf, input, maxAge } = flags;
      if ((input === undefined) === (cpf === undefined)) {
        throw new UsageError([
          '--cpf or --input: whose profile? expected one of them',
          '--cpf ou --input: perfil de quem? informe um deles',
        ]);
      }
      const terms = { retryRural: flags.retryRural === true, reuseSince: Date.now() - maxAge };
      const many = (ctx: CommandContext, file: InputFile) =>
        profileBatch(ctx, { ...file, ...terms });
      if (await startInput(command, profileBatchKind, many)) return;
      refuseFlagsBeside(
        ['--cpf', '--cpf'],
        [...inputFlags.filter((flag) => flag !== '--excel'), '--budget'],
        command,
      );
      const request = { ...flags, cpf: cpf ?? '' };
      await start(command, profileKind, (ctx) => planProfile(ctx, request));
    });
}
