import { createWriteStream } from 'node:fs';
import { chmod, mkdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { EnvHttpProxyAgent, fetch } from 'undici';
import { z } from 'zod';
import { withLock } from '../store/process-lock';
import { run, toolEnvironment } from './processes';

export interface ToolSearch {
  env: NodeJS.ProcessEnv;
  /** Gets one line a step: what is done and what comes next. A tool that is at hand is found in silence. */
  say: (line: string) => void;
  signal?: AbortSignal | undefined;
  /** Where the download is asked for; for tests and mirrors. */
  downloadOrigin?: string;
}

/** No way led to the tool. The message is one sentence, which ends with what to do. */
export class ToolNotFoundError extends Error {
  override readonly name = 'ToolNotFoundError';
}

/** A Temporal CLI at hand. `unfit`: why its server does not serve us. */
interface FoundCli {
  path: string;
  serverVersion: string;
  unfit: string | null;
}

const cliModule = 'github.com/temporalio/cli/cmd/temporal@v1.5.1';
const cure = 'install the Temporal CLI (server 1.29 or newer) and set TEMPORAL_CLI_PATH to it';
const downloadMs = 10 * 60_000;
const buildMs = 30 * 60_000;
const stillEveryMs = 15_000;

/**
 * The path of a Temporal CLI whose server is at least 1.29: `TEMPORAL_CLI_PATH`, our cache, PATH, the SDK's download, a
 * build from the Go module proxy; in this order. The last two go into the cache.
 *
 * @throws ToolNotFoundError
 */
export async function findTemporalCli(search: ToolSearch): Promise<string> {
  const known = await knownTemporalCli(search.env, search.say);
  if (known !== null) return known.path;
  const cached = join(cacheFolder(search.env), 'temporal');
  return inCache('temporal', search, async (folder) => {
    // Another process may have put it there while we waited.
    if ((await examineCli(cached, search.env))?.unfit === null) return cached;
    search.say(
      'No temporal in the cache or on PATH: downloading it (given up within seconds without a network); if that fails, it is built with Go.',
    );
    const take = async (make: Promise<string>): Promise<string | null> => {
      try {
        const { serverVersion, unfit } = (await examineCli(await make, search.env)) ?? noCli;
        if (unfit !== null) return `what came does not serve: ${unfit}`;
        await rename(join(folder, 'temporal'), cached);
        search.say(`temporal (server ${serverVersion}) is in the cache.`);
        return null;
      } catch (error) {
        search.signal?.throwIfAborted();
        return reasonOf(error);
      }
    };
    const notDownloaded = await take(download('cli', 'temporal', folder, search));
    if (notDownloaded === null) return cached;
    search.say(
      `The download did not work (${notDownloaded}): building temporal with Go, once, which takes 2 to 3 minutes.`,
    );
    const notBuilt = await take(build(folder, search));
    if (notBuilt === null) return cached;
    throw new ToolNotFoundError(
      `The Temporal dev server could be neither downloaded (${notDownloaded}) nor built (go install: ${notBuilt}): ${cure}.`,
    );
  });
}

/**
 * The Temporal CLI that `findTemporalCli` would take without downloading or building one; null when there is none.
 *
 * @param say gets why one that is there is not used
 * @throws ToolNotFoundError for a `TEMPORAL_CLI_PATH` that does not serve
 */
export async function knownTemporalCli(
  env: NodeJS.ProcessEnv,
  say: (line: string) => void = () => undefined,
): Promise<FoundCli | null> {
  const named = env.TEMPORAL_CLI_PATH;
  if (named) {
    const found = (await examineCli(named, env)) ?? noCli;
    if (found.unfit === null) return found;
    throw new ToolNotFoundError(
      `TEMPORAL_CLI_PATH points at ${named}, which does not serve (${found.unfit}): set it to a CLI with server 1.29 or newer.`,
    );
  }
  const places = { 'in the cache': join(cacheFolder(env), 'temporal'), 'on PATH': 'temporal' };
  for (const [where, path] of Object.entries(places)) {
    const found = await examineCli(path, env);
    if (found?.unfit === null) return found;
    if (found !== null) say(`The temporal ${where} is not used: ${found.unfit}.`);
  }
  return null;
}

const noCli = { path: '', serverVersion: '', unfit: 'there is no such file' };

/** Null when nothing is there. The CLI's own version says nothing: built from the module proxy it is `0.0.0-DEV`. */
export async function examineCli(path: string, env: NodeJS.ProcessEnv): Promise<FoundCli | null> {
  try {
    const printed = await run(path, ['--version'], { env: toolEnvironment(env), timeout: 15_000 });
    const [, serverVersion = '', major, minor] =
      /\bServer v?((\d+)\.(\d+)\.\d+[\w.-]*)/.exec(printed) ?? [];
    if (serverVersion === '') return { path, serverVersion, unfit: 'it prints no server version' };
    const isOld = Number(major) < 1 || (Number(major) === 1 && Number(minor) < 29);
    const unfit = isOld ? `it is server ${serverVersion}, and 1.29 is needed` : null;
    return { path, serverVersion, unfit };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    return { path, serverVersion: '', unfit: (error as Error).message };
  }
}

async function build(folder: string, { env, say, signal }: ToolSearch): Promise<string> {
  const scratch = join(folder, 'tmp');
  await mkdir(scratch);
  const settings: NodeJS.ProcessEnv = {
    // A distribution may pin its Go; only a person's own GOTOOLCHAIN forbids fetching a newer one.
    GOTOOLCHAIN: 'auto',
    ...toolEnvironment(env),
    GOBIN: folder,
    GOTMPDIR: scratch,
    CGO_ENABLED: '0',
    GOWORK: 'off',
  };
  // With these set, go installs for another machine and refuses GOBIN.
  delete settings.GOOS;
  delete settings.GOARCH;
  const since = Date.now();
  const seconds = () => Math.round((Date.now() - since) / 1_000);
  const alive = setInterval(() => say(`Still building temporal: ${seconds()} s.`), stillEveryMs);
  try {
    const options = { env: settings, cwd: folder, timeout: buildMs, signal };
    await run('go', ['install', '-ldflags=-s -w', cliModule], options);
  } finally {
    clearInterval(alive);
  }
  return join(folder, 'temporal');
}

/** Where the Temporal SDKs get their servers from (sdk-core, `ephemeral_server`). */
const sdkOrigin = 'https://temporal.download';
const architectures: Partial<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };
const offerSchema = z.object({
  archiveUrl: z
    .url({ protocol: /^https?$/ })
    .refine((url) => new URL(url).pathname.endsWith('.tar.gz'), 'no .tar.gz archive'),
  fileToExtract: z.string().regex(/^[A-Za-z0-9_][\w./-]*$/),
});

