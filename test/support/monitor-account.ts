import type { Store } from '../../src/store/store';
import { inParallel } from '../../src/store/core/in-parallel';
import { ChangeRepository } from '../../src/store/monitors/changes';
import { storeIn } from './temporary-store';
import { jsonLinesOf } from './stored-bodies';
import type { Sandbox } from '../../src/sandbox';

/** Changes that the store does not have seen, delivered to both sinks and acknowledged by us. */
export async function incompleteOnFile(
  folder: string,
  held: ReturnType<Sandbox['monitors']['changes']>,
): Promise<string[]> {
  const store = storeIn(folder);
  const changes = new ChangeRepository(store, (name) => name);
  const inFiles = await changeIdsInFiles(store);
  const lacking = await inParallel(held, 16, async ({ monitorId, changeId }) => {
    const file = await changes.get(monitorId, changeId);
    const lacks = [
      ...(file === null ? ['seen'] : []),
      ...(file?.delivered['file'] === undefined ? ['file'] : []),
      ...(file?.delivered['webhook'] === undefined ? ['webhook'] : []),
      ...(file?.acknowledged?.by === 'us'
        ? []
        : [`acknowledged (${file?.acknowledged?.by ?? 'no mark'})`]),
      ...(inFiles.has(changeId) ? [] : ['a line of ndjson']),
    ];
    return lacks.length === 0 ? null : `${changeId}: ${lacks.join(', ')}`;
  });
  return lacking.filter((line) => line !== null);
}

/** What the sink `file` has told. */
async function changeIdsInFiles(store: Store): Promise<Set<string>> {
  const ids = new Set<string>();
  for (const key of await store.records.list('changes/')) {
    const lines = await jsonLinesOf<{ change_id: string }>(store, key);
    for (const { change_id: id } of lines ?? []) ids.add(id);
  }
  return ids;
}
