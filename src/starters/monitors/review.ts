import { Command } from 'commander';
import { ChangeQueries } from '../../store/monitors/change-queries';
import { ChangeRepository } from '../../store/monitors/changes';
import { refuseUnknownMonitors } from './changes';
import { idOnFile } from './ids';
import { CommandError, UsageError } from '../jobs/errors';
import { exitCodes, namedOnce, print, printJson, tell } from '../cli/terminal';
import { openContext, type CommandContext } from '../jobs/context';

interface ReviewFlags {
  id?: string;
  note: string;
  monitor?: string;
  by?: string;
  json?: true;
}

/** `monitor review`: a person has looked at a change. The service is told nothing. */
export function reviewCommand(): Command {
  return new Command('review')
    .description('Put on record that a person has looked at a change. The service is not told.')
    .argument('[change]', 'id of the change')
    .option('--id <change>', 'the same')
    .requiredOption('--note <text>', 'what was found')
    .option('--monitor <id>', 'of this monitor: when two have a change with this id', idOnFile)
    .option('--by <name>', 'who looked (default: DILIGENCE_ACTOR)')
    .option('--json', 'one JSON document on standard output')
    .action(async (argument: string | undefined, flags: ReviewFlags) => {
      const changeId = namedOnce(argument, flags.id, { flagName: '--id', what: 'changes' });
      if (changeId === undefined)
        throw new UsageError('monitor review: expected the id of a change');
      process.exitCode = await review(await openContext(tell, flags.by), changeId, flags);
    });
}

async function review(
  place: CommandContext,
  changeId: string,
  { note, monitor, json }: ReviewFlags,
): Promise<number> {
  const { store, idKey, audit, environment } = place;
  if (note.trim() === '') throw new UsageError('--note: expected words');
  const changes = new ChangeRepository(store, (text) => idKey.nameOf('document', text));
  if (monitor !== undefined) await refuseUnknownMonitors(place, [monitor]);
  const monitorId = monitor ?? (await monitorOf(place, changeId));
  if ((await changes.get(monitorId, changeId)) === null) {
    throw new CommandError(`no change ${changeId} of monitor ${monitorId} is on file`);
  }
  const at = new Date().toISOString();
  await audit.append([
    {
      kind: 'decision',
      id: `review/${monitorId}/${changeId}/${at}`,
      result: 'reviewed',
      by: environment.actor,
      happenedAt: at,
      work: `monitor/${monitorId}`,
    },
  ]);
  await changes.putReview(monitorId, changeId, { at, by: environment.actor, note });
  if (json === true) printJson({ monitorId, changeId, at, by: environment.actor, note });
  else print(`change ${changeId} of monitor ${monitorId}: looked at by ${environment.actor}`);
  return exitCodes.done;
}

async function monitorOf({ store }: CommandContext, changeId: string): Promise<string> {
  const found = await new ChangeQueries(store).monitorsWith(changeId);
  const [first, second] = found;
  if (first === undefined) throw new CommandError(`no change ${changeId} is on file`);
  if (second === undefined) return first;
  throw new UsageError(
    `${found.length} monitors have a change ${changeId}: name one with --monitor`,
  );
}