/**
 * The SDK's own download: asks which archive fits this machine, and unpacks the one executable in it. Without a network
 * it fails within eight seconds; a transfer that stalls, within fifteen.
 *
 * @returns the executable, as `name` in the folder
 */
export async function download(
  artifact: 'cli' | 'temporal-test-server',
  name: string,
  folder: string,
  { downloadOrigin, signal }: ToolSearch,
): Promise<string> {
  const dispatcher = new EnvHttpProxyAgent({ headersTimeout: 10_000, bodyTimeout: 15_000 });
  const get = async (url: string | URL, withinMs: number) => {
    const bounds = [AbortSignal.timeout(withinMs), ...(signal === undefined ? [] : [signal])];
    const answer = await fetch(url, { dispatcher, signal: AbortSignal.any(bounds) });
    if (answer.ok && answer.body !== null) return answer;
    throw new Error(`${new URL(url).host} answered ${answer.status}`);
  };
  try {
    const question = new URL(`/${artifact}/default`, downloadOrigin ?? sdkOrigin);
    question.search = new URLSearchParams({
      arch: architectures[process.arch] ?? process.arch,
      platform: process.platform,
      format: 'tar.gz',
      'sdk-name': 'sdk-typescript',
      'sdk-version': '1.24.0',
    }).toString();
    const { archiveUrl, fileToExtract } = offerSchema.parse(
      await (await get(question, 8_000)).json(),
    );
    const packed = join(folder, 'download.tar.gz');
    const { body } = await get(archiveUrl, downloadMs);
    await pipeline(Readable.fromWeb(body as NonNullable<typeof body>), createWriteStream(packed));
    const words = ['-xzf', packed, '-C', folder, fileToExtract];
    await run('tar', words, { timeout: 60_000, signal });
    await rename(join(folder, fileToExtract), join(folder, name));
    await chmod(join(folder, name), 0o755);
    return join(folder, name);
  } finally {
    await dispatcher.destroy();
  }
}

/** fetch hides why in the cause, and node several causes in an AggregateError. */
export function reasonOf(error: unknown): string {
  const { message, cause, errors } = error as Partial<AggregateError>;
  const inner = cause ?? errors?.[0];
  return inner === undefined ? message || String(error) : reasonOf(inner);
}

/** `$XDG_CACHE_HOME/diligence`, else `~/.cache/diligence`; a relative XDG path is ignored, as its specification asks. */
export function cacheFolder({ XDG_CACHE_HOME: xdg, HOME }: NodeJS.ProcessEnv): string {
  if (xdg && isAbsolute(xdg)) return join(xdg, 'diligence');
  return join(HOME || homedir(), '.cache', 'diligence');
}

/**
 * One process at a time makes a tool, in a folder on the cache's file system that is gone afterwards whatever happens.
 *
 * @throws ToolNotFoundError when there can be no cache
 */
export async function inCache<T>(
  tool: string,
  { env, say, signal }: ToolSearch,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const cache = cacheFolder(env);
  await mkdir(cache, { recursive: true }).catch((error: unknown) => {
    throw new ToolNotFoundError(
      `The cache folder ${cache} cannot be made (${reasonOf(error)}): set XDG_CACHE_HOME to a folder that can be written.`,
    );
  });
  const onWait = (pid: number): void =>
    say(`Process ${pid} is already fetching or building ${tool}: waiting for it.`);
  return withLock(join(cache, `${tool}.lock`), { signal, onWait }, async () => {
    const folder = join(cache, `.${tool}-aside`);
    // A killed process may have left it.
    const clear = () => rm(folder, { recursive: true, force: true, maxRetries: 3 });
    await clear();
    await mkdir(folder);
    try {
      return await work(folder);
    } finally {
      await clear();
    }
  });
}
