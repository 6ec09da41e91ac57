import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { commandLineOf, hasEnded } from './tools-pid';

/** `engine.json` of the data directory: the embedded engine that serves it, while it runs. */
const recordSchema = z.object({
  /** The process that holds server, worker and sandbox together. */
  pid: z.number().int().positive(),
  address: z.string(),
  namespace: z.string(),
  uiUrl: z.string().nullable(),
  /** Address of the sandbox, when the engine works against one. */
  sandboxUrl: z.string().nullable(),
  /** Base address that its worker was given: a command with another one must not use it. */
  investigationBaseUrl: z.string(),
  startedAt: z.string(),
});
export type EngineRecord = z.infer<typeof recordSchema>;

export async function writeEngineRecord(dataDir: string, record: EngineRecord): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const aside = join(dataDir, `.engine-${process.pid}.json`);
  await writeFile(aside, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
  await rename(aside, recordPath(dataDir));
}

/** The engine of this data directory, or null when none runs. */
export async function runningEngine(dataDir: string): Promise<EngineRecord | null> {
  const text = await readFile(recordPath(dataDir), 'utf8').catch(() => null);
  if (text === null) return null;
  const record = recordSchema.safeParse(parse(text));
  if (!record.success || hasEnded(record.data.pid)) return null;
  // After a reboot the number may be somebody else's.
  const words = await commandLineOf(record.data.pid);
  return words === null || / (dev|demo)( |$)/.test(words) ? record.data : null;
}

export async function removeEngineRecord(dataDir: string): Promise<void> {
  await rm(recordPath(dataDir), { force: true });
}

export function engineLogPath(dataDir: string, name: string): string {
  return join(dataDir, 'logs', `${name}.log`);
}

function recordPath(dataDir: string): string {
  return join(dataDir, 'engine.json');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
