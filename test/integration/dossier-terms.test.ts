import type { DossierBatchOutcome } from '../../src/domain/dossiers/retry-batch';
import { eventually, type Installation } from '../support/diligence-process';
import {
  countsOf,
  dossierCommand,
  dossierInstallation,
  followDossier,
  holdDossier,
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

async function breakOff(workflowId: string): Promise<void> {
  const client = await place.client();
  await client.workflow.getHandle(workflowId).terminate('by the test');
}

test('to follow a dossier costs nothing and cancels nothing, whatever was asked for before', async () => {
  const wanted = holdDossier(place, { end: 'completed' });
  const failing = holdDossier(place, { end: [{ kind: 'failure_retryable', times: 9 }] });
  await place.stopWorkers();
  await dossierCommand(place, ['cancel', '--id', wanted, '--detach']);
  await dossierCommand(place, ['follow', '--id', failing, '--max-attempts', '2', '--detach']);
  for (const id of [wanted, failing]) await breakOff(`dossier/${id}`);
  await place.startWorker();
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
  await dossierCommand(place, ['follow', '--id', id, ...terms, '--detach']);
  await breakOff(`dossier/${id}`);
  await place.startWorker();
  const again = await followDossier(place, id, ...terms);
  expect(again).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('was broken off, and goes on'),
    shown: { outcome: { status: 'completed', caused: 1 } },
  });
  const other = holdDossier(place, { end: 'completed', processingMs: [3_000, 3_000] });
  const both = await Promise.all([followDossier(place, other), followDossier(place, other)]);
  expect(both[0]?.shown?.id).toEqual(both[1]?.shown?.id);
  const { stdout } = await place.run(['list', '--json']);
  expect(stdout.split(`"dossier/${other}/`)).toHaveLength(2);
});

test('retries that were broken off go on with the same command, and none is sent twice', async () => {
  const retry = async (...more: string[]) => {
    const { stdout, stderr } = await place.run(['dossier', 'retry-failed', ...more, '--json']);
    return { stderr, told: JSON.parse(stdout) as Record<string, never> };
  };
  await eventually('all have failed', async () => {
    const { told } = await retry('--limit', '10');
    return ((told['dossiers'] ?? []) as unknown[]).length >= 4;
  });
  const { told } = await retry('--limit', '10', '--yes', '--detach');
  const items = () => place.sandbox.dossiers.counts().items;
  const tried = () => items().filter(({ retried }) => retried > 0).length;
  const before = tried();
  await eventually('a retry has arrived', () => tried() > before);
  await breakOff(String(told['id']));
  const again = await retry('--limit', '10', '--yes');
  expect(again.stderr).toContain(`${String(told['id'])} was broken off, and goes on`);
  const outcome = again.told['outcome'] as unknown as DossierBatchOutcome;
  expect(again.told['id']).toBe(told['id']);
  expect(outcome.items.filter(({ caused }) => caused !== 1)).toEqual([]);
  const seen = items().filter((one) => outcome.items.some((it) => it.dossierId === one.dossieId));
  expect(seen.map(({ retried }) => retried)).toEqual(outcome.items.map(() => 1));
});
