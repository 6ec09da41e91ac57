import { createHash } from 'node:crypto';
import type { AnalysisOutcome, AnalysisRecord } from '../domain/credit/work';
import type { ResultFilter } from '../domain/credit/operation';
import { analysisEnd } from '../domain/job';
import { getJson, keySegment, type Archive } from './archive';

/** Analyses of the credit service on file: what was asked for, and how it ended. */
export class AnalysisFile {
  readonly #archive: Archive;

  constructor(archive: Archive) {
    this.#archive = archive;
  }

  record(folder: string): Promise<AnalysisRecord | null> {
    return getJson<AnalysisRecord>(this.#archive, `${folder}/asked.json`);
  }

  /** Durable: the work can be started once it is there. */
  async putRecord(folder: string, record: AnalysisRecord): Promise<void> {
    const { workId: id, createdAt } = record;
    await this.#archive.putIfAbsent(`${folder}/asked.json`, JSON.stringify(record, null, 2), {
      starts: { id, kind: 'credit-analysis', createdAt, label: null },
    });
  }

  /** Null before the end. */
  outcome(folder: string): Promise<AnalysisOutcome | null> {
    return getJson<AnalysisOutcome>(this.#archive, `${folder}/outcome.json`);
  }

  /** The first one filed stays; returns the one that stands. */
  async putOutcome(folder: string, outcome: AnalysisOutcome): Promise<AnalysisOutcome> {
    const key = `${folder}/outcome.json`;
    const { workId: id, settledAt: endedAt, status } = outcome;
    const put = await this.#archive.putIfAbsent(key, JSON.stringify(outcome, null, 2), {
      ends: { id, endedAt, ...analysisEnd(status) },
    });
    return put === 'stored' ? outcome : ((await this.outcome(folder)) ?? outcome);
  }

  /** Null unless the service took the upload with an answer in which no id was found. */
  unreadAnswer(folder: string): Promise<Buffer | null> {
    return this.#archive.get(unreadAnswerKey(folder));
  }

  async putUnreadAnswer(folder: string, answer: Buffer): Promise<void> {
    await this.#archive.putIfAbsent(unreadAnswerKey(folder), answer);
  }

  /**
   * The last time that a thing came to an end, else the last time that it was asked for.
   *
   * @param since folder of the first time that counts: what ended before it is another matter
   */
  async lastEnded(
    name: string,
    since: string,
  ): Promise<{ folder: string; record: AnalysisRecord; outcome: AnalysisOutcome | null } | null> {
    const keys = await this.#archive.list(`analyses/${name}/`);
    const ended = keys.filter((key) => key.endsWith('/outcome.json') && key > since).at(-1);
    if (ended === undefined) {
      const newest = await this.newest(name);
      return newest && { ...newest, outcome: null };
    }
    const folder = ended.slice(0, -'/outcome.json'.length);
    const record = await this.record(folder);
    return record && { folder, record, outcome: await this.outcome(folder) };
  }

  /** The last time that a thing was asked for, by its keyed name; null when it never was. */
  async newest(name: string): Promise<{ folder: string; record: AnalysisRecord } | null> {
    const keys = await this.#archive.list(`analyses/${name}/`);
    const key = keys.filter((one) => one.endsWith('/asked.json')).at(-1);
    if (key === undefined) return null;
    const folder = key.slice(0, -'/asked.json'.length);
    const record = await this.record(folder);
    return record === null ? null : { folder, record };
  }
}

/** Goes with the folder when it is purged. */
export function unreadAnswerKey(folder: string): string {
  return `${folder}/unread-answer`;
}

/** Key of an input as a large object: by the hash of its bytes, whoever sends them. */
export function inputKey(sha256: string): string {
  return `inputs/credit/${sha256.slice(0, 2)}/${sha256}`;
}

/** Key of a result as a large object: by the operation, whoever asked for it. */
export function resultKey(operationId: string, filter: ResultFilter): string {
  return `${operationFolder(operationId)}/${filter}`;
}

export function operationFolder(operationId: string): string {
  const shelf = createHash('sha256').update(operationId).digest('hex').slice(0, 2);
  return `operations/${shelf}/${keySegment(operationId)}`;
}
