import { StoredBodies } from '../../src/store/erasure/bodies';
import type { Store } from '../../src/store/store';

/** Puts a body where erasures find it, whatever stands there: of a job `<folder>/input` or `<folder>/outcome`. */
export async function putBody(store: Store, key: string, value: unknown): Promise<void> {
  const [, folder, column] = /^(.+)\/(input|outcome)$/.exec(key) ?? [];
  if (folder === undefined) {
    await store.records.replace(key, JSON.stringify(value));
    return;
  }
  const start = { id: folder, kind: 'lens', createdAt: '2026', label: null } as const;
  const isNew = await store.jobs.start(folder, start, column === 'input' ? value : {});
  if (column === 'outcome') {
    const ending = { status: 'completed', needsAttention: false, endedAt: '2026' };
    await store.jobs.endAgain([{ folder, ending, outcome: value }]);
  } else if (!isNew) {
    await store.commit([await new StoredBodies(store).replacement(key, JSON.stringify(value))]);
  }
}

export function bodyAt(store: Store, key: string): Promise<unknown> {
  return new StoredBodies(store).getJson(key);
}
