import type { Client } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { decodeFromPayloadsAtIndex } from '@temporalio/common/lib/internal-non-workflow';
import { temporal } from '@temporalio/proto';
import { inParallel } from '../../src/store/core/in-parallel';
import { eventually } from './diligence-process';

const { EventType } = temporal.api.enums.v1;
type Event = temporal.api.history.v1.IHistoryEvent;

/** What may lengthen a history: all of it seen by a person, or done to the work. */
export interface Lengthening {
  /** States and stages that a person sees, other than the one before, beyond the first end. */
  changes: number;
  /** Updates that were taken or turned away. */
  decisions: number;
  /** Workflow tasks that had to be done again: a worker has died. */
  recoveries: number;
}

export interface MeasuredHistory {
  workflowId: string;
  events: number;
  lengthening: Lengthening;
}

/**
 * Of every ended run of a type of workflow.
 *
 * @param least so many are waited for: an outcome is on file before its workflow has closed, and the
 *   list of those that have closed is a little behind
 */
export async function measuredHistories(
  client: Client,
  type: string,
  least: number,
): Promise<MeasuredHistory[]> {
  let runs: { workflowId: string; runId: string }[] = [];
  const query = `WorkflowType = '${type}' AND ExecutionStatus != 'Running'`;
  await eventually(`${least} ${type} have closed`, async () => {
    runs = [];
    for await (const { workflowId, runId } of client.workflow.list({ query })) {
      runs.push({ workflowId, runId });
    }
    return runs.length >= least;
  });
  return inParallel(runs, 8, async ({ workflowId, runId }) => {
    const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    if (events == null) throw new Error(`no history of ${workflowId}`);
    return { workflowId, events: events.length, lengthening: await lengtheningOf(client, events) };
  });
}

/**
 * 30 events on the straight path, and 8 more for each change, attempt, decision or recovery.
 *
 * @param attempts of the service, beyond the first one
 */
export function overlong(
  histories: readonly MeasuredHistory[],
  attempts: (workflowId: string) => number = () => 0,
): string[] {
  return histories
    .map((one) => ({ ...one, attempts: attempts(one.workflowId) }))
    .filter(({ events, lengthening: { changes, decisions, recoveries }, attempts: more }) => {
      return events > 30 + 8 * (changes + decisions + recoveries + more);
    })
    .map((one) => JSON.stringify(one));
}

async function lengtheningOf(client: Client, events: readonly Event[]): Promise<Lengthening> {
  const decode = (payloads: Payload[] | null | undefined): Promise<unknown> =>
    decodeFromPayloadsAtIndex(client.options.loadedDataConverter, 0, payloads);
  const found = { changes: 0, decisions: 0, recoveries: 0 };
  let ends = 0;
  for (const [index, event] of events.entries()) {
    const { eventType } = event;
    if (
      eventType === EventType.EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT ||
      eventType === EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED
    ) {
      found.recoveries += 1;
    }
    if (eventType === EventType.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED) found.decisions += 1;
    if (isTurnedAway(events, index)) found.decisions += 1;
    // Why it waits for a person is noted in the store.
    const { name } = event.activityTaskScheduledEventAttributes?.activityType ?? {};
    if (name === 'noteWaiting') found.changes += 1;
    // It waits to be tried again, and says so.
    if (event.timerStartedEventAttributes != null) found.changes += 1;
    const completed = event.activityTaskCompletedEventAttributes;
    if (completed == null) continue;
    const told = (await decode(completed.result?.payloads)) as Told | null | undefined;
    const at = Number(completed.scheduledEventId) - 1;
    const scheduled = events[at]?.activityTaskScheduledEventAttributes;
    if (told?.kind === 'settled' && scheduled?.activityType?.name?.startsWith('await') === true) {
      ends += 1;
    }
    if (told?.kind !== 'changed') continue;
    const { seen } = (await decode(scheduled?.input?.payloads)) as { seen: string | null };
    if (told.status !== seen) found.changes += 1;
  }
  return { ...found, changes: found.changes + Math.max(0, ends - 1) };
}

/** What a workflow does by itself: no workflow task comes of it. */
const ownEvents: readonly unknown[] = [
  EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED,
  EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED,
  EventType.EVENT_TYPE_TIMER_STARTED,
  EventType.EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES,
];

/** A workflow task without a cause is what is left of an update that the validator refused. */
function isTurnedAway(events: readonly Event[], index: number): boolean {
  if (events[index]?.eventType !== EventType.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED) return false;
  const after = events[index + 3]?.eventType;
  return (
    ownEvents.includes(events[index - 1]?.eventType) &&
    after !== EventType.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED
  );
}

interface Told {
  kind?: string;
  status?: string;
}
