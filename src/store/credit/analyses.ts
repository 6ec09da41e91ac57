import { createHash } from 'node:crypto';
import type { AnalysisOutcome, AnalysisRecord } from '../../domain/credit/work';
import type { ResultFilter } from '../../domain/credit/operation';
import { analysisEnd } from '../../domain/job';
import { lastAsked, type Asked } from '../core/asked';
import { keySegment, type RecordRepository } from '../records';
import type { Store } from '../store';

/** Analyses of the credit service on file: what was asked for, and how it ended. */
export class AnalysisFile {
  readonly #records: RecordRepository;

  constructor({ records }: Store) {
    this.#records = records;
  }

  record(folder: string): Promise<AnalysisRecord | null> {
    return this.#records.getJson<AnalysisRecord>(`${folder}/asked.json`);
  }

  /** Durable: the work can be started once it is there. */
  async putRecord(folder: string, record: AnalysisRecord): Promise<void> {
    const { workId: id, createdAt } = record;
    await this.#records.putJson(`${folder}/asked.json`, record, {
      starts: { id, kind: 'credit-analysis', createdAt, label: null },
    });
  }

  /** Null before the end. */
  outcome(folder: string): Promise<AnalysisOutcome | null> {
    return this.#records.getJson<AnalysisOutcome>(`${folder}/outcome.json`);
  }

  /** The first one filed stays; returns the one that stands. */
  async putOutcome(folder: string, outcome: AnalysisOutcome): Promise<AnalysisOutcome> {
    const { workId: id, settledAt: endedAt, status } = outcome;
    return this.#records.putFirst(`${folder}/outcome.json`, outcome, {
      ends: { id, endedAt, ...analysisEnd(status) },
    });
  }

  /** Null unless the service took the upload with an answer in which no id was found. */
  unreadAnswer(folder: string): Promise<Buffer | null> {
    return this.#records.get(unreadAnswerKey(folder));
  }

  async putUnreadAnswer(folder: string, answer: Buffer): Promise<void> {
    await this.#records.putIfAbsent(unreadAnswerKey(folder), answer);
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
    const keys = await this.#records.list(`analyses/${name}/`);
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
  newest(name: string): Promise<Asked<AnalysisRecord> | null> {
    return lastAsked(this.#records, `analyses/${name}/`);
  }
}

/** Goes with the folder when it is erased. */
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
