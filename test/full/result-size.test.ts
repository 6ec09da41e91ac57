import { execFile } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { testPayloadKeys } from '../support/temporary-store';

const run = promisify(execFile);
const rows = 100_000;
const mostMiB = 256;
const idKey = 'ab'.repeat(32);
const root = join(__dirname, '..', '..');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'diligence-size-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const work = (what: 'make' | 'end') => {
  const script = join(root, 'test', 'support', 'large-work.ts');
  const store = join(folder, 'data', 'store');
  const words = ['--import', 'tsx', script, what, store, idKey, testPayloadKeys, `${rows}`];
  return run(process.execPath, words, { cwd: root });
};

test(`a batch of ${rows} rows ends, and its result is written, in ${mostMiB} MiB`, async () => {
  await work('make');
  expect(Number((await work('end')).stdout)).toBeLessThan(mostMiB);

  const peak = join(folder, 'peak.cjs');
  await writeFile(
    peak,
    `process.on('exit', () => process.stderr.write('peak ' + process.resourceUsage().maxRSS));`,
  );
  const words = ['result', 'certificate-batch/large', '--out', join(folder, 'out')];
  const env = {
    ...process.env,
    DILIGENCE_DATA_DIR: join(folder, 'data'),
    DILIGENCE_ID_KEY: idKey,
    DILIGENCE_PAYLOAD_KEYS: testPayloadKeys,
  };
  const main = join(root, 'dist', 'main.js');
  const { stderr } = await run(process.execPath, ['-r', peak, main, ...words], { env });
  expect(Number(/peak (\d+)/.exec(stderr)?.[1]) / 1024).toBeLessThan(mostMiB);
  let lines = 0;
  for await (const line of createInterface(createReadStream(join(folder, 'out', 'results.csv')))) {
    if (line.includes(',issued,')) lines += 1;
  }
  expect(lines).toBe(rows);
}, 600_000);
