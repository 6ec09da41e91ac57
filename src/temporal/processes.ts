import { execFile, type ExecFileException } from 'node:child_process';
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
    return statusFields(readFileSync(`/proc/${pid}/stat`, 'utf8')).startsWith('Z');
  } catch {
    return false;
  }
}

/** Tells a process from a later one that got its pid: when it was started. '' when there is no such process. */
export async function startOf(pid: number): Promise<string> {
  try {
    if (process.platform !== 'linux')
      return (await run('ps', ['-o', 'lstart=', '-p', String(pid)], { timeout: 5_000 })).trim();
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    // Field 22, in ticks since the boot.
    const ticks = statusFields(await readFile(`/proc/${pid}/stat`, 'utf8')).split(' ')[19] ?? '';
    return `${boot.trim()}/${ticks}`;
  } catch {
    return '';
  }
}

/** From field 3 on: the name before it stands in parentheses and may hold anything, a parenthesis too. */
const statusFields = (status: string): string => status.slice(status.lastIndexOf(')') + 2);

/** Whether the process that was started then still runs. */
export async function isSameProcess({ pid, start }: { pid: number; start: string }) {
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

/**
 * What a command prints.
 *
 * @throws Error whose message is the reason in a few words: its last line, mostly; the abort of the signal
 */
export async function run(
  command: string,
  args: readonly string[],
  options: {
    env?: NodeJS.ProcessEnv;
    cwd?: string;
    timeout: number;
    signal?: AbortSignal | undefined;
  },
): Promise<string> {
  const bounds = { ...options, maxBuffer: 16 * 1024 * 1024 };
  try {
    const { stdout, stderr } = await promisify(execFile)(command, args, bounds);
    return stdout + stderr;
  } catch (error) {
    options.signal?.throwIfAborted();
    const { killed, code, message, stdout = '', stderr = '' } = error as ExecFileException;
    const printed = `${stdout}\n${stderr}`.trim().split('\n').at(-1)?.trim();
    // One that printed too much was ended too, with a code.
    const isLate = killed === true && code === null;
    const reason = isLate ? `took more than ${options.timeout / 1_000} s` : printed;
    throw Object.assign(new Error(reason || message), { code });
  }
}

const ours = /^(DILIGENCE|INVESTIGATION|CREDIT|CERTIFICATES|MONITOR|TEMPORAL)_/;

/** The environment without our settings: no tool needs our tokens, and the CLI would obey `TEMPORAL_*`. */
export function toolEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !ours.test(name)));
}

/** What was printed to a file since it was so long. */
export async function printedSince(path: string, from: number): Promise<string> {
  return (await readFile(path)).subarray(from).toString('utf8');
}

export async function tailOf(path: string, from: number): Promise<string> {
  return (await printedSince(path, from)).trimEnd().split('\n').slice(-15).join('\n');
}
