import { mkdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { replaceFile } from '../store/files';
import { readJson } from './dev-server/files';
import { isSameProcess, startOf } from './tools/pid';

/** `engine.json` of the data directory: the embedded engine that serves it, while it runs. */
const recordSchema = z.object({
  /** The process that holds server, worker and sandbox together. */
  pid: z.number().int().positive(),
  /** When that process was started: its pid may be another's after a reboot. */
  start: z.string(),
  address: z.string(),
  namespace: z.string(),
  uiUrl: z.string().nullable(),
  /** Address of the sandbox, when the engine works against one. */
  sandboxUrl: z.string().nullable(),
  /** Base address that its worker was given: a command with another one must not use it. */
  investigationBaseUrl: z.string(),
  /** The same of the credit service; null when its worker has none. */
  creditBaseUrl: z.string().nullable().default(null),
  startedAt: z.string(),
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

/** The engine of this data directory, or null when none runs. */
export async function runningEngine(dataDir: string): Promise<EngineRecord | null> {
  const record = await readJson(recordPath(dataDir), recordSchema);
  return record !== null && (await isSameProcess(record)) ? record : null;
}

/**
 * What became of an engine that was running. `stopped`: it ended in order; `crashed`: it left its
 * record behind; `moved`: another one has taken its place.
 */
export async function embeddedHealth(
  dataDir: string,
  engine: EngineRecord,
): Promise<'runs' | 'stopped' | 'crashed' | 'moved'> {
  const record = await readJson(recordPath(dataDir), recordSchema);
  if (record === null) return 'stopped';
  if (!(await isSameProcess(record))) return 'crashed';
  return record.pid === engine.pid && record.startedAt === engine.startedAt ? 'runs' : 'moved';
}

/**
 * Says that a command uses the engine, which keeps it from closing as idle.
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
 * Takes the record away when nobody has used the engine for so long. Moved first and looked at then,
 * so that a command either has been seen or finds no engine.
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

/** Held by the process that is, becomes or ceases to be the engine of the data directory. */
export function engineLockPath(dataDir: string): string {
  return join(dataDir, 'engine.lock');
}

export function engineLogPath(dataDir: string, name: string): string {
  return join(dataDir, 'logs', `${name}.log`);
}

function recordPath(dataDir: string): string {
  return join(dataDir, 'engine.json');
}
