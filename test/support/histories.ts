import type { Client } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time';
import { temporal } from '@temporalio/proto';

const { HistoryEvent } = temporal.api.history.v1;
type Event = temporal.api.history.v1.IHistoryEvent;

/** What one run of a workflow has written. */
export interface RunHistory {
  workflowId: string;
  runId: string;
  events: Event[];
}

/** Every run of a workflow that continued as new, the first one first. */
export async function runsOf(client: Client, workflowId: string): Promise<RunHistory[]> {
  const runs: RunHistory[] = [];
  let runId = (await client.workflow.getHandle(workflowId).describe()).runId;
  while (runId !== '') {
    const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    if (events == null) throw new Error(`no history of ${workflowId}`);
    runs.unshift({ workflowId, runId, events });
    runId = events[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId ?? '';
  }
  return runs;
}

/** The histories of a batch and of its lanes, all of their runs. */
export async function historiesOf(client: Client, batchId: string): Promise<RunHistory[]> {
  const runs = await runsOf(client, batchId);
  const lanes = runs
    .flatMap(({ events }) => events)
    .map((event) => event.startChildWorkflowExecutionInitiatedEventAttributes?.workflowId)
    .filter((id) => id != null);
  for (const lane of new Set(lanes)) runs.push(...(await runsOf(client, lane)));
  return runs;
}

export function eventCount(histories: readonly RunHistory[]): number {
  return histories.reduce((sum, { events }) => sum + events.length, 0);
}

/** Bytes of the largest event, which no payload in it can exceed. */
export function largestEventBytes(histories: readonly RunHistory[]): number {
  const sizes = histories.flatMap(({ events }) =>
    events.map((event) => HistoryEvent.encode(event).finish().length),
  );
  return Math.max(...sizes);
}

/**
 * From the first event to the last one. A clock that skips cannot be asked instead: once a workflow
 * has ended, the test server may skip on to its timeout before the question comes.
 */
export function spanMs(events: readonly Event[]): number {
  return tsToMs(events.at(-1)?.eventTime) - tsToMs(events[0]?.eventTime);
}
