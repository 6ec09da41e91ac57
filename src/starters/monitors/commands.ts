import { Command } from 'commander';
import { changesCommand } from './changes';
import { listCommand } from './list';
import { reportCommand } from './report';
import { scheduleCommand, scheduleOrders } from './schedule';
import { updateCommand } from './update';
import { withActor, withDetach, withLanguage } from '../cli/flags';
import { start } from '../cli/start-command';
import { planScan, planSweep } from './request';
import { monitorIdsOf, monitorsOption, withTerms, type SweepFlags } from './ids';
import { scanKind, sweepKind } from './kind';
import { decisionEntry } from '../../domain/core/audit';
import { sinkNames } from '../../domain/monitors/delivery';
import { SinkRepository } from '../../store/monitors/sinks';
import { exitCodes, oneOf, printAs, printNote } from '../cli/terminal';
import { openContext, type CommandContext } from '../jobs/context';

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
    sweepLike('sweep', 'Pull, deliver and acknowledge what is open now.'),
    sweepLike(
      'reconcile',
      'Sweep, then walk over all states: what others acknowledged is stored as such.',
    ),
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

/** More than one monitor starts a scan: one probe for each, and sweeps where changes are open. */
function sweepLike(name: 'sweep' | 'reconcile', description: string): Command {
  return withTerms(withLanguage(withDetach(withActor(new Command(name)))))
    .description(description)
    .addOption(monitorsOption())
    .option('--json', 'one JSON document on standard output')
    .addHelpText(
      'after',
      '\nExit codes: 0 all is through; 1 something is left, or it failed; 3 a person must look.',
    )
    .action(async (flags: SweepFlags & { monitors: string }, command: Command) => {
      const ids = await monitorIdsOf(flags.monitors);
      const pass = { ...flags, reconcile: name === 'reconcile' };
      const [only = ''] = ids;
      if (ids.length > 1) await start(command, scanKind, (ctx) => planScan(ctx, ids, pass));
      else await start(command, sweepKind, (ctx) => planSweep(ctx, only, pass));
    });
}

interface SinkFlags {
  enable?: (typeof sinkNames)[number];
  json?: true;
}

function sinkCommand(): Command {
  return new Command('sink')
    .description('Show where changes go. A sink that answered 410 takes none until it is enabled.')
    .option('--enable <sink>', `ask it again: ${sinkNames.join(', ')}`, oneOf(sinkNames))
    .option('--json', 'one JSON document on standard output')
    .action(async (flags: SinkFlags) => {
      process.exitCode = await showSinks(await openContext(printNote), flags);
    });
}

export async function showSinks(
  { store, audit, environment, reader: { formats, say } }: CommandContext,
  { enable, json }: SinkFlags,
): Promise<number> {
  const known = new SinkRepository(store);
  if (enable !== undefined) {
    const who = { jobId: `sink/${enable}`, by: environment.actor };
    await audit.append([decisionEntry('enabled', who)]);
    await known.enable(enable);
  }
  const sinks = (await known.now(environment.monitorSinks)).map(({ name, required, disabled }) => {
    return { name, required, disabledAt: disabled?.at ?? null, why: disabled?.why ?? null };
  });
  const lines = sinks.map(({ name, required, disabledAt, why }) => {
    const state =
      disabledAt === null
        ? say('takes changes', 'recebe alterações')
        : say(
            `disabled since ${disabledAt}: ${why}`,
            `desativado desde ${formats.instant(disabledAt)}: ${why}`,
          );
    const waited = required ? say('required', 'obrigatório') : say('not waited for', 'opcional');
    return `${name.padEnd(8)}  ${waited}  ${state}`;
  });
  printAs(json, { sinks }, lines);
  return sinks.some(({ disabledAt }) => disabledAt !== null)
    ? exitCodes.needsAttention
    : exitCodes.done;
}
