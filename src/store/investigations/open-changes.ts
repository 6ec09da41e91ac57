import { ChangeQueries, type ReviewedFile } from '../monitors/change-queries';
import type { Store } from '../store';

/** A change, and whether it was still open at the end of the range. */
export interface OpenChange {
  file: ReviewedFile;
  isOpen: boolean;
}

/**
 * Changes of a monitor that were open within a range, in order of first observation.
 *
 * @param from ISO 8601, as `to`
 */
export async function* openChanges(
  store: Store,
  { from, monitorId, to }: { monitorId: string; from: string; to: string },
): AsyncGenerator<OpenChange> {
  const every = new ChangeQueries(store).files({ since: null, monitors: [monitorId] });
  for await (const file of every) {
    const closedAt = file.acknowledged?.at ?? null;
    if (file.stored.seenAt > to || (closedAt !== null && closedAt < from)) continue;
    yield { file, isOpen: closedAt === null || closedAt > to };
  }
}
