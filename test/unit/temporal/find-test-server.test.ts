import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { ToolNotFoundError } from '../../../src/temporal/temporal-cli';
import { findTestServer } from '../../support/find-test-server';
import { noDownload, openDownloadSite, ToolShed } from './tool-shed';

let shed: ToolShed;
beforeEach(() => {
  shed = new ToolShed();
});
afterEach(() => shed.dispose());

const find = (downloadOrigin = noDownload) =>
  findTestServer({ env: shed.env, say: shed.say, downloadOrigin });

function putJavaAndMaven(): void {
  shed.put('java', 'echo "$$ $*"');
  shed.put('mvn', 'mkdir -p server/lib; touch server/lib/temporal-test-server-1.38.0.jar; true');
}

it('names the variable when it points at nothing', async () => {
  shed.env.TEMPORAL_TEST_SERVER_PATH = join(shed.root, 'nothing');
  await expect(find()).rejects.toThrow(/^TEMPORAL_TEST_SERVER_PATH points at .*nothing/);
});

it('gathers the jars with Maven, once, behind a script', async () => {
  putJavaAndMaven();
  const path = await find();
  expect(path).toBe(join(shed.cache, 'temporal-test-server-1.38.0', 'temporal-test-server'));
  expect(shed.cached()).toEqual(['temporal-test-server-1.38.0']);
  const before = shed.said.length;
  expect(await find()).toBe(path);
  expect(shed.said).toHaveLength(before);
});

it('starts java in the place of the script, so that ending the one ends the other', async () => {
  putJavaAndMaven();
  const path = await find();
  const printed = execFileSync('sh', ['-c', `echo $$; exec ${path} 7777`], { env: shed.env })
    .toString()
    .trim()
    .split('\n');
  const [shell = '', java = ''] = printed;
  expect(java).toBe(
    `${shell} -XX:TieredStopAtLevel=1 -Xshare:auto -cp ${shed.cache}/temporal-test-server-1.38.0/lib/* io.temporal.testserver.TestServer 7777`,
  );
});

it('says that Java is missing, and what to install', async () => {
  const failure = find();
  await expect(failure).rejects.toBeInstanceOf(ToolNotFoundError);
  await expect(failure).rejects.toThrow(
    /Java does not run: spawn java ENOENT\): install Java and Maven .* TEMPORAL_TEST_SERVER_PATH to a Temporal test server\.$/,
  );
  expect(shed.cached()).toEqual([]);
});

it('leaves nothing half written when Maven fails', async () => {
  putJavaAndMaven();
  shed.put('mvn', 'mkdir -p server/lib; echo "Could not resolve dependencies"; exit 1');
  await expect(find()).rejects.toThrow(/Maven: Could not resolve dependencies/);
  expect(shed.cached()).toEqual([]);
});

it('prefers the download of the SDK, which needs no Java', async () => {
  const site = await openDownloadSite({ script: 'exit 0', entry: 'temporal-test-server' });
  const path = await find(site.origin);
  await site.close();
  expect(path).toBe(join(shed.cache, 'temporal-test-server'));
  expect(site.received[0]).toMatch(/^\/temporal-test-server\/default\?/);
});
