import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Store } from '../store/store';
import { stalledWorkflows, type StalledWorkflow } from '../temporal/stalled-workflows';

const lookEveryMs = 15_000;

/** Logs when a workflow stalls, and when it resumes. */
export type StandstillObserver = (
  change: 'stands still' | 'goes on',
  about: { job: string; cause?: string },
) => void;

/** Stores which jobs are stalled, so that people see it with no server running. Several workers may check: they store the same. */
export class Standstill {
  readonly #store: Store;
  readonly #observe: StandstillObserver;
  /** By workflow id. */
  #standing = new Map<string, StalledWorkflow>();

  constructor(store: Store, observe: StandstillObserver) {
    this.#store = store;
    this.#observe = observe;
  }

  /** Stalled workflows at the last check. */
  get count(): number {
    return this.#standing.size;
  }

  /** Checks until the signal; retries when server or store do not answer. */
  async watch(client: Client, taskQueue: string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.look(client, taskQueue).catch(() => undefined);
      await sleep(lookEveryMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  async look(client: Client, taskQueue: string): Promise<void> {
    const found = await stalledWorkflows(client, taskQueue);
    const now = new Map(found.map((one) => [one.workflowId, one]));
    const before = this.#standing;
    this.#standing = now;
    for (const one of now.values())
      if (!before.has(one.workflowId))
        this.#observe('stands still', { job: nameOf(one), cause: one.cause });
    for (const one of before.values())
      if (!now.has(one.workflowId)) this.#observe('goes on', { job: nameOf(one) });
    await this.#note(now);
  }

  async #note(stalled: ReadonlyMap<string, StalledWorkflow>): Promise<void> {
    const { inbox, jobs } = this.#store;
    const noted = await inbox.waiting('stands_still');
    const at = new Date().toISOString();
    for (const { folder, source } of noted)
      if (!stalled.has(workflowIdOf(source))) await inbox.wait(folder, source, null, at);
    const sources = new Set(noted.map(({ source }) => source));
    for (const { workflowId, jobId } of stalled.values()) {
      const source = sourceOf(workflowId);
      if (sources.has(source) || jobId === null) continue;
      const job = await jobs.find(jobId);
      if (job !== null) await inbox.wait(job.folder, source, 'stands_still', at);
    }
  }
}

const prefix = 'standstill:';

/** Separate from what the workflow itself waits for. */
function sourceOf(workflowId: string): string {
  return `${prefix}${workflowId}`;
}

function workflowIdOf(source: string): string {
  return source.slice(prefix.length);
}

function nameOf({ jobId, workflowId }: StalledWorkflow): string {
  return jobId ?? workflowId;
}
