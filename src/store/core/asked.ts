import type { RecordRepository } from '../records';

/** What was asked for, and the folder that holds all of it. */
export interface Asked<R> {
  folder: string;
  record: R;
}

const name = '/asked.json';

/** All below a prefix that ends with a slash. */
export async function newestFirst<R extends { createdAt: string }>(
  records: RecordRepository,
  prefix: string,
): Promise<Asked<R>[]> {
  const found: Asked<R>[] = [];
  for (const folder of await foldersBelow(records, prefix)) {
    const record = await records.getJson<R>(folder + name);
    if (record !== null) found.push({ folder, record });
  }
  return found.sort((a, b) => b.record.createdAt.localeCompare(a.record.createdAt));
}

/** The last one by the name of its folder; null when there is none. */
export async function lastAsked<R>(
  records: RecordRepository,
  prefix: string,
): Promise<Asked<R> | null> {
  const folder = (await foldersBelow(records, prefix)).at(-1);
  if (folder === undefined) return null;
  const record = await records.getJson<R>(folder + name);
  return record === null ? null : { folder, record };
}

async function foldersBelow(records: RecordRepository, prefix: string): Promise<string[]> {
  const keys = await records.list(prefix);
  return keys.filter((key) => key.endsWith(name)).map((key) => key.slice(0, -name.length));
}
