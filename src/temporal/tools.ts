import { chmod, mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { downloadTool, sdkDownloadOrigin } from './tools-download';
import { withLock } from './tools-lock';
import { findOnPath, isExecutableFile, run, toolEnvironment } from './tools-process';

const cliModule = 'github.com/temporalio/cli/cmd/temporal@v1.5.1';
const testServerVersion = '1.38.0';
/** What test server 1.38.0 is compiled against; another line of slf4j would print a warning at each start. */
const slf4jVersion = '1.7.36';

const installCli =
  'install the Temporal CLI (server 1.29 or newer) and set TEMPORAL_CLI_PATH to it';
const installTestServer =
  'install Java and Maven (packages default-jre-headless and maven), or set TEMPORAL_TEST_SERVER_PATH to a Temporal test server';

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
  const named = await cliNamedByVariable(search.env);
  if (named !== null) return named;
  const cache = cacheFolder(search.env);
  const cached = join(cache, 'temporal');
  if (await isGoodCli(cached, 'in the cache', search)) return cached;
  const onPath = await findOnPath('temporal', search.env);
  if (onPath !== null && (await isGoodCli(onPath, 'on PATH', search))) return onPath;

  return underLock('temporal', cache, search, async () => {
    if (await isExecutableFile(cached)) {
      if (await isGoodCli(cached, 'in the cache', { ...search, say: () => undefined })) {
        return cached;
      }
    }
    search.say(
      'No temporal in the cache or on PATH: downloading it (given up within seconds without a network); if that fails, it is built with Go.',
    );
    const downloadFailure = await aside(cache, 'temporal', async (folder) => {
      const executable = join(folder, 'temporal');
      const failure = await tryDownload('cli', executable, search);
      if (failure !== null) return failure;
      const server = await serverVersionOf(executable, search.env);
      if (server.version === null) return server.reason;
      if (!server.atLeast129) return `it is server ${server.version}, older than 1.29`;
      await rename(executable, cached);
      search.say(`temporal (server ${server.version}) is in the cache.`);
      return null;
    });
    if (downloadFailure === null) return cached;

    const buildFailure = await aside(cache, 'temporal', async (folder) => {
      const failure = await buildCli(folder, downloadFailure, search);
      if (failure !== null) return failure;
      const executable = join(folder, 'bin', 'temporal');
      const server = await serverVersionOf(executable, search.env);
      if (server.version === null) return `what was built does not run: ${server.reason}`;
      await rename(executable, cached);
      search.say(`temporal (server ${server.version}) is built and in the cache.`);
      return null;
    });
    if (buildFailure === null) return cached;
    throw new ToolNotFoundError(
      `The Temporal dev server could be neither downloaded (${downloadFailure}) nor built (${buildFailure}): ${installCli}.`,
    );
  });
}

/**
 * The Temporal CLI that `findTemporalCli` would take without downloading or building one; null when
 * there is none. Throws `ToolNotFoundError` for a `TEMPORAL_CLI_PATH` that does not serve.
 */
export async function knownTemporalCli(
  env: NodeJS.ProcessEnv,
): Promise<{ path: string; serverVersion: string } | null> {
  const named = await cliNamedByVariable(env);
  const cached = join(cacheFolder(env), 'temporal');
  const places = named === null ? [cached, await findOnPath('temporal', env)] : [named];
  for (const path of places) {
    if (path === null || !(await isExecutableFile(path))) continue;
    const server = await serverVersionOf(path, env);
    if (server.version !== null && server.atLeast129) {
      return { path, serverVersion: server.version };
    }
  }
  if (named === null) return null;
  throw new ToolNotFoundError(`TEMPORAL_CLI_PATH: ${named} does not run as a Temporal CLI.`);
}

async function cliNamedByVariable(env: NodeJS.ProcessEnv): Promise<string | null> {
  const named = await namedByVariable('TEMPORAL_CLI_PATH', env);
  if (named === null) return null;
  const server = await serverVersionOf(named, env);
  if (server.version !== null && !server.atLeast129) {
    throw new ToolNotFoundError(
      `TEMPORAL_CLI_PATH points at ${named}, which is server ${server.version}: set it to one with server 1.29 or newer.`,
    );
  }
  return named;
}

