import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import type { Store } from '../../../store/store';

/** Stores an input file unchanged, addressed by its sha256. */
export async function storeFile(
  store: Store,
  path: string,
): Promise<{ inputSha256: string; inputKey: string }> {
  const inputSha256 = await sha256OfFile(path);
  const inputKey = `inputs/${inputSha256.slice(0, 2)}/${inputSha256}`;
  await store.records.putIfAbsent(inputKey, await readFile(path), { bytes: true });
  return { inputSha256, inputKey };
}

async function sha256OfFile(path: string): Promise<string> {
  const { size } = await stat(path);
  const hash = createHash('sha256');
  if (size > 0) for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
