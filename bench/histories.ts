import { Client, Connection } from '@temporalio/client';

export interface HistorySums {
  events: number;
  runs: number;
  mostInARun: number;
  /** Bytes of the largest payload in any of them. */
  largestPayload: number;
}

/** Sums over a workflow, every run of it, and all that it started. */
export async function histories(address: string, workId: string): Promise<HistorySums> {
  const connection = await Connection.connect({ address });
  const client = new Client({ connection });
  const sums: HistorySums = { events: 0, runs: 0, mostInARun: 0, largestPayload: 0 };
  const look = async (workflowId: string, runId?: string): Promise<void> => {
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    const events = history.events ?? [];
    sums.events += events.length;
    sums.runs += 1;
    sums.mostInARun = Math.max(sums.mostInARun, events.length);
    for (const event of events) {
      sums.largestPayload = Math.max(sums.largestPayload, largestIn(event));
      const child = event.childWorkflowExecutionStartedEventAttributes?.workflowExecution;
      if (child?.workflowId) await look(child.workflowId, child.runId ?? undefined);
      const next = event.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
      if (next) await look(workflowId, next);
    }
  };
  // Without the id of a run, the newest one is meant.
  const { raw } = await client.workflow.getHandle(workId).describe();
  await look(workId, raw.workflowExecutionInfo?.firstRunId ?? undefined);
  await connection.close();
  return sums;
}

/** Bytes of the largest `data` anywhere in an event. */
function largestIn(value: unknown): number {
  if (value instanceof Uint8Array) return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Math.max(0, ...Object.values(value).map(largestIn));
}
