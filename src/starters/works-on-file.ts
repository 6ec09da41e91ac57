import { workFolder } from '../archive/works';
import type { WorkRecord } from '../domain/work';
import type { Workplace } from './workplace';

export interface WorkOnFile {
  folder: string;
  record: WorkRecord;
}

/**
 * A work by the id that its command printed. A single issuance has one id for every time it was
 * asked for: the last one is meant. `newest` looks for later runs of a batch too.
 */
export async function findWork(
  place: Workplace,
  id: string,
  which: 'named' | 'newest' = 'named',
): Promise<WorkOnFile | null> {
  if (!/^[\w/-]+$/.test(id) || id.split('/').includes('')) return null;
  const folder = workFolder(id);
  const record = await place.works.record(folder);
  if (record !== null && which === 'named') return { folder, record };
  const keys = await place.archive.list(`${folder}/`);
  const instants = keys.filter((key) => /\/\d{8}T\d+Z\/work\.json$/.test(key));
  const newest = instants.at(-1);
  if (newest === undefined) return record === null ? null : { folder, record };
  const newestFolder = newest.slice(0, -'/work.json'.length);
  const found = await place.works.record(newestFolder);
  return found === null ? null : { folder: newestFolder, record: found };
}

/** Every work of the archive, newest first. */
export async function worksOnFile(place: Workplace): Promise<WorkOnFile[]> {
  const keys = await place.archive.list('works/');
  const found: WorkOnFile[] = [];
  for (const key of keys) {
    if (!key.endsWith('/work.json') || key.includes('/decisions/')) continue;
    const folder = key.slice(0, -'/work.json'.length);
    const record = await place.works.record(folder);
    if (record !== null) found.push({ folder, record });
  }
  return found.sort((a, b) => b.record.createdAt.localeCompare(a.record.createdAt));
}
