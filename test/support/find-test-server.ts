import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  aside,
  cacheFolder,
  namedByVariable,
  ToolNotFoundError,
  tryDownload,
  underLock,
  type ToolSearch,
} from '../../src/temporal/tools/cache';
import { isExecutableFile, run, toolEnvironment } from '../../src/temporal/tools/process';

const testServerVersion = '1.38.0';
/** What test server 1.38.0 is compiled against; another line of slf4j would print a warning at each start. */
const slf4jVersion = '1.7.36';
const installTestServer =
  'install Java and Maven (packages default-jre-headless and maven), or set TEMPORAL_TEST_SERVER_PATH to a Temporal test server';

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

  return underLock('temporal-test-server', search, async () => {
    const meanwhile = await atHand();
    if (meanwhile !== null) return meanwhile;
    search.say(
      'No Temporal test server in the cache: downloading it (given up within seconds without a network); if that fails, it is put together from Maven.',
    );
    const downloadFailure = await aside('temporal-test-server', search, async (folder) => {
      const executable = join(folder, 'temporal-test-server');
      const failure = await tryDownload('temporal-test-server', executable, search);
      if (failure === null) {
        await rename(executable, native);
        search.say('The Temporal test server is in the cache.');
      }
      return failure;
    });
    if (downloadFailure === null) return native;

    const jarsFailure = await aside('temporal-test-server', search, async (folder) => {
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

async function javaFailure(search: ToolSearch): Promise<string | null> {
  const { failure } = await run('java', ['-version'], {
    env: toolEnvironment(search.env),
    timeoutMs: 30_000,
    signal: search.signal,
  });
  return failure === null ? null : `Java does not run: ${failure}`;
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
  const { failure } = await run(
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
      aliveEveryMs: search.aliveEveryMs,
    },
  );
  if (failure !== null) return `Maven: ${failure}`;
  const jars = await readdir(join(server, 'lib')).catch((): string[] => []);
  if (!jars.includes(`temporal-test-server-${testServerVersion}.jar`)) {
    return 'Maven copied no test server';
  }
  await writeFile(join(server, 'temporal-test-server'), testServerScript, { mode: 0o755 });
  return null;
}