/**
 * The path of a time-skipping test server: `TEMPORAL_TEST_SERVER_PATH`, our cache, the SDK's download,
 * Maven's jars behind a script that starts java; in this order. The last two go into the cache.
 * Throws `ToolNotFoundError`.
 */
export async function findTestServer(search: ToolSearch): Promise<string> {
  const named = await namedByVariable('TEMPORAL_TEST_SERVER_PATH', search.env);
  if (named !== null) return named;
  const cache = cacheFolder(search.env);
  const fromJars = join(cache, `temporal-test-server-${testServerVersion}`);
  const script = join(fromJars, 'temporal-test-server');
  const native = join(cache, 'temporal-test-server');
  const atHand = async () => {
    if (await isExecutableFile(native)) return native;
    return (await isExecutableFile(script)) && (await javaFailure(search)) === null ? script : null;
  };
  const found = await atHand();
  if (found !== null) return found;

  return underLock('temporal-test-server', cache, search, async () => {
    const meanwhile = await atHand();
    if (meanwhile !== null) return meanwhile;
    search.say(
      'No Temporal test server in the cache: downloading it (given up within seconds without a network); if that fails, it is put together from Maven.',
    );
    const downloadFailure = await aside(cache, 'temporal-test-server', async (folder) => {
      const executable = join(folder, 'temporal-test-server');
      const failure = await tryDownload('temporal-test-server', executable, search);
      if (failure === null) {
        await rename(executable, native);
        search.say('The Temporal test server is in the cache.');
      }
      return failure;
    });
    if (downloadFailure === null) return native;

    const jarsFailure = await aside(cache, 'temporal-test-server', async (folder) => {
      const failure = await gatherJars(folder, downloadFailure, search);
      if (failure !== null) return failure;
      await rm(fromJars, { recursive: true, force: true });
      await rename(join(folder, 'server'), fromJars);
      search.say(`The Temporal test server ${testServerVersion} is in the cache.`);
      return null;
    });
    if (jarsFailure === null) return script;
    throw new ToolNotFoundError(
      `The Temporal test server could be neither downloaded (${downloadFailure}) nor put together (${jarsFailure}): ${installTestServer}.`,
    );
  });
}

async function namedByVariable(variable: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  const path = env[variable];
  if (!path) return null;
  if (await isExecutableFile(path)) return path;
  throw new ToolNotFoundError(
    `${variable} points at ${path}, which is not an executable file: correct or unset ${variable}.`,
  );
}

/** `$XDG_CACHE_HOME/diligence`, else `~/.cache/diligence`; a relative XDG path is ignored, as its specification asks. */
function cacheFolder(env: NodeJS.ProcessEnv): string {
  const xdg = env.XDG_CACHE_HOME;
  if (xdg && isAbsolute(xdg)) return join(xdg, 'diligence');
  return join(env.HOME || homedir(), '.cache', 'diligence');
}

async function isGoodCli(path: string, where: string, search: ToolSearch): Promise<boolean> {
  if (!(await isExecutableFile(path))) return false;
  const server = await serverVersionOf(path, search.env);
  if (server.version !== null && server.atLeast129) return true;
  search.say(
    server.version === null
      ? `The temporal ${where} is not used: ${server.reason}.`
      : `The temporal ${where} is not used: it is server ${server.version}, and 1.29 is needed.`,
  );
  return false;
}

