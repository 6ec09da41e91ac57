import { getJsonLines, type Archive } from '../../src/archive/archive';
import { inParallel } from '../../src/archive/in-parallel';
import { ChangeRepository } from '../../src/store/monitors/changes';
import { archiveIn } from './temporary-archive';
import type { ChangeHeld } from '../../src/sandbox/monitors/monitors';

/** Changes that the archive does not have seen, delivered to both sinks and acknowledged by us. */
export async function incompleteOnFile(
  folder: string,
  held: readonly ChangeHeld[],
): Promise<string[]> {
  const archive = archiveIn(folder);
  const changes = new ChangeRepository(archive.store, (name) => name);
  const inFiles = await changeIdsInFiles(archive);
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
async function changeIdsInFiles(archive: Archive): Promise<Set<string>> {
  const ids = new Set<string>();
  for (const key of await archive.list('changes/')) {
    const lines = await getJsonLines<{ change_id: string }>(archive, key);
    for (const { change_id: id } of lines ?? []) ids.add(id);
  }
  return ids;
}
