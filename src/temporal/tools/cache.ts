import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { withLock } from '../../store/process-lock';
import { downloadTool, sdkDownloadOrigin } from './download';
import { isExecutableFile } from './process';

export interface ToolSearch {
  env: NodeJS.ProcessEnv;
  /** Told one line a step: what is done and what comes next. A tool that is at hand is found in silence. */
  say: (line: string) => void;
  signal?: AbortSignal | undefined;
  /** Where the SDK's download is asked for; for tests and mirrors. */
  downloadOrigin?: string;
  /** Gap between two signs of life of a build. Default 15 s. */
  aliveEveryMs?: number;
}

/** No way led to the tool. The message is one sentence, which ends with the cure. */
export class ToolNotFoundError extends Error {
  override readonly name = 'ToolNotFoundError';
  readonly code = 'TOOL_NOT_FOUND';
}

/** The path that a variable names; null when it names none. Throws `ToolNotFoundError` when nothing can be run there. */
export async function namedByVariable(
  variable: string,
  env: NodeJS.ProcessEnv,
): Promise<string | null> {
  const path = env[variable];
  if (!path) return null;
  if (await isExecutableFile(path)) return path;
  throw new ToolNotFoundError(
    `${variable} points at ${path}, which is not an executable file: correct or unset ${variable}.`,
  );
}

/** `$XDG_CACHE_HOME/diligence`, else `~/.cache/diligence`; a relative XDG path is ignored, as its specification asks. */
export function cacheFolder(env: NodeJS.ProcessEnv): string {
  const xdg = env.XDG_CACHE_HOME;
  if (xdg && isAbsolute(xdg)) return join(xdg, 'diligence');
  return join(env.HOME || homedir(), '.cache', 'diligence');
}

/** One process at a time fetches or builds a tool into the cache. Throws `ToolNotFoundError` when there can be no cache. */
export async function underLock<T>(
  tool: string,
  cache: string,
  search: ToolSearch,
  work: () => Promise<T>,
): Promise<T> {
  try {
    await mkdir(cache, { recursive: true });
  } catch (error) {
    throw new ToolNotFoundError(
      `The cache folder ${cache} cannot be made (${reasonOf(error)}): set XDG_CACHE_HOME to a folder that can be written.`,
    );
  }
  return withLock(
    join(cache, `${tool}.lock`),
    {
      signal: search.signal,
      onWait: (pid) =>
        search.say(`Process ${pid} is already fetching or building ${tool}: waiting for it.`),
    },
    work,
  );
}

/**
 * Work in a folder of its own beside the target, on the same file system, gone afterwards whatever happens. Under the
 * lock: what a killed process left is removed.
 */
export async function aside<T>(
  cache: string,
  tool: string,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const prefix = `.${tool}-aside-`;
  const remove = (path: string) => rm(path, { recursive: true, force: true, maxRetries: 3 });
  for (const name of await readdir(cache))
    if (name.startsWith(prefix)) await remove(join(cache, name));
  const folder = await mkdtemp(join(cache, prefix));
  try {
    return await work(folder);
  } finally {
    await remove(folder);
  }
}

/** @returns why it did not work, or null */
export async function tryDownload(
  artifact: 'cli' | 'temporal-test-server',
  target: string,
  search: ToolSearch,
): Promise<string | null> {
  try {
    await downloadTool({
      origin: search.downloadOrigin ?? sdkDownloadOrigin,
      artifact,
      target,
      signal: search.signal,
    });
    await chmod(target, 0o755);
    return null;
  } catch (error) {
    search.signal?.throwIfAborted();
    return reasonOf(error);
  }
}

/** fetch hides why in the cause, and node several causes in an AggregateError. */
function reasonOf(error: unknown): string {
  const { message, cause, errors } = error as Partial<AggregateError>;
  if (cause !== undefined) return reasonOf(cause);
  if (errors?.[0] !== undefined) return reasonOf(errors[0]);
  return message || String(error);
}
