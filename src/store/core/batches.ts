import {
  batchPartSize,
  drivenWorks,
  partsOfBatch,
  type BatchMember,
} from '../../domain/core/batch';
import { toJsonLines } from '../records';
import { JobsOfKind } from './jobs-of-kind';

/** Batches of works: beside what was asked for and the end, what they are of. */
export class BatchRepository<
  I extends { createdAt: string },
  O extends object,
  M extends BatchMember,
> extends JobsOfKind<I, O> {
  /**
   * Durable, the record last: a batch is there when all of it is.
   *
   * @param label keyed name of its label
   */
  async put(
    folder: string,
    record: I,
    members: readonly M[],
    label: string | null = null,
  ): Promise<void> {
    await this.store.subjects.add(
      folder,
      members.flatMap(({ workId }) => workId ?? []),
    );
    await this.store.records.putIfAbsent(membersKey(folder), toJsonLines(members));
    await this.putRecord(folder, record, label);
  }

  /** In the order of the input; null when there is no such batch. */
  members(folder: string): Promise<M[] | null> {
    return this.store.records.getJsonLines<M>(membersKey(folder));
  }

  /** Ids of the works of one part, from 0; null when there is none. */
  async part(folder: string, part: number): Promise<string[] | null> {
    const members = await this.members(folder);
    const ids = members && drivenWorks(members);
    if (ids === null || part >= partsOfBatch(ids.length)) return null;
    return ids.slice(part * batchPartSize, (part + 1) * batchPartSize);
  }
}

function membersKey(folder: string): string {
  return `${folder}/item-works.jsonl`;
}
