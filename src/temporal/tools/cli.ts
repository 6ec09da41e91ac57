import { mkdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  aside,
  cacheFolder,
  namedByVariable,
  ToolNotFoundError,
  tryDownload,
  underLock,
  type ToolSearch,
} from './cache';
import { findOnPath, isExecutableFile, run, toolEnvironment } from './process';

const cliModule = 'github.com/temporalio/cli/cmd/temporal@v1.5.1';
const installCli =
  'install the Temporal CLI (server 1.29 or newer) and set TEMPORAL_CLI_PATH to it';

/** The version of the server that `<executable> --version` prints, or why it prints none. */
export type ServerVersion =
  { version: string; atLeast129: boolean } | { version: null; reason: string };

/**
 * Asks a Temporal CLI for the version of the server in it. The CLI's own version says nothing: built
 * from the module proxy it is `0.0.0-DEV`.
 */
export async function serverVersionOf(
  executable: string,
  env: NodeJS.ProcessEnv,
): Promise<ServerVersion> {
  const printed = await run(executable, ['--version'], {
    env: toolEnvironment(env),
    timeoutMs: 15_000,
  });
  if (!printed.ok) return { version: null, reason: printed.reason };
  const found = /\bServer v?((\d+)\.(\d+)\.\d+[\w.-]*)/.exec(printed.output);
  if (!found?.[1]) return { version: null, reason: 'it prints no server version' };
  const [major, minor] = [Number(found[2]), Number(found[3])];
  return { version: found[1], atLeast129: major > 1 || (major === 1 && minor >= 29) };
}

/**
 * The path of a Temporal CLI whose server is at least 1.29: `TEMPORAL_CLI_PATH`, our cache, PATH, the
 * SDK's download, a build from the Go module proxy; in this order. The last two go into the cache.
 * Throws `ToolNotFoundError`.
 */
export async function findTemporalCli(search: ToolSearch): Promise<string> {
  const known = await knownTemporalCli(search.env, search.say);
  if (known !== null) return known.path;
  const cache = cacheFolder(search.env);
  const cached = join(cache, 'temporal');

  return underLock('temporal', cache, search, async () => {
    // Another process may have put it there while we waited.
    if ((await goodServer(cached, search.env)) !== null) return cached;
    search.say(
      'No temporal in the cache or on PATH: downloading it (given up within seconds without a network); if that fails, it is built with Go.',
    );
    const download = (folder: string) => tryDownload('cli', join(folder, 'temporal'), search);
    const notDownloaded = await intoCache(cached, download, search);
    if (notDownloaded === null) return cached;
    const build = (folder: string) => buildCli(folder, notDownloaded, search);
    const notBuilt = await intoCache(cached, build, search);
    if (notBuilt === null) return cached;
    throw new ToolNotFoundError(
      `The Temporal dev server could be neither downloaded (${notDownloaded}) nor built (${notBuilt}): ${installCli}.`,
    );
  });
}

/**
 * @param make puts the executable `temporal` into the folder, or says why it could not
 * @returns why there is nothing in the cache, or null
 */
function intoCache(
  cached: string,
  make: (folder: string) => Promise<string | null>,
  { env, say }: ToolSearch,
): Promise<string | null> {
  return aside(dirname(cached), 'temporal', async (folder) => {
    const failure = await make(folder);
    if (failure !== null) return failure;
    const executable = join(folder, 'temporal');
    const server = await serverVersionOf(executable, env);
    if (server.version === null) return `what came does not run: ${server.reason}`;
    if (!server.atLeast129) return `it is server ${server.version}, older than 1.29`;
    await rename(executable, cached);
    say(`temporal (server ${server.version}) is in the cache.`);
    return null;
  });
}

/**
 * The Temporal CLI that `findTemporalCli` would take without downloading or building one; null when
 * there is none. Throws `ToolNotFoundError` for a `TEMPORAL_CLI_PATH` that does not serve.
 *
 * @param say told why one that is there is not used
 */
export async function knownTemporalCli(
  env: NodeJS.ProcessEnv,
  say: (line: string) => void = () => undefined,
): Promise<{ path: string; serverVersion: string } | null> {
  const named = await namedByVariable('TEMPORAL_CLI_PATH', env);
  if (named !== null) {
    const serverVersion = await goodServer(named, env, (why) => {
      throw new ToolNotFoundError(
        `TEMPORAL_CLI_PATH points at ${named}, which does not serve (${why}): set it to a CLI with server 1.29 or newer.`,
      );
    });
    return serverVersion === null ? null : { path: named, serverVersion };
  }
  const places = {
    'in the cache': join(cacheFolder(env), 'temporal'),
    'on PATH': await findOnPath('temporal', env),
  };
  for (const [where, path] of Object.entries(places)) {
    if (path === null) continue;
    const serverVersion = await goodServer(path, env, (why) =>
      say(`The temporal ${where} is not used: ${why}.`),
    );
    if (serverVersion !== null) return { path, serverVersion };
  }
  return null;
}

/** @param refuse told why it does not serve */
async function goodServer(
  path: string,
  env: NodeJS.ProcessEnv,
  refuse: (why: string) => void = () => undefined,
): Promise<string | null> {
  if (!(await isExecutableFile(path))) return null;
  const server = await serverVersionOf(path, env);
  if (server.version !== null && server.atLeast129) return server.version;
  refuse(
    server.version === null ? server.reason : `it is server ${server.version}, and 1.29 is needed`,
  );
  return null;
}

async function buildCli(
  folder: string,
  downloadFailure: string,
  search: ToolSearch,
): Promise<string | null> {
  const scratch = join(folder, 'tmp');
  await mkdir(scratch);
  const env: NodeJS.ProcessEnv = {
    // A distribution may pin its Go; only a person's own GOTOOLCHAIN forbids fetching a newer one.
    GOTOOLCHAIN: 'auto',
    ...toolEnvironment(search.env),
    GOBIN: folder,
    GOTMPDIR: scratch,
    CGO_ENABLED: '0',
    GOWORK: 'off',
  };
  // With these set, go installs for another machine and refuses GOBIN.
  delete env.GOOS;
  delete env.GOARCH;

  search.say(
    `The download did not work (${downloadFailure}): building temporal with Go, once, which takes 2 to 3 minutes.`,
  );
  const built = await run('go', ['install', '-ldflags=-s -w', cliModule], {
    env,
    cwd: folder,
    timeoutMs: 30 * 60_000,
    signal: search.signal,
    onAlive: (seconds) => search.say(`Still building temporal: ${seconds} s.`),
    ...(search.aliveEveryMs === undefined ? {} : { aliveEveryMs: search.aliveEveryMs }),
  });
  return built.ok ? null : `go install: ${built.reason}`;
}
