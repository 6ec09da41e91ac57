import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Whole or not at all, for its owner alone: what was there before stays until it is complete. */
export async function writeWhole(folder: string, name: string, text: string): Promise<void> {
  const aside = join(folder, `.${name}.partial`);
  await writeFile(aside, text, { mode: 0o600 });
  await rename(aside, join(folder, name));
}

/** Removes the files that are of these names and not kept; those of other names stay. */
export async function removeOthers(
  folder: string,
  ours: RegExp,
  kept: ReadonlySet<string>,
): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  for (const name of names) {
    if (ours.test(name) && !kept.has(name)) await rm(join(folder, name), { force: true });
  }
}
