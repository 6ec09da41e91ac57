import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, readFile, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';

export interface RunOptions {
  env: NodeJS.ProcessEnv;
  cwd?: string;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  /** Called with the seconds since the start, again and again while the command runs. */
  onAlive?: (elapsedSeconds: number) => void;
  aliveEveryMs?: number | undefined;
}

export interface RunResult {
  output: string;
  /** Why it did not work, in a few words; null when it did. */
  failure: string | null;
}

/**
 * Runs a command to its end and never throws for its failure: a command that cannot be started, that
 * fails or that takes too long has a reason. An aborted signal ends the command, then throws.
 */
export async function run(
  command: string,
  args: readonly string[],
  { timeoutMs, onAlive, aliveEveryMs = 15_000, ...options }: RunOptions,
): Promise<RunResult> {
  const startedAt = Date.now();
  const alive = setInterval(
    () => onAlive?.(Math.round((Date.now() - startedAt) / 1_000)),
    aliveEveryMs,
  );
  const bounds = { timeout: timeoutMs, maxBuffer: 16 * 1024 * 1024 };
  try {
    const { stdout, stderr } = await promisify(execFile)(command, args, { ...options, ...bounds });
    return { output: stdout + stderr, failure: null };
  } catch (error) {
    options.signal?.throwIfAborted();
    return { output: '', failure: failureOf(error as Failure, timeoutMs) };
  } finally {
    clearInterval(alive);
  }
}

type Failure = Error & {
  killed?: boolean;
  code?: string | number | null;
  stdout?: string;
  stderr?: string;
};

function failureOf(
  { killed, code, message, stdout = '', stderr = '' }: Failure,
  timeoutMs: number,
) {
  // What could not be started has the name of an error for its code.
  if (typeof code === 'string') return message;
  if (killed === true) return `took more than ${Math.round(timeoutMs / 1_000)} s`;
  const lines = `${stdout}\n${stderr}`.split('\n').map((line) => line.trim());
  return lines.findLast((line) => line !== '') ?? `exit code ${code ?? 'none'}`;
}

export async function isExecutableFile(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** The first executable of that name on PATH, or null. */
export async function findOnPath(name: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  for (const folder of (env.PATH ?? '').split(delimiter)) {
    const path = join(folder, name);
    if (isAbsolute(folder) && (await isExecutableFile(path))) return path;
  }
  return null;
}

const ours = /^(DILIGENCE|INVESTIGATION|CREDIT|CERTIFICATES|MONITOR|TEMPORAL)_/;

/** The environment without our settings: no tool needs our tokens, and the CLI would obey `TEMPORAL_*`. */
export function toolEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !ours.test(name)));
}

/** The last lines that were printed since the file was so long. */
export async function tailOf(path: string, from: number): Promise<string> {
  const printed = (await readFile(path)).subarray(from).toString('utf8');
  return printed.trimEnd().split('\n').slice(-15).join('\n');
}
