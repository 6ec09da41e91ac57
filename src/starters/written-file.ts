import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Whole or not at all, for its owner alone: what was there before stays until it is complete. */
export async function writeWhole(folder: string, name: string, text: string): Promise<void> {
  const aside = join(folder, `.${name}.partial`);
  await writeFile(aside, text, { mode: 0o600 });
  await rename(aside, join(folder, name));
}
