import { constants } from 'node:fs';
import { access, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  cacheFolder,
  download,
  inCache,
  reasonOf,
  ToolNotFoundError,
  type ToolSearch,
} from '../../src/temporal/temporal-cli';
import { run, toolEnvironment } from '../../src/temporal/processes';

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
  const named = search.env.TEMPORAL_TEST_SERVER_PATH;
  if (named) {
    if (await isExecutable(named)) return named;
    throw new ToolNotFoundError(
      `TEMPORAL_TEST_SERVER_PATH points at ${named}, which is not an executable file: correct or unset it.`,
    );
  }
  const cache = cacheFolder(search.env);
  const fromJars = join(cache, `temporal-test-server-${testServerVersion}`);
  const script = join(fromJars, 'temporal-test-server');
  const native = join(cache, 'temporal-test-server');
  const atHand = async () => {
    if (await isExecutable(native)) return native;
    return (await isExecutable(script)) && (await javaFailure(search)) === null ? script : null;
  };
  const found = await atHand();
  if (found !== null) return found;

  return inCache('temporal-test-server', search, async (folder) => {
    const meanwhile = await atHand();
    if (meanwhile !== null) return meanwhile;
    search.say(
      'No Temporal test server in the cache: downloading it (given up within seconds without a network); if that fails, it is put together from Maven.',
    );
    let notDownloaded: string;
    try {
      const tool = 'temporal-test-server';
      await rename(await download(tool, tool, folder, search), native);
      return native;
    } catch (error) {
      notDownloaded = reasonOf(error);
    }
    const notGathered = await gatherJars(folder, notDownloaded, search);
    if (notGathered !== null) {
      throw new ToolNotFoundError(
        `The Temporal test server could be neither downloaded (${notDownloaded}) nor put together (${notGathered}): ${installTestServer}.`,
      );
    }
    await rm(fromJars, { recursive: true, force: true });
    await rename(join(folder, 'server'), fromJars);
    search.say(`The Temporal test server ${testServerVersion} is in the cache.`);
    return script;
  });
}

const isExecutable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

async function javaFailure({ env, signal }: ToolSearch): Promise<string | null> {
  const options = { env: toolEnvironment(env), timeout: 30_000, signal };
  return run('java', ['-version'], options).then(
    () => null,
    (error: Error) => `Java does not run: ${error.message}`,
  );
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
  const words = ['-DincludeScope=runtime', '-DoutputDirectory=server/lib'];
  const options = { env: toolEnvironment(search.env), cwd: folder, timeout: 10 * 60_000 };
  try {
    await run('mvn', ['-B', '-q', 'dependency:copy-dependencies', ...words], options);
  } catch (error) {
    return `Maven: ${(error as Error).message}`;
  }
  const jars = await readdir(join(server, 'lib')).catch((): string[] => []);
  if (!jars.includes(`temporal-test-server-${testServerVersion}.jar`)) {
    return 'Maven copied no test server';
  }
  await writeFile(join(server, 'temporal-test-server'), testServerScript, { mode: 0o755 });
  return null;
}
