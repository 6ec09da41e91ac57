import { createWriteStream } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { EnvHttpProxyAgent, fetch } from 'undici';
import { z } from 'zod';
import { withLock } from '../../store/process-lock';
import { isExecutableFile, run } from './process';

export interface ToolSearch {
  env: NodeJS.ProcessEnv;
  /** Gets one line a step: what is done and what comes next. A tool that is at hand is found in silence. */
  say: (line: string) => void;
  signal?: AbortSignal | undefined;
  /** Where the SDK's download is asked for; for tests and mirrors. */
  downloadOrigin?: string;
  /** Interval between two signs of life of a build. Default 15 s. */
  aliveEveryMs?: number;
}

/** No way led to the tool. The message is one sentence, which ends with what to do. */
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
  { env, say, signal }: ToolSearch,
  work: () => Promise<T>,
): Promise<T> {
  const cache = cacheFolder(env);
  await mkdir(cache, { recursive: true }).catch((error: unknown) => {
    throw new ToolNotFoundError(
      `The cache folder ${cache} cannot be made (${reasonOf(error)}): set XDG_CACHE_HOME to a folder that can be written.`,
    );
  });
  const onWait = (pid: number) =>
    say(`Process ${pid} is already fetching or building ${tool}: waiting for it.`);
  return withLock(join(cache, `${tool}.lock`), { signal, onWait }, work);
}

/**
 * Work in a folder of its own in the cache, on its file system, gone afterwards whatever happens. Under the
 * lock: what a killed process left is removed.
 */
export async function aside<T>(
  tool: string,
  { env }: ToolSearch,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const cache = cacheFolder(env);
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

type Artifact = 'cli' | 'temporal-test-server';

/** @returns why it did not work, or null */
export async function tryDownload(
  artifact: Artifact,
  target: string,
  search: ToolSearch,
): Promise<string | null> {
  try {
    await download(artifact, target, search);
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

/** Where the Temporal SDKs get their servers from (sdk-core, `ephemeral_server`). */
const sdkOrigin = 'https://temporal.download';

const offerSchema = z.object({
  archiveUrl: z
    .url({ protocol: /^https?$/ })
    .refine((url) => new URL(url).pathname.endsWith('.tar.gz'), 'no .tar.gz archive'),
  fileToExtract: z.string().regex(/^[A-Za-z0-9_][\w./-]*$/),
});
const architectures: Partial<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/**
 * The SDK's own download: asks which archive fits this machine, and unpacks the one executable in it.
 * Without a network it fails within five seconds; a transfer that stalls, within fifteen. Throws
 * whatever went wrong; `target` may then hold a part, which the caller throws away.
 */
async function download(
  artifact: Artifact,
  target: string,
  { downloadOrigin, signal: stop }: ToolSearch,
): Promise<void> {
  const arch = architectures[process.arch];
  if (arch === undefined) throw new Error(`there is no download for ${process.arch}`);
  const dispatcher = new EnvHttpProxyAgent({
    connect: { timeout: 5_000 },
    headersTimeout: 10_000,
    bodyTimeout: 15_000,
  });
  const whole = AbortSignal.timeout(10 * 60_000);
  const signal = stop ? AbortSignal.any([stop, whole]) : whole;
  try {
    const question = new URL(`/${artifact}/default`, downloadOrigin ?? sdkOrigin);
    question.search = new URLSearchParams({
      arch,
      platform: process.platform === 'darwin' ? 'darwin' : 'linux',
      format: 'tar.gz',
      'sdk-name': 'sdk-typescript',
      'sdk-version': '1.24.0',
    }).toString();
    const soon = AbortSignal.any([signal, AbortSignal.timeout(8_000)]);
    const answer = await fetch(question, { dispatcher, signal: soon });
    if (!answer.ok) throw new Error(`${question.host} answered ${answer.status}`);
    const { archiveUrl, fileToExtract } = offerSchema.parse(await answer.json());
    const archive = await fetch(archiveUrl, { dispatcher, signal });
    if (!archive.ok || !archive.body) throw new Error(`the archive answered ${archive.status}`);
    const packed = `${target}.tar.gz`;
    await pipeline(Readable.fromWeb(archive.body), createWriteStream(packed));
    const folder = dirname(target);
    const words = ['-xzf', packed, '-C', folder, fileToExtract];
    const { failure } = await run('tar', words, { env: process.env, timeoutMs: 60_000, signal });
    if (failure !== null) throw new Error(`tar: ${failure}`);
    await rename(join(folder, fileToExtract), target);
  } finally {
    await dispatcher.destroy();
  }
}
