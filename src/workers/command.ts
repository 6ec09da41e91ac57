import { Command, InvalidArgumentError, Option } from 'commander';
import { roleNames, type RoleName } from './role-names';
import type { WorkerFlags } from './worker-process';

/** `diligence worker`: the worker process. */
export function workerCommand(): Command {
  return new Command('worker')
    .description('Run a worker against the Temporal server of TEMPORAL_ADDRESS.')
    .option(
      '--roles <list>',
      `comma separated: ${roleNames.join(', ')} (default: all whose service is configured)`,
      parseRoles,
    )
    .option('--log-level <level>', 'debug, info, warn or error', 'info')
    .addOption(
      new Option(
        '--embedded',
        'with the payload keys of the data directory, as `dev` starts it',
      ).hideHelp(),
    )
    .action(async (flags: WorkerFlags) => {
      // Loaded on demand: `--help` of all commands needs no worker.
      const { runWorkerProcess } = require('./worker-process') as typeof import('./worker-process');
      await runWorkerProcess(flags);
    });
}

function parseRoles(text: string): RoleName[] {
  return text.split(',').map((word) => {
    const role = roleNames.find((known) => known === word.trim());
    if (role !== undefined) return role;
    throw new InvalidArgumentError(`${word}: expected some of ${roleNames.join(', ')}`);
  });
}
