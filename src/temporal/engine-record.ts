import { mkdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { replaceFile } from '../store/files';
import { isSameProcess, readRecord, startOf } from './processes';

/** `engine.json` of the data directory: its running embedded server. */
const recordSchema = z.object({
  /** The process that supervises server, worker and sandbox. */
  pid: z.number().int().positive(),
  /** Start time of that process: after a reboot another one may have its pid. */
  start: z.string(),
  address: z.string(),
  namespace: z.string(),
  uiUrl: z.string().nullable(),
  /** Address of its sandbox, if it has one. */
  sandboxUrl: z.string().nullable(),
  /** Base address of its worker: a command with another one must not use it. */
  investigationBaseUrl: z.string(),
  /** The same of the credit service; null when its worker has none. */
  creditBaseUrl: z.string().nullable().default(null),
});
export type EngineRecord = z.infer<typeof recordSchema>;

export async function writeEngineRecord(
  dataDir: string,
  engine: Omit<EngineRecord, 'start'>,
): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const record: EngineRecord = { ...engine, start: await startOf(engine.pid) };
  await replaceFile(recordPath(dataDir), `${JSON.stringify(record, null, 2)}\n`);
}

/** The running server of this data directory; null: none. */
export async function runningEngine(dataDir: string): Promise<EngineRecord | null> {
  const record = await readRecord(recordPath(dataDir), recordSchema);
  return record !== null && (await isSameProcess(record)) ? record : null;
}

/** `stopped`: it ended regularly; `crashed`: it left its record behind; `moved`: another one has replaced it. */
export async function embeddedHealth(
  dataDir: string,
  engine: EngineRecord,
): Promise<'runs' | 'stopped' | 'crashed' | 'moved'> {
  const record = await readRecord(recordPath(dataDir), recordSchema);
  if (record === null) return 'stopped';
  if (!(await isSameProcess(record))) return 'crashed';
  return record.pid === engine.pid && record.start === engine.start ? 'runs' : 'moved';
}

/**
 * Records that a command uses the server, so that it does not close as idle.
 *
 * @returns false when it has just closed
 */
export async function noteUse(dataDir: string): Promise<boolean> {
  const now = new Date();
  return utimes(recordPath(dataDir), now, now).then(
    () => true,
    () => false,
  );
}

/**
 * Removes the record of a server that was idle for this long. Moved first and checked then, so that a command either
 * was noticed or finds no server.
 *
 * @returns false when it was used, and stays
 */
export async function retireIdleRecord(dataDir: string, idleMs: number): Promise<boolean> {
  const aside = join(dataDir, `.engine-${process.pid}.json`);
  await rename(recordPath(dataDir), aside);
  const { mtimeMs } = await stat(aside);
  if (Date.now() - mtimeMs < idleMs) {
    await rename(aside, recordPath(dataDir));
    return false;
  }
  await rm(aside, { force: true });
  return true;
}

export async function removeEngineRecord(dataDir: string): Promise<void> {
  await rm(recordPath(dataDir), { force: true });
}

/** Held by the process that is, starts or ends the server of the data directory. */
export function engineLockPath(dataDir: string): string {
  return join(dataDir, 'engine.lock');
}

export function engineLogPath(dataDir: string, name: string): string {
  return join(dataDir, 'logs', `${name}.log`);
}

function recordPath(dataDir: string): string {
  return join(dataDir, 'engine.json');
}
