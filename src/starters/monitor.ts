import { Command } from 'commander';
import { changesCommand } from './monitor-changes';
import { followCommand } from './monitor-follow';
import { listCommand } from './monitor-list';
import { reportCommand } from './monitor-report';
import { reviewCommand } from './monitor-review';
import { scheduleCommand, scheduleOrders } from './monitor-schedule';
import { sinkCommand } from './monitor-sink';
import { reconcileCommand, sweepCommand } from './monitor-sweep';
import { updateCommand } from './monitor-update';

/** `diligence monitor`. */
export function monitorCommand(): Command {
  const command = new Command('monitor').description(
    'Changes that monitors detect: pulled, delivered and acknowledged.',
  );
  const commands = [
    sweepCommand(),
    reconcileCommand(),
    scheduleCommand(),
    ...scheduleOrders(),
    listCommand(),
    updateCommand(),
    changesCommand(),
    reviewCommand(),
    reportCommand(),
    followCommand(),
    sinkCommand(),
  ];
  for (const one of commands) command.addCommand(one);
  return command;
}
