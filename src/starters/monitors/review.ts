import { ChangeQueries } from '../../store/monitors/change-queries';
import { printAs } from '../cli/terminal';
import type { CommandContext } from '../jobs/context';
import { CommandError, UsageError, noteMissing } from '../jobs/errors';
import { recordsOf } from './stored-changes';

/** Job ids begin with a kind and a slash; change ids with `change/`. */
export function isChangeId(id: string): boolean {
  return id.startsWith('change/');
}

/**
 * Stores that a person has acknowledged a change. The service is not called.
 * @param id `change/ID`, or `change/MONITOR/ID` where two monitors have the same change id
 */
export async function acknowledgeChange(
  ctx: CommandContext,
  id: string,
  { note, json }: { note: string; json: boolean },
): Promise<number> {
  const { audit, environment, reader } = ctx;
  if (note.trim() === '') throw new UsageError(noteMissing);
  const [first = '', ...rest] = id.replace(/^change\//, '').split('/');
  const changeId = rest.length === 0 ? first : rest.join('/');
  const monitorId = rest.length === 0 ? await monitorOf(ctx, changeId) : first;
  const { changes } = recordsOf(ctx);
  if ((await changes.get(monitorId, changeId)) === null)
    throw new CommandError([
      `no change ${changeId} of monitor ${monitorId} is stored`,
      `nenhuma alteração ${changeId} do monitor ${monitorId} está registrada`,
    ]);
  const at = new Date().toISOString();
  const by = environment.actor;
  await audit.append([
    {
      kind: 'decision',
      id: `review/${monitorId}/${changeId}/${at}`,
      result: 'acknowledge',
      by,
      happenedAt: at,
      job: `monitor/${monitorId}`,
    },
  ]);
  await changes.putReview(monitorId, changeId, { at, by, note });
  printAs(json, { monitorId, changeId, at, by, note }, [
    reader.say(
      `change ${changeId} of monitor ${monitorId}: reviewed by ${by}`,
      `alteração ${changeId} do monitor ${monitorId}: revisada por ${by}`,
    ),
  ]);
  return 0;
}

async function monitorOf({ store }: CommandContext, changeId: string): Promise<string> {
  const found = await new ChangeQueries(store).monitorsWith(changeId);
  const [first, second] = found;
  if (first === undefined)
    throw new CommandError([
      `no change ${changeId} is stored`,
      `nenhuma alteração ${changeId} está registrada`,
    ]);
  if (second === undefined) return first;
  throw new UsageError([
    `${found.length} monitors have a change ${changeId}: name it as change/MONITOR/CHANGE`,
    `${found.length} monitores têm uma alteração ${changeId}: indique-a como change/MONITOR/ALTERAÇÃO`,
  ]);
}