async function underLock<T>(
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

/** Work in a folder of its own beside the target, on the same file system, gone afterwards whatever happens. */
async function aside<T>(
  cache: string,
  tool: string,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const prefix = `.${tool}-aside-`;
  await removeLeftovers(cache, prefix);
  const folder = await mkdtemp(join(cache, prefix));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** What a killed process left. A young folder may still be in use by one that lost its lock while frozen. */
async function removeLeftovers(cache: string, prefix: string): Promise<void> {
  for (const name of await readdir(cache)) {
    if (!name.startsWith(prefix)) continue;
    const path = join(cache, name);
    const madeAt = await stat(path).then(
      (found) => found.mtimeMs,
      () => null,
    );
    if (madeAt !== null && Date.now() - madeAt > 3_600_000) {
      await rm(path, { recursive: true, force: true });
    }
  }
}

async function tryDownload(
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
    GOBIN: join(folder, 'bin'),
    GOTMPDIR: scratch,
    CGO_ENABLED: '0',
    GOWORK: 'off',
  };
  // With these set, go installs for another machine and refuses GOBIN.
  delete env.GOOS;
  delete env.GOARCH;

  const asked = await run('go', ['version'], {
    env,
    cwd: folder,
    timeoutMs: 30_000,
    signal: search.signal,
  });
  if (!asked.ok) return `Go does not run: ${asked.reason}`;
  const found = /go(\d+)\.(\d+)/.exec(asked.output);
  const [major, minor] = [Number(found?.[1] ?? 0), Number(found?.[2] ?? 0)];
  const go = `Go ${major}.${minor}`;
  if (major === 1 && minor < 25 && (minor < 21 || env.GOTOOLCHAIN === 'local')) {
    return `${go} is too old, 1.25 is needed`;
  }
  const newer = major === 1 && minor < 25 ? ` (it first fetches a newer Go than ${go})` : '';
  search.say(
    `The download did not work (${downloadFailure}): building temporal with Go${newer}, once, which takes 2 to 3 minutes.`,
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

async function javaFailure(search: ToolSearch): Promise<string | null> {
  const asked = await run('java', ['-version'], {
    env: toolEnvironment(search.env),
    timeoutMs: 30_000,
    signal: search.signal,
  });
  return asked.ok ? null : `Java does not run: ${asked.reason}`;
}

const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>diligence</groupId>
  <artifactId>test-server</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>io.temporal</groupId>
      <artifactId>temporal-test-server</artifactId>
      <version>${testServerVersion}</version>
    </dependency>
    <dependency>
      <groupId>org.slf4j</groupId>
      <artifactId>slf4j-nop</artifactId>
      <version>${slf4jVersion}</version>
    </dependency>
  </dependencies>
</project>
`;

/** The SDK kills what it started, so java must be that process: hence exec. It waits five seconds for it, hence the flags. */
const testServerScript = `#!/bin/sh
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
exec java -XX:TieredStopAtLevel=1 -Xshare:auto -cp "$here/lib/*" io.temporal.testserver.TestServer "$@"
`;

async function gatherJars(
  folder: string,
  downloadFailure: string,
  search: ToolSearch,
): Promise<string | null> {
  const noJava = await javaFailure(search);
  if (noJava !== null) return noJava;
  const server = join(folder, 'server');
  await mkdir(server);
  await writeFile(join(folder, 'pom.xml'), pom);
  search.say(
    `The download did not work (${downloadFailure}): gathering the test server's jars with Maven, once, which takes about ten seconds.`,
  );
  const gathered = await run(
    'mvn',
    [
      '-B',
      '-q',
      'dependency:copy-dependencies',
      '-DincludeScope=runtime',
      '-DoutputDirectory=server/lib',
    ],
    {
      env: toolEnvironment(search.env),
      cwd: folder,
      timeoutMs: 10 * 60_000,
      signal: search.signal,
      onAlive: (seconds) => search.say(`Still gathering jars: ${seconds} s.`),
      ...(search.aliveEveryMs === undefined ? {} : { aliveEveryMs: search.aliveEveryMs }),
    },
  );
  if (!gathered.ok) return `Maven: ${gathered.reason}`;
  const jars = await readdir(join(server, 'lib')).catch((): string[] => []);
  if (!jars.includes(`temporal-test-server-${testServerVersion}.jar`)) {
    return 'Maven copied no test server';
  }
  await writeFile(join(server, 'temporal-test-server'), testServerScript, { mode: 0o755 });
  return null;
}

/** fetch hides why in the cause, and node several causes in an AggregateError. */
function reasonOf(error: unknown): string {
  const { message, cause, errors } = error as Partial<AggregateError>;
  if (cause !== undefined) return reasonOf(cause);
  if (errors?.[0] !== undefined) return reasonOf(errors[0]);
  return message || String(error);
}
