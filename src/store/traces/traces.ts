import {
  traceShelf,
  type CreatedTrace,
  type TraceIntent,
  type TraceOutcome,
  type TraceRecord,
} from '../../domain/traces/search';
import { traceEnd } from '../../domain/job';
import { JobsOfKind } from '../core/jobs-of-kind';
import { keySegment } from '../records';
import type { Store } from '../store';

/**
 * Searches on file. What the service made stands with the ask (`traces/<name>/`), whoever asked for
 * it again; what a work saw of it stands with the work (`traces/<name>/<instant>/`).
 */
export class TraceFile extends JobsOfKind<TraceRecord, TraceOutcome> {
  constructor(store: Store) {
    super(store, {
      root: 'traces/',
      start: ({ workId: id }) => ({ id, kind: 'trace' }),
      end: (outcome) => ({ endedAt: outcome.settledAt, ...traceEnd(outcome) }),
    });
  }

  /** Null: nothing can have left. */
  intent(name: string): Promise<TraceIntent | null> {
    return this.store.records.getJson<TraceIntent>(`${traceShelf(name)}/intent.json`);
  }

  /**
   * To be durable before anything leaves.
   *
   * @returns the one that stands, and whether it is the one handed in
   */
  async putIntent(name: string, intent: TraceIntent): Promise<TraceIntent & { isNew: boolean }> {
    const isNew =
      (await this.store.records.putJson(`${traceShelf(name)}/intent.json`, intent)) === 'stored';
    const stands = isNew ? intent : await this.intent(name);
    return { ...(stands ?? intent), isNew };
  }

  /** What was to be sent surely was not processed. */
  async removeIntent(name: string): Promise<void> {
    await this.store.records.remove(`${traceShelf(name)}/intent.json`);
  }

  created(name: string): Promise<CreatedTrace | null> {
    return this.store.records.getJson<CreatedTrace>(`${traceShelf(name)}/created.json`);
  }

  /** The first one filed stays, and is returned. */
  async putCreated(name: string, created: CreatedTrace): Promise<CreatedTrace> {
    await this.own(name, created.traceId);
    return this.store.records.putFirst(`${traceShelf(name)}/created.json`, created);
  }

  /** @returns whether the search is of this ask from now on, or was before */
  async own(name: string, traceId: string): Promise<boolean> {
    const put = await this.store.records.putJson(ownerKey(traceId), { name });
    if (put === 'stored') return true;
    return (await this.ownerOf(traceId)) === name;
  }

  /** Name of the ask that a search was made for; null: none of ours. */
  async ownerOf(traceId: string): Promise<string | null> {
    return (await this.store.records.getJson<{ name: string }>(ownerKey(traceId)))?.name ?? null;
  }

  answer(folder: string): Promise<Buffer | null> {
    return this.store.records.get(`${folder}/answer.json`);
  }

  /** The search as the service told it at its end. The first one filed stays, and is returned. */
  async putAnswer(folder: string, body: Buffer): Promise<Buffer> {
    const put = await this.store.records.putIfAbsent(`${folder}/answer.json`, body);
    return put === 'stored' ? body : ((await this.answer(folder)) ?? body);
  }
}

/** `trace-owners/<id>.json`: which ask a search of the service is of. */
export function ownerKey(traceId: string): string {
  return `trace-owners/${keySegment(traceId)}.json`;
}
