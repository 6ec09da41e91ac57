import { workflowIdOf } from '../../src/domain/job';
import { sheetRows } from '../support/credit-installation';
import { eventually, type Installation } from '../support/diligence-process';
import {
  countsOf,
  dossierCommand,
  dossierInstallation,
  followDossier,
  holdDossier,
  slow,
  soon,
} from '../support/dossier-installation';

/** Works about dossiers that were broken off: who comes later is given nobody else's order. */

jest.setTimeout(180_000);

let place: Installation;
beforeAll(async () => {
  place = await dossierInstallation({
    seeded: { dossiers: 4 },
    pattern: { ...soon, end: [{ kind: 'failure_retryable', times: 9 }] },
  });
});
afterAll(async () => {
  await place.stop();
});

async function breakOff(id: string): Promise<void> {
  const client = await place.client();
  await client.workflow.getHandle(workflowIdOf(id)).terminate('by the test');
}

test('to follow a dossier costs nothing and cancels nothing, whatever was asked for before', async () => {
  const wanted = holdDossier(place, { end: 'completed' });
  const failing = holdDossier(place, { end: [{ kind: 'failure_retryable', times: 9 }] });
  await place.stopWorkers();
  await dossierCommand(place, ['cancel', wanted, '--detach']);
  await dossierCommand(place, ['follow', failing, '--max-attempts', '2', '--detach']);
  for (const id of [wanted, failing]) await breakOff(`dossier/${id}`);
  await place.startWorkerHere();
  const [completed, failed] = await Promise.all([
    followDossier(place, wanted),
    followDossier(place, failing),
  ]);
  expect(completed).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('is left: it was asked for to cancel the dossier'),
    shown: { outcome: { status: 'completed', cancelRequested: false } },
  });
  expect(failed).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is left: it was asked for with --max-attempts 2'),
    shown: { outcome: { status: 'failed', caused: 0 } },
  });
  expect(countsOf(place, wanted)).toMatchObject({ cancelRequests: 0 });
  expect(countsOf(place, failing)).toMatchObject({ retryRequests: 0 });
});

test('the same command goes on with what was broken off, and two at once are one work', async () => {
  const id = holdDossier(place, { end: ['failure_retryable', 'completed'] });
  await place.stopWorkers();
  const terms = ['--max-attempts', '2'];
  await dossierCommand(place, ['follow', id, ...terms, '--detach']);
  await breakOff(`dossier/${id}`);
  await place.startWorkerHere();
  const again = await followDossier(place, id, ...terms);
  expect(again).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('was interrupted, and goes on'),
    shown: { outcome: { status: 'completed', caused: 1 } },
  });
  const other = holdDossier(place, slow);
  const both = await Promise.all(
    [1, 2].map(() => place.run(['dossier', 'follow', other, '--detach'])),
  );
  expect(both[0]?.stdout).toMatch(`dossier/${other}/`);
  expect(both[1]?.stdout).toBe(both[0]?.stdout);
  const { stdout } = await place.run(['list', '--json']);
  expect(stdout.split(`"dossier/${other}/`)).toHaveLength(2);
});

test('retries that were broken off go on with the same command, and none is sent twice', async () => {
  const retry = async (...more: string[]) => {
    const { stdout, stderr } = await place.run(['dossier', 'retry-failed', ...more, '--json']);
    return { stderr, told: JSON.parse(stdout) as Record<string, never> };
  };
  await eventually('all have failed', async () => {
    const { told } = await retry('--limit', '10', '--dry-run');
    return Number(told['request']) >= 4;
  });
  const { told } = await retry('--limit', '10', '--detach');
  const items = () => place.sandbox.dossiers.counts().items;
  const tried = () => items().filter(({ retried }) => retried > 0).length;
  const before = tried();
  await eventually('a retry has arrived', () => tried() > before);
  await breakOff(String(told['id']));
  const again = await retry('--limit', '10', '--out', 'out-again');
  expect(again.told['id']).toBe(told['id']);
  const rows = await sheetRows(String(again.told['folder']), 'results.csv');
  expect(rows.filter(({ caused }) => caused !== '1')).toEqual([]);
  const seen = items().filter((one) => rows.some(({ requested }) => requested === one.dossieId));
  expect(seen.map(({ retried }) => retried)).toEqual(rows.map(() => 1));
});

test('an order to a work that does not run reaches no other one of the same dossier', async () => {
  const id = holdDossier(place, slow);
  const begin = async (...terms: string[]) =>
    (await place.run(['dossier', 'follow', id, ...terms, '--detach'])).stdout.trim();
  const left = await begin();
  await breakOff(`dossier/${id}`);
  const running = await begin('--max-attempts', '2');
  expect(await place.run(['cancel', left, '--cancel-remote'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`${left}: it is not running`),
  });
  expect((await place.run(['show', running])).stdout).toContain('running');
  expect(countsOf(place, id)).toMatchObject({ cancelRequests: 0 });
});

test('the work that runs is decided about, although a later one has ended; its batch is cancelled once', async () => {
  const id = holdDossier(place, { end: ['failure_retryable', 'needs_review'] });
  await eventually('it has failed', async () => {
    const { stdout } = await place.run(['dossier', 'list', '--status', 'failed']);
    return stdout.includes(id);
  });
  const retry = ['dossier', 'retry-failed', '--on-review', 'wait', '--detach'];
  await place.stopWorkers();
  const batch = (await place.run(retry)).stdout.trim();
  await breakOff(batch);
  await place.startWorkerHere();
  expect(await followDossier(place, id)).toMatchObject({ code: 1 });
  expect((await place.run(retry)).stdout.trim()).toBe(batch);
  const handle = (await place.client()).workflow.getHandle(`dossier/${id}`);
  await eventually('it is in review', async () => {
    const progress = await handle.query<{ stage: string }>('jobProgress').catch(() => null);
    return progress?.stage === 'review';
  });

  expect(await place.run(['cancel', batch])).toMatchObject({ code: 0 });
  const again = await place.run(['cancel', batch]);
  expect(again).toMatchObject({ code: 1, stdout: '' });
  expect(again.stderr).toContain(`${batch}: it is cancelled`);
  const { stdout } = await place.run(['audit', 'export', '--format', 'json']);
  const records = JSON.parse(stdout) as { kind: string; result: string; job: string }[];
  const orders = records.filter(({ kind, job }) => kind === 'decision' && job === batch);
  expect(orders.map(({ result }) => result)).toEqual(['start', 'cancel', 'cancel', 'refused']);

  const decided = ['--action', 'accept', '--note', 'seen'];
  expect(await place.run(['resolve', `dossier/${id}`, ...decided])).toMatchObject({
    code: 0,
  });
  expect(await handle.result()).toMatchObject({ status: 'completed', review: { note: 'seen' } });
});
