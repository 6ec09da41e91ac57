import { Command } from 'commander';
import { changesCommand } from './changes';
import { listCommand } from './list';
import { reportCommand } from './report';
import { scheduleCommand, scheduleOrders } from './schedule';
import { sinkCommand } from './sink';
import { reconcileCommand, sweepCommand } from './sweep';
import { updateCommand } from './update';

/** `diligence monitor`. */
export function monitorCommand(): Command {
  const command = new Command('monitor')
    .description('Changes that monitors detect: pulled, delivered and acknowledged.')
    .addHelpText(
      'after',
      `
To try it: \`diligence dev --scenario examples/scenarios/tour.json\` in one terminal, then
\`diligence monitor sweep --monitors 5f0d2f0a-3c11-4b7e-9a55-6d1c0c0a0002\` in another.
\`diligence show|result|cancel\` take \`monitor-sweep/MONITOR\` and \`monitor-scan/SCHEDULE\` for the last one.`,
    );
  const commands = [
    sweepCommand(),
    reconcileCommand(),
    scheduleCommand(),
    ...scheduleOrders(),
    listCommand(),
    updateCommand(),
    changesCommand(),
    reportCommand(),
    sinkCommand(),
  ];
  for (const one of commands) command.addCommand(one);
  return command;
}
