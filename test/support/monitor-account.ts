import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { inParallel } from '../../src/archive/in-parallel';
import { MonitorRecords } from '../../src/archive/monitor-records';
import { archiveAsItIs } from '../../src/archive/open-archive';
import type { ChangeHeld } from '../../src/sandbox/monitors/monitors';

/** Changes that the archive does not have seen, delivered to both sinks and acknowledged by us. */
export async function incompleteOnFile(
  archiveFolder: string,
  held: readonly ChangeHeld[],
): Promise<string[]> {
  const records = new MonitorRecords(archiveAsItIs(archiveFolder), (name) => name);
  const inFiles = await changeIdsInFiles(archiveFolder);
  const lacking = await inParallel(held, 16, async ({ monitorId, changeId }) => {
    const file = await records.file(monitorId, changeId, ['file', 'webhook']);
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
async function changeIdsInFiles(archiveFolder: string): Promise<Set<string>> {
  const folder = join(archiveFolder, 'changes');
  const names = await readdir(folder, { recursive: true });
  const ids = new Set<string>();
  for (const name of names.filter((one) => one.endsWith('.ndjson'))) {
    for (const line of (await readFile(join(folder, name), 'utf8')).trimEnd().split('\n')) {
      ids.add((JSON.parse(line) as { change_id: string }).change_id);
    }
  }
  return ids;
}
