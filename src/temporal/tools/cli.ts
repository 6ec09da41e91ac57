import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
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

/** The server in a Temporal CLI. `unfit` is why it does not serve us; null when it does. */
interface ServerVersion {
  version: string | null;
  unfit: string | null;
}

/** The CLI's own version says nothing: built from the module proxy it is `0.0.0-DEV`. */
export async function serverVersionOf(
  executable: string,
  env: NodeJS.ProcessEnv,
): Promise<ServerVersion> {
  const options = { env: toolEnvironment(env), timeoutMs: 15_000 };
  const { output, failure } = await run(executable, ['--version'], options);
  if (failure !== null) return { version: null, unfit: failure };
  const [, version, major, minor] = /\bServer v?((\d+)\.(\d+)\.\d+[\w.-]*)/.exec(output) ?? [];
  if (version === undefined) return { version: null, unfit: 'it prints no server version' };
  const isOld = Number(major) < 1 || (Number(major) === 1 && Number(minor) < 29);
  return { version, unfit: isOld ? `it is server ${version}, and 1.29 is needed` : null };
}

/**
 * The path of a Temporal CLI whose server is at least 1.29: `TEMPORAL_CLI_PATH`, our cache, PATH, the
 * SDK's download, a build from the Go module proxy; in this order. The last two go into the cache.
 * Throws `ToolNotFoundError`.
 */
export async function findTemporalCli(search: ToolSearch): Promise<string> {
  const known = await knownTemporalCli(search.env, search.say);
  if (known !== null) return known.path;
  const cached = join(cacheFolder(search.env), 'temporal');

  return underLock('temporal', search, async () => {
    // Another process may have put it there while we waited.
    if ((await fitServer(cached, search.env)) !== null) return cached;
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
  search: ToolSearch,
): Promise<string | null> {
  return aside('temporal', search, async (folder) => {
    const failure = await make(folder);
    if (failure !== null) return failure;
    const executable = join(folder, 'temporal');
    const { version, unfit } = await serverVersionOf(executable, search.env);
    if (unfit !== null) return `what came does not serve: ${unfit}`;
    await rename(executable, cached);
    search.say(`temporal (server ${version}) is in the cache.`);
    return null;
  });
}

/**
 * The Temporal CLI that `findTemporalCli` would take without downloading or building one; null when
 * there is none. Throws `ToolNotFoundError` for a `TEMPORAL_CLI_PATH` that does not serve.
 *
 * @param say gets why one that is there is not used
 */
export async function knownTemporalCli(
  env: NodeJS.ProcessEnv,
  say: (line: string) => void = () => undefined,
): Promise<{ path: string; serverVersion: string } | null> {
  const named = await namedByVariable('TEMPORAL_CLI_PATH', env);
  if (named !== null) {
    return fitServer(named, env, (why) => {
      throw new ToolNotFoundError(
        `TEMPORAL_CLI_PATH points at ${named}, which does not serve (${why}): set it to a CLI with server 1.29 or newer.`,
      );
    });
  }
  const cached = join(cacheFolder(env), 'temporal');
  const sayWhy = (where: string) => (why: string) =>
    say(`The temporal ${where} is not used: ${why}.`);
  return (
    (await fitServer(cached, env, sayWhy('in the cache'))) ??
    (await fitServer(await findOnPath('temporal', env), env, sayWhy('on PATH')))
  );
}

/** @param refuse gets why it does not serve */
async function fitServer(
  path: string | null,
  env: NodeJS.ProcessEnv,
  refuse: (why: string) => void = () => undefined,
): Promise<{ path: string; serverVersion: string } | null> {
  if (path === null || !(await isExecutableFile(path))) return null;
  const { version, unfit } = await serverVersionOf(path, env);
  if (version !== null && unfit === null) return { path, serverVersion: version };
  refuse(unfit ?? '');
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
  const { failure } = await run('go', ['install', '-ldflags=-s -w', cliModule], {
    env,
    cwd: folder,
    timeoutMs: 30 * 60_000,
    signal: search.signal,
    onAlive: (seconds) => search.say(`Still building temporal: ${seconds} s.`),
    aliveEveryMs: search.aliveEveryMs,
  });
  return failure === null ? null : `go install: ${failure}`;
}
