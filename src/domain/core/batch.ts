/** Ids of one part are read at once, and driven in one run of the workflow. */
export const batchPartSize = 200;

/** What a batch was asked for once it has been split: one thing, and the work that tells how it ended. */
export interface BatchMember {
  /** Null when it is not asked for. */
  workId: string | null;
  /** It had ended before the batch was asked for, and is not asked again. */
  before: boolean;
}

/** Ids of the works that a batch drives, each once. */
export function drivenWorks(members: readonly BatchMember[]): string[] {
  return [...new Set(members.flatMap(({ workId, before }) => (before ? [] : (workId ?? []))))];
}

/** One of no works has a part too. */
export function partsOfBatch(works: number): number {
  return Math.max(1, Math.ceil(works / batchPartSize));
}
