import { MonitorPasses } from '../archive/monitor-passes';
import {
  needsAttention,
  remarkWords,
  type SweepCounts,
  type SweepOutcome,
} from '../domain/monitors/sweep';
import { watchStatus, type PassOnFile, type WatchOutcome } from '../domain/monitors/watch';
import type { EngineClient } from '../temporal/connection';
import {
  sweepProgressQuery,
  watchProgressQuery,
  type SweepProgress,
  type WatchProgress,
} from '../workflows/messages';
import { exitCodes } from './terminal';
import type { Workplace } from './workplace';

/** The last look at each page of a list. */
export async function passesOf(
  { archive }: Pick<Workplace, 'archive'>,
  list: string,
  pages: number,
): Promise<PassOnFile[]> {
  const passes = new MonitorPasses(archive);
  const numbers = Array.from({ length: pages }, (_, page) => page);
  const found = await Promise.all(numbers.map((page) => passes.pass(list, page)));
  return found.filter((pass) => pass !== null);
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
  return `${looked} of ${monitors} monitors looked at, ${underWay} sweeps under way, ${acknowledged} changes acknowledged, ${failing} failing${cancelling ? ', cancelling' : ''}`;
}

function countWords({ filed, delivered, acknowledged, elsewhere }: SweepCounts): string {
  const others = elsewhere === 0 ? '' : `, ${elsewhere} acknowledged elsewhere or gone`;
  return `${filed} new, ${delivered} delivered, ${acknowledged} acknowledged${others}`;
}

export function sweepLines(outcome: SweepOutcome): string[] {
  const { monitorId, status, counts, standing, fault, reconciled, remarks, stopped } = outcome;
  return [
    `${monitorId}: ${status}: ${countWords(counts)}`,
    ...(standing.stuck === 0
      ? []
      : [
          `  ${standing.stuck} changes could not be brought through and stay open (${standing.escalated} need a person)`,
        ]),
    ...(standing.unreadable === 0
      ? []
      : [`  ${standing.unreadable} items of the list cannot be read; they are kept`]),
    ...(reconciled === null
      ? []
      : [`  ${reconciled.found} that others had acknowledged before were put on file`]),
    ...(fault === null ? [] : [`  ${fault.fault}: ${fault.message}`]),
    ...(stopped === null ? [] : [`  ${stopped}: a later sweep goes on with what is open`]),
    ...remarks.map((remark) => `  ${remarkWords[remark]}`),
  ];
}

export function watchLines(outcome: WatchOutcome): string[] {
  const { counts, stopped } = outcome;
  return [
    `${counts.looked} monitors looked at: ${counts.sweeps} sweeps, ${counts.filed} new changes, ${counts.acknowledged} acknowledged`,
    ...(counts.running === 0 ? [] : [`  ${counts.running} are being swept already: left alone`]),
    ...(counts.blocked === 0 ? [] : [`  ${counts.blocked} may not run: they detect nothing`]),
    ...(counts.partly + counts.failed === 0
      ? []
      : [`  ${counts.partly} sweeps left something open, ${counts.failed} failed`]),
    ...(counts.leftRunning === 0 ? [] : [`  ${counts.leftRunning} sweeps go on`]),
    ...(stopped === null ? [] : [`  stopped: ${stopped}`]),
    ...(counts.failing === 0 ? [] : [`  ${counts.failing} could not be looked at:`]),
  ];
}

export function sweepExitCode(outcome: SweepOutcome): number {
  if (outcome.status === 'failed') return exitCodes.failed;
  const { stuck, unreadable } = outcome.standing;
  // What a cancelled sweep had not come to yet waits for the next one: nobody needs to look.
  const isCancelled = outcome.stopped !== null && outcome.fault === null;
  const isThrough = outcome.status === 'swept' || (isCancelled && stuck + unreadable === 0);
  return isThrough && !needsAttention(outcome) ? exitCodes.done : exitCodes.needsAPerson;
}

export function watchExitCode(outcome: WatchOutcome): number {
  const status = watchStatus(outcome);
  if (status === 'failed') return exitCodes.failed;
  return status === 'swept' ? exitCodes.done : exitCodes.needsAPerson;
}
