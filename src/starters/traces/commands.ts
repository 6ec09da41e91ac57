import { Command } from 'commander';
import { traceStrategies, type TraceStrategy } from '../../domain/traces/trace';
import { inputFlags, startInput, withBudget, withInput } from '../cli/batch';
import { refuseFlagsBeside, type StartFlags, withStart } from '../cli/flags';
import { start } from '../cli/start-command';
import { oneOf } from '../cli/terminal';
import type { InputFile } from '../jobs/batches/request';
import type { CommandContext } from '../jobs/context';
import { UsageError } from '../jobs/errors';
import { planTrace } from './request';
import { traceBatch } from './batch';
import { traceBatchKind, traceKind } from './kind';
import { traceListCommand } from './list';

type SearchFlags = StartFlags & {
  input?: string;
  target?: string;
  strategy?: TraceStrategy;
};

const targets = 'targets (alvo, email, telefone...)';

/** `diligence trace`. */
export function traceCommand(): Command {
  const command = new Command('trace').description(
    'Searches for an e-mail address, phone number, user name or wallet.',
  );
  command.addCommand(searchCommand());
  command.addCommand(traceListCommand());
  return command;
}

function searchCommand(): Command {
  const search = withInput(withStart(new Command('search'), { deadline: '24h' }), targets, 20);
  return withBudget(search)
    .description(
      'Search for one target, or for each of an input; asked for again, it is the same search.',
    )
    .option('--target <target>', 'an e-mail address, phone, user name or wallet')
    .option(
      '--strategy <strategy>',
      `${traceStrategies.join(' or ')} (default: the service chooses)`,
      oneOf(traceStrategies),
    )
    .action(async (flags: SearchFlags, command: Command) => {
      const { input, target, strategy = null } = flags;
      if ((input === undefined) === (target === undefined)) {
        throw new UsageError([
          '--target or --input: what is searched for? expected one of them',
          '--target ou --input: o que se busca? informe um deles',
        ]);
      }
      const many = (ctx: CommandContext, file: InputFile) => traceBatch(ctx, { ...file, strategy });
      if (await startInput(command, traceBatchKind, many)) return;
      refuseFlagsBeside(['--target', '--target'], [...inputFlags, '--budget'], command);
      const request = { ...flags, target: target ?? '' };
      await start(command, traceKind, (ctx) => planTrace(ctx, request));
    });
}
