import { randomUUID } from 'node:crypto';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Installation, eventually } from '../support/diligence-process';
import { samplesOf, sumOf } from '../support/prometheus-text';
import { refusingOrigin } from '../support/loopback-server';

/** A worker of another version meets work that is under way: its workflows throw. */

const dossierId = randomUUID();
const root = join(__dirname, '../..');
let place: Installation;

jest.setTimeout(180_000);
beforeAll(async () => {
  place = await Installation.start({
    dossiers: {
      pollAfterSeconds: 1,
      held: { [dossierId]: { waitingMs: [0, 0], processingMs: [600_000, 600_000] } },
    },
  });
});
afterAll(() => place.stop());

/** The program with one line of its workflows changed. */
async function brokenProgram(): Promise<string> {
  const folder = join(place.folder, 'other-version');
  await mkdir(folder);
  await cp(join(root, 'dist'), join(folder, 'dist'), { recursive: true });
  await cp(join(root, 'package.json'), join(folder, 'package.json'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const bundle = join(folder, 'dist/workflow-bundle.js');
  const begin = 'async function runJob(kind) {';
  const code = await readFile(bundle, 'utf8');
  expect(code.split(begin)).toHaveLength(2);
  await writeFile(bundle, code.replace(begin, `${begin} throw new TypeError('another version');`));
  return join(folder, 'dist/main.js');
}

test('a workflow that fails at another version is shown by every command, and goes on with its own', async () => {
  const address = new URL(await refusingOrigin()).host;
  const program = await brokenProgram();
  const worker = await place.startWorker({ DILIGENCE_METRICS_ADDRESS: address }, [], program);
  const id = (await place.run(['dossier', 'follow', dossierId, '--detach'])).stdout.trim();
  expect((await place.run(['show', id])).code).toBe(0);
  await eventually(
    'it is seen to stand still',
    async () => (await place.run(['show', id])).stdout.includes('stands still'),
    90_000,
  );
  expect((await place.run(['show', id])).code).toBe(3);
  const json = JSON.parse((await place.run(['show', id, '--json'])).stdout) as object;
  expect(json).toMatchObject({ status: 'stands still', needsAttention: true, exitCode: 3 });
  expect((await place.run(['list'])).stdout).toMatch(/open \(needs a person: stands_still\)/);
  expect((await place.run(['inbox'])).stdout).toContain('its workflow fails again and again');
  const doctor = await place.run(['doctor']);
  expect(doctor.code).toBe(1);
  expect(doctor.stdout).toContain(id);
  const page = await (await fetch(`http://${address}/metrics`)).text();
  expect(sumOf(samplesOf(page), 'diligence_workflows_standing_still')).toBe(1);
  expect(await place.workerLog()).toMatch(/"job":"dossier.*"msg":"workflow stands still"/);

  expect(worker.exitCode).toBeNull();
  await place.stopWorkers();
  await place.startWorker();
  await eventually(
    'it goes on',
    async () => (await place.run(['show', id])).stdout.includes('running'),
    60_000,
  );
  expect((await place.run(['show', id])).code).toBe(0);
  expect((await place.run(['inbox'])).stdout).not.toContain(id);
});
