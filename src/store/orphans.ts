import type { Database } from './database';

/** By then nobody still waits to name them. */
const oldEnoughMs = 2 * 24 * 60 * 60_000;
const namesAtOnce = 500;

/**
 * Removes bytes that no row names: what a process was storing when it was killed, or the power went.
 *
 * @returns how many files are gone
 */
export async function removeOrphans(database: Database, now: number): Promise<number> {
  let removed = 0;
  for (const day of await database.blobs.daysBefore(now - oldEnoughMs)) {
    const names = await database.blobs.namesOf(day);
    for (let from = 0; from < names.length; from += namesAtOnce) {
      const some = names.slice(from, from + namesAtOnce);
      const rows = await database.read<{ blob: string }>({
        sql: `SELECT blob FROM record WHERE blob IN (${some.map(() => '?').join()})`,
        parameters: some,
      });
      const named = new Set(rows.map(({ blob }) => blob));
      for (const name of some.filter((one) => !named.has(one))) {
        await database.blobs.remove(name);
        removed += 1;
      }
    }
  }
  return removed;
}
