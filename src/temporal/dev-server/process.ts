import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { DevServerError } from './files';
import { hasEnded } from '../tools/pid';

/** Nobody else reads what it writes: database, write-ahead log and shared memory beside it. */
export function spawnShut(executable: string, args: string[], options: SpawnOptions): ChildProcess {
  const before = process.umask(0o077);
  try {
    return spawn(executable, args, options);
  } finally {
    process.umask(before);
  }
}

/** `isOurs` is asked before each signal: between the two the process may end and its pid be given away. */
export async function end(pid: number, isOurs: () => Promise<boolean>): Promise<void> {
  for (const [signal, graceMs] of [
    ['SIGTERM', 10_000],
    ['SIGKILL', 10_000],
  ] as const) {
    if (hasEnded(pid) || !(await isOurs())) return;
    try {
      process.kill(pid, signal);
    } catch {
      return;
    }
    for (const since = Date.now(); Date.now() - since < graceMs; await sleep(25)) {
      if (hasEnded(pid)) return;
    }
  }
  throw new DevServerError(
    'DEV_SERVER_FAILED',
    `The Temporal dev server (process ${pid}) does not end, even on SIGKILL.`,
  );
}

export function isOver(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
