import { decisionFolder, type DecisionRecord } from '../../domain/core/decision';
import type { Store } from '../store';

/** What a person decided about the job of a folder; null when there is no such decision. */
export function decisionOf(
  { jobs }: Store,
  folder: string,
  number: number,
): Promise<DecisionRecord | null> {
  return jobs.input<DecisionRecord>(decisionFolder(folder, number));
}

/** All of them, in order. */
export async function decisionsOf(store: Store, folder: string): Promise<DecisionRecord[]> {
  const found: DecisionRecord[] = [];
  for (let number = 1; ; number += 1) {
    const decision = await decisionOf(store, folder, number);
    if (decision === null) return found;
    found.push(decision);
  }
}
