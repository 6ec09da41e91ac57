import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';

/** A log file has two generations of at most about this size: the current one, and `.1` before it. */
const mostBytes = 20 * 1024 * 1024;
const lookEveryMs = 60_000;

/**
 * Bounds the logs of a data directory while processes write to them. They append to an open file, which is
 * copied and truncated: lines written in between are lost.
 */
export function boundLogs(dataDir: string): void {
  const look = (): void => void cutLongLogs(dataDir).catch(() => undefined);
  look();
  setInterval(look, lookEveryMs).unref();
}

/** @param most bytes of a file */
export async function cutLongLogs(dataDir: string, most: number = mostBytes): Promise<void> {
  const folder = join(dataDir, 'logs');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder)) {
    if (!name.endsWith('.log')) continue;
    const path = join(folder, name);
    if ((await stat(path)).size <= most) continue;
    await copyFile(path, `${path}.1`);
    await truncate(path);
  }
}

/** Worker logs of the embedded server, the older one first. */
export function workerLogs(dataDir: string): string[] {
  const path = join(dataDir, 'logs', 'worker.log');
  return [`${path}.1`, path].filter((one) => existsSync(one));
}
