import { Command } from 'commander';
import { decisionEntry } from '../../domain/core/audit';
import { sinkNames } from '../../domain/monitors/delivery';
import { SinkRepository } from '../../store/monitors/sinks';
import { exitCodes, oneOf, print, printJson, printNote } from '../cli/terminal';
import { openContext, type CommandContext } from '../jobs/context';

interface SinkFlags {
  enable?: (typeof sinkNames)[number];
  json?: true;
}

/** `monitor sink`: where changes are delivered, and which sinks are disabled. */
export function sinkCommand(): Command {
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
  if (json === true) printJson({ sinks });
  for (const { name, required, disabledAt, why } of json === true ? [] : sinks) {
    const state =
      disabledAt === null
        ? say('takes changes', 'recebe alterações')
        : say(
            `disabled since ${disabledAt}: ${why}`,
            `desativado desde ${formats.instant(disabledAt)}: ${why}`,
          );
    const waited = required ? say('required', 'obrigatório') : say('not waited for', 'opcional');
    print(`${name.padEnd(8)}  ${waited}  ${state}`);
  }
  return sinks.some(({ disabledAt }) => disabledAt !== null)
    ? exitCodes.needsAttention
    : exitCodes.done;
}
