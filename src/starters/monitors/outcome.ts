import {
  troublesOf,
  type Reconciled,
  type SweepCounts,
  type SweepOutcome,
} from '../../domain/monitors/sweep';
import { type PassOnFile, type WatchOutcome } from '../../domain/monitors/watch';
import { MonitorListRepository } from '../../store/monitors/lists';
import type { EngineClient } from '../../temporal/connection';
import {
  sweepProgressQuery,
  watchProgressQuery,
  type SweepProgress,
  type WatchProgress,
} from '../../workflows/messages';
import { counted } from '../jobs/text';
import type { CommandContext } from '../jobs/context';

/** The last look at each page of a list. */
export async function passesOf(
  { store }: Pick<CommandContext, 'store'>,
  list: string,
  pages: number,
): Promise<PassOnFile[]> {
  const lists = new MonitorListRepository(store);
  const numbers = Array.from({ length: pages }, (_, page) => page);
  const found = await Promise.all(numbers.map((page) => lists.look(list, page)));
  return found.filter((pass) => pass !== null);
}

/** More of them are told as a count. */
const mostNamed = 20;

/** What looks found of the monitors themselves, and what their sweeps left, with the ids of the first ones. */
export function healthLines(
  passes: readonly Pick<PassOnFile, 'blocked' | 'unknown' | 'unwell' | 'left'>[],
): string[] {
  const unknown = passes.flatMap((pass) => pass.unknown ?? []);
  const reasons = new Map<string, number>();
  for (const { why } of unknown) reasons.set(why, (reasons.get(why) ?? 0) + 1);
  return [
    ...monitorLines(
      'may not run, and detects nothing',
      passes.flatMap(({ blocked }) => blocked),
    ),
    ...monitorLines(
      "the service's own looks at it fail",
      passes.flatMap((pass) => pass.unwell ?? []),
    ),
    ...monitorLines(
      'left by its sweep',
      passes.flatMap((pass) => pass.left ?? []),
    ),
    // Often all of them, for one reason.
    ...[...reasons].map(([why, count]) => `health unknown of ${count}: ${why}`),
  ];
}

/** One line for each, and one for those that are too many. */
export function monitorLines(
  what: string,
  named: readonly { monitorId: string; why: string }[],
): string[] {
  const lines = named.slice(0, mostNamed).map(({ monitorId, why }) => {
    return `${what}: ${monitorId}: ${why}`;
  });
  const more = named.length - lines.length;
  return more > 0 ? [...lines, `and ${more} more`] : lines;
}

/** How a sweep stands, in a line; null when nobody can tell. */
export async function sweepLine(engine: EngineClient, workflowId: string): Promise<string | null> {
  const progress = await sweepProgress(engine, workflowId);
  return progress && sweepProgressLine(progress);
}

/** Null: it does not run, or no worker answers. */
export function sweepProgress(
  { client }: EngineClient,
  workflowId: string,
): Promise<SweepProgress | null> {
  const handle = client.workflow.getHandle(workflowId);
  return handle.query(sweepProgressQuery).catch(() => null);
}

export function sweepProgressLine(progress: SweepProgress): string {
  const { stage, severity, counts, standing, cancelling } = progress;
  const of = severity === null ? '' : ` (${severity})`;
  const stuck = standing.stuck === 0 ? '' : `, ${standing.stuck} stuck`;
  return `${stage}${of}: ${countWords(counts)}${stuck}${cancelling ? ', cancelling' : ''}`;
}

/** The same of a watch. */
export async function watchLine(engine: EngineClient, workflowId: string): Promise<string | null> {
  const progress = await watchProgress(engine, workflowId);
  return progress && watchProgressLine(progress);
}

/** Null: it does not run, or no worker answers. */
export function watchProgress(
  { client }: EngineClient,
  workflowId: string,
): Promise<WatchProgress | null> {
  const handle = client.workflow.getHandle(workflowId);
  return handle.query(watchProgressQuery).catch(() => null);
}

export function watchProgressLine(progress: WatchProgress): string {
  const { monitors, counts, underWay, cancelling } = progress;
  const { looked, acknowledged, failing } = counts;
  return `${looked} of ${counted(monitors, 'monitor')} looked at, ${counted(underWay, 'sweep')} under way, ${counted(acknowledged, 'change')} acknowledged, ${failing} failing${cancelling ? ', cancelling' : ''}`;
}

function countWords({ filed, delivered, acknowledged, elsewhere }: SweepCounts): string {
  const others = elsewhere === 0 ? '' : `, ${elsewhere} acknowledged elsewhere or gone`;
  return `${filed} new, ${delivered} delivered, ${acknowledged} acknowledged${others}`;
}

export function sweepLines(outcome: SweepOutcome): string[] {
  const { monitorId, status, counts, reconciled, stopped } = outcome;
  return [
    `${monitorId}: ${status}: ${countWords(counts)}`,
    ...troublesOf(outcome).map((words) => `  ${words.replace('MONITOR', monitorId)}`),
    ...(reconciled === null ? [] : [`  ${walkWords(reconciled)}`]),
    ...(stopped === null ? [] : [`  ${stopped}: a later sweep goes on with what is open`]),
    ...(outcome.health ?? []).map((remark) => `  ${remark}`),
  ];
}

function walkWords({ found, fault }: Reconciled): string {
  const what = `${counted(found, 'change')} acknowledged by others and not on file before`;
  return fault === null
    ? `a walk over all states put on file ${found === 0 ? 'nothing more' : what}`
    : `a walk over all states did not come to its end: it put on file ${what}`;
}

export function watchLines(outcome: WatchOutcome): string[] {
  const { counts, stopped } = outcome;
  return [
    `${counted(counts.looked, 'monitor')} looked at: ${counted(counts.sweeps, 'sweep')}, ${counted(counts.filed, 'new change')}, ${counts.acknowledged} acknowledged`,
    ...(counts.running === 0 ? [] : [`  ${counts.running} are being swept already: left alone`]),
    ...(counts.blocked === 0 ? [] : [`  ${counts.blocked} may not run: they detect nothing`]),
    ...(counts.partly + counts.failed === 0
      ? []
      : [`  ${counted(counts.partly, 'sweep')} left something open, ${counts.failed} failed`]),
    ...(counts.leftRunning === 0
      ? []
      : [`  left running: ${counted(counts.leftRunning, 'sweep')}`]),
    ...(stopped === null ? [] : [`  stopped: ${stopped}`]),
    ...(counts.failing === 0 ? [] : [`  ${counts.failing} could not be looked at:`]),
  ];
}
