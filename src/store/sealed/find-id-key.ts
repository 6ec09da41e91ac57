import { chmod, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreConfigError } from '../store-error';
import { writeOnce } from '../files';
import { IdKey } from '../../protection/id-key';

const fileName = 'id-key';

/** As configured, or else from the data directory, generated there (0600) at the first use. */
export async function findIdKey(
  dataDir: string,
  configured: string | null,
): Promise<{ idKey: IdKey; generated: boolean }> {
  if (configured !== null) return { idKey: IdKey.parse(configured), generated: false };
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, fileName);
  // Two processes that start at once must use one key: the first one stays.
  const generated = await writeOnce(path, `${IdKey.generateHex()}\n`);
  await chmod(path, 0o600);
  const text = await readFile(path, 'utf8');
  try {
    return { idKey: IdKey.parse(text), generated };
  } catch {
    throw new StoreConfigError(
      `${path} does not hold an id key: restore it from a backup (expected 64 hex digits)`,
    );
  }
}
