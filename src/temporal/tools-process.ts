import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';

export interface RunOptions {
  env: NodeJS.ProcessEnv;
  cwd?: string;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  /** Called with the seconds since the start, again and again while the command runs. */
  onAlive?: (elapsedSeconds: number) => void;
  aliveEveryMs?: number;
}

export interface RunResult {
  ok: boolean;
  output: string;
  /** Why it did not work, in a few words; '' when it did. */
  reason: string;
}

const outputLimit = 64 * 1024;

/**
 * Runs a command to its end and never throws for its failure: a command that cannot be started, that
 * fails or that takes too long is a reason. An aborted signal ends the command, then throws.
 */
export async function run(
  command: string,
  args: readonly string[],
  options: RunOptions,
): Promise<RunResult> {
  options.signal?.throwIfAborted();
  const result = await new Promise<RunResult>((resolve) => {
    const child = spawn(command, args, {
      env: options.env,
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let ended = '';
    const keep = (chunk: string) => {
      output = (output + chunk).slice(-outputLimit);
    };
    child.stdout.setEncoding('utf8').on('data', keep);
    child.stderr.setEncoding('utf8').on('data', keep);
    const end = (why: string) => {
      ended ||= why;
      child.kill('SIGTERM');
      setTimeout(() => child.kill('SIGKILL'), 5_000).unref();
    };
    const onAbort = () => end('interrupted');
    options.signal?.addEventListener('abort', onAbort, { once: true });
    const late = setTimeout(
      () => end(`took more than ${Math.round(options.timeoutMs / 1000)} s`),
      options.timeoutMs,
    );
    const startedAt = Date.now();
    const alive = setInterval(
      () => options.onAlive?.(Math.round((Date.now() - startedAt) / 1000)),
      options.aliveEveryMs ?? 15_000,
    );
    const settle = (reason: string) => {
      clearTimeout(late);
      clearInterval(alive);
      options.signal?.removeEventListener('abort', onAbort);
      child.stdout.destroy();
      child.stderr.destroy();
      resolve({ ok: reason === '', output, reason });
    };
    child.on('error', (error) => settle(ended || error.message));
    const verdict = () => ended || (child.exitCode === 0 ? '' : lastLine(output, child.exitCode));
    child.on('close', () => settle(verdict()));
    // A grandchild that keeps the pipes open must not hold us.
    child.on('exit', () => setTimeout(() => settle(verdict()), 1_000).unref());
  });
  options.signal?.throwIfAborted();
  return result;
}

function lastLine(output: string, code: number | null): string {
  const last = output
    .split('\n')
    .map((line) => line.trim())
    .findLast((line) => line !== '');
  return last ?? `exit code ${code ?? 'none'}`;
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
    if (!isAbsolute(folder)) continue;
    const path = join(folder, name);
    if (await isExecutableFile(path)) return path;
  }
  return null;
}

const ours = /^(DILIGENCE|INVESTIGATION|CREDIT|CERTIFICATES|TEMPORAL)_/;

/** The environment without our settings: no tool needs our tokens, and the CLI would obey `TEMPORAL_*`. */
export function toolEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !ours.test(name)));
}
