import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { z } from 'zod';

/** True when no process has this pid, or only a zombie that nobody has reaped (containers without an init). */
export function hasEnded(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EPERM';
  }
  try {
    const status = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name stands in parentheses and may hold anything, a parenthesis too.
    return status.slice(status.lastIndexOf(')') + 2).startsWith('Z');
  } catch {
    return false;
  }
}

/** Tells a process from a later one that got its pid: when it was started. '' when there is no such process. */
export async function startOf(pid: number): Promise<string> {
  try {
    if (process.platform !== 'linux') {
      const { stdout } = await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)]);
      return stdout.trim();
    }
    const [status, boot] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'utf8'),
      readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
    ]);
    // Field 22, in ticks since the boot; the name before field 3 may hold spaces.
    const ticks = status.slice(status.lastIndexOf(')') + 2).split(' ')[19];
    return `${boot.trim()}/${ticks ?? ''}`;
  } catch {
    return '';
  }
}

/** Whether the process that was started then still runs. */
export async function isSameProcess(record: { pid: number; start: string }): Promise<boolean> {
  const { pid, start } = record;
  return !hasEnded(pid) && start !== '' && (await startOf(pid)) === start;
}

/** A JSON file about a process; null when it is missing or has another shape. */
export async function readRecord<T>(path: string, schema: z.ZodType<T>): Promise<T | null> {
  try {
    return schema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return null;
  }
}
