import { randomUUID } from 'node:crypto';
import { link, open, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { isSameProcess, startOf } from './tools-pid';

const holderSchema = z.object({
  pid: z.number(),
  host: z.string(),
  nonce: z.string(),
  /** When the process was started: after a reboot its pid may be another's. */
  start: z.string().nullable().default(null),
});
type Holder = z.infer<typeof holderSchema>;

const touchEveryMs = 5_000;
/** A holder that has not touched its lock for so long is gone, frozen, or on a machine we cannot ask. */
const staleAfterMs = 60_000;

export interface LockOptions {
  signal?: AbortSignal | undefined;
  /** Called once, when somebody else holds the lock. */
  onWait?: (holderPid: number) => void;
  /** Gap between two looks at a lock that is held. Default 500. */
  pollIntervalMs?: number;
}

/**
 * Runs `work` while holding the lock file. A lock whose process is dead is taken over.
 *
 * It saves minutes, not correctness: what runs under it builds aside and renames, so that the rare
 * case of two holders (a laptop asleep for a minute) costs a second build and nothing else. That is
 * why it needs no package.
 */
export async function withLock<T>(
  path: string,
  options: LockOptions,
  work: () => Promise<T>,
): Promise<T> {
  const start = await startOf(process.pid);
  const mine: Holder = { pid: process.pid, host: hostname(), nonce: randomUUID(), start };
  await take(path, mine, options);
  const touching = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => undefined);
  }, touchEveryMs);
  touching.unref();
  try {
    return await work();
  } finally {
    clearInterval(touching);
    if ((await holderOf(path))?.nonce === mine.nonce) await rm(path, { force: true });
  }
}

/** The process that holds the lock now, on this machine; null when nobody does. */
export async function lockHolder(path: string): Promise<number | null> {
  const holder = await holderOf(path);
  if (holder === null || holder.host !== hostname()) return null;
  return (await isSameProcess(holder.pid, holder.start)) ? holder.pid : null;
}

async function take(path: string, mine: Holder, options: LockOptions): Promise<void> {
  let told = false;
  for (;;) {
    options.signal?.throwIfAborted();
    if (await claim(path, mine)) return;
    const holder = await holderOf(path);
    if (await isStale(path, holder)) {
      await remove(path, holder);
      continue;
    }
    if (!told && holder) {
      options.onWait?.(holder.pid);
      told = true;
    }
    await sleep(options.pollIntervalMs ?? 500, undefined, { signal: options.signal });
  }
}

/** A link appears whole or not at all, so that no reader meets a lock without a holder. */
async function claim(path: string, mine: Holder): Promise<boolean> {
  const aside = `${path}.${mine.nonce}`;
  const file = await open(aside, 'wx', 0o600);
  try {
    await file.writeFile(JSON.stringify(mine));
    await file.close();
    await link(aside, path);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await rm(aside, { force: true });
  }
}

async function holderOf(path: string): Promise<Holder | null> {
  try {
    return holderSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return null;
  }
}

async function isStale(path: string, holder: Holder | null): Promise<boolean> {
  const age = await stat(path).then(
    (found) => Date.now() - found.mtimeMs,
    () => null,
  );
  if (age === null) return false;
  if (age > staleAfterMs) return true;
  if (holder === null || holder.host !== hostname()) return false;
  return !(await isSameProcess(holder.pid, holder.start));
}

/**
 * Moved away before it is deleted: of two processes that found the same stale lock one gets it, and
 * a lock that changed hands meanwhile is put back.
 */
async function remove(path: string, seen: Holder | null): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return;
    throw error;
  }
  const moved = await holderOf(aside);
  if (moved && moved.nonce !== seen?.nonce) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
}

function isCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException).code === code;
}
