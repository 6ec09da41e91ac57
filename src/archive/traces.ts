import {
  traceShelf,
  type CreatedTrace,
  type TraceIntent,
  type TraceOutcome,
  type TraceRecord,
} from '../domain/traces/search';
import { traceEnd } from '../domain/job';
import { getJson, keySegment, type Archive, type PutOptions } from './archive';

/**
 * Searches on file. What the service made stands with the ask (`traces/<name>/`), whoever asked for
 * it again; what a work saw of it stands with the work (`traces/<name>/<instant>/`).
 */
export class TraceFile {
  readonly #archive: Archive;

  constructor(archive: Archive) {
    this.#archive = archive;
  }

  record(folder: string): Promise<TraceRecord | null> {
    return getJson<TraceRecord>(this.#archive, `${folder}/asked.json`);
  }

  /**
   * Durable: the work can be started once it is there.
   *
   * @param label keyed name of its label
   */
  async putRecord(folder: string, record: TraceRecord, label: string | null = null): Promise<void> {
    const { workId: id, createdAt } = record;
    const starts = { id, kind: 'trace', createdAt, label } as const;
    await this.#put(`${folder}/asked.json`, record, { starts });
  }

  /** Null: nothing can have left. */
  intent(name: string): Promise<TraceIntent | null> {
    return getJson<TraceIntent>(this.#archive, `${traceShelf(name)}/intent.json`);
  }

  /**
   * To be durable before anything leaves.
   *
   * @returns the one that stands, and whether it is the one handed in
   */
  async putIntent(name: string, intent: TraceIntent): Promise<TraceIntent & { isNew: boolean }> {
    const isNew = await this.#put(`${traceShelf(name)}/intent.json`, intent);
    const stands = isNew ? intent : await this.intent(name);
    return { ...(stands ?? intent), isNew };
  }

  /** What was to be sent surely was not processed. */
  async removeIntent(name: string): Promise<void> {
    await this.#archive.remove(`${traceShelf(name)}/intent.json`);
  }

  created(name: string): Promise<CreatedTrace | null> {
    return getJson<CreatedTrace>(this.#archive, `${traceShelf(name)}/created.json`);
  }

  /** The first one filed stays, and is returned. */
  async putCreated(name: string, created: CreatedTrace): Promise<CreatedTrace> {
    await this.own(name, created.traceId);
    const isNew = await this.#put(`${traceShelf(name)}/created.json`, created);
    return isNew ? created : ((await this.created(name)) ?? created);
  }

  /** @returns whether the search is of this ask from now on, or was before */
  async own(name: string, traceId: string): Promise<boolean> {
    if (await this.#put(ownerKey(traceId), { name })) return true;
    return (await this.ownerOf(traceId)) === name;
  }

  /** Name of the ask that a search was made for; null: none of ours. */
  async ownerOf(traceId: string): Promise<string | null> {
    return (await getJson<{ name: string }>(this.#archive, ownerKey(traceId)))?.name ?? null;
  }

  answer(folder: string): Promise<Buffer | null> {
    return this.#archive.get(`${folder}/answer.json`);
  }

  /** The search as the service told it at its end. The first one filed stays, and is returned. */
  async putAnswer(folder: string, body: Buffer): Promise<Buffer> {
    const put = await this.#archive.putIfAbsent(`${folder}/answer.json`, body);
    return put === 'stored' ? body : ((await this.answer(folder)) ?? body);
  }

  /** Null before the end. */
  outcome(folder: string): Promise<TraceOutcome | null> {
    return getJson<TraceOutcome>(this.#archive, `${folder}/outcome.json`);
  }

  /** The first one filed stays; returns the one that stands. */
  async putOutcome(folder: string, outcome: TraceOutcome): Promise<TraceOutcome> {
    const { workId: id, settledAt: endedAt } = outcome;
    const ends = { id, endedAt, ...traceEnd(outcome) };
    const isNew = await this.#put(`${folder}/outcome.json`, outcome, { ends });
    return isNew ? outcome : ((await this.outcome(folder)) ?? outcome);
  }

  /** Every search of the archive, or of one ask, newest first. */
  async all(name?: string): Promise<{ folder: string; record: TraceRecord }[]> {
    const found: { folder: string; record: TraceRecord }[] = [];
    const prefix = name === undefined ? 'traces/' : `${traceShelf(name)}/`;
    for (const key of await this.#archive.list(prefix)) {
      if (!key.endsWith('/asked.json')) continue;
      const folder = key.slice(0, -'/asked.json'.length);
      const record = await this.record(folder);
      if (record !== null) found.push({ folder, record });
    }
    return found.sort((a, b) => b.record.createdAt.localeCompare(a.record.createdAt));
  }

  async #put(key: string, content: object, options?: PutOptions): Promise<boolean> {
    const text = JSON.stringify(content, null, 2);
    return (await this.#archive.putIfAbsent(key, text, options)) === 'stored';
  }
}

/** `trace-owners/<id>.json`: which ask a search of the service is of. */
export function ownerKey(traceId: string): string {
  return `trace-owners/${keySegment(traceId)}.json`;
}
