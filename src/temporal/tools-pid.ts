import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

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

/**
 * Tells a process from a later one that got its pid: when it was started. Null when there is no such
 * process, or this system does not tell.
 */
export async function startOf(pid: number): Promise<string | null> {
  try {
    const [status, boot] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'utf8'),
      readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
    ]);
    // Field 22, in ticks since the boot; the name before field 3 may hold spaces.
    const ticks = status.slice(status.lastIndexOf(')') + 2).split(' ')[19];
    return `${boot.trim()}/${ticks ?? ''}`;
  } catch {
    if (process.platform === 'linux') return null;
  }
  try {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)]);
    return stdout.trim() === '' ? null : stdout.trim();
  } catch {
    return null;
  }
}

/** Whether the process that was started then still runs. `start` null: any with this pid counts. */
export async function isSameProcess(pid: number, start: string | null): Promise<boolean> {
  if (hasEnded(pid)) return false;
  const now = start === null ? null : await startOf(pid);
  return now === null || now === start;
}

/** The words a process was started with, joined by spaces; '' when it has none, null when this system does not tell. */
export async function commandLineOf(pid: number): Promise<string | null> {
  try {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8');
    return line.split('\0').join(' ');
  } catch {
    if (process.platform === 'linux') return hasEnded(pid) ? '' : null;
  }
  try {
    const { stdout } = await promisify(execFile)('ps', [
      '-ww',
      '-o',
      'command=',
      '-p',
      String(pid),
    ]);
    return stdout;
  } catch {
    return null;
  }
}
