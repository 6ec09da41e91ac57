import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { Installation, eventually } from '../support/diligence-process';
import { soon } from '../support/dossier-installation';

/** Works whose workflow somebody ends by hand: queries of a closed workflow are still answered. */

const slow: Record<'waitingMs' | 'processingMs', [number, number]> = {
  waitingMs: [0, 0],
  processingMs: [600_000, 600_000],
};
const dossierId = randomUUID();
const failedId = randomUUID();
const cpf = '52998224725';
const target = 'someone@example.com';
let place: Installation;

jest.setTimeout(120_000);
beforeAll(async () => {
  place = await Installation.start({
    traces: { pollAfterSeconds: 1, targets: { '*': slow } },
    lens: { pollAfterSeconds: 1, files: { '*': slow } },
    dossiers: {
      pollAfterSeconds: 1,
      held: {
        [dossierId]: slow,
        [failedId]: { ...soon, end: ['failure_retryable', 'needs_review'] },
      },
    },
    profiles: { people: { '*': { lookup: Array.from({ length: 99 }, () => '401' as const) } } },
  });
  await writeFile(join(place.folder, 'picture.png'), Buffer.from('89504e470d0a1a0a', 'hex'));
  await place.startWorkerHere();
});
afterAll(() => place.stop());

test.each([
  ['a search', () => ['trace', 'search', '--target', target]],
  ['an analysis', () => ['lens', 'analyze', '--input', join(place.folder, 'picture.png')]],
  ['a lookup', () => ['profile', 'lookup', '--cpf', cpf]],
  ['a dossier', () => ['dossier', 'follow', dossierId]],
  ['a batch of dossiers', () => ['dossier', 'retry-failed', '--on-review', 'wait']],
])('%s that was terminated is broken off, is not cancelled, and goes on', async (_, wordsOf) => {
  const words = [...wordsOf(), '--detach'];
  const id = (await place.run(words)).stdout.trim();
  const [kind = '', name] = id.split('/');
  const handle = (await place.client()).workflow.getHandle(`${kind}/${name}`);
  const query = kind.endsWith('-batch') ? 'jobBatchProgress' : 'jobProgress';
  const tells = () => handle.query(query);
  await eventually('its worker tells of it', () => tells().then(Boolean, () => false));
  await handle.terminate('by the test');

  const { stdout } = await place.run(['show', id, '--json']);
  // What the store counts is known all the same.
  const progress = kind === 'dossier-batch' ? { total: 1, counts: {} } : null;
  expect(JSON.parse(stdout)).toMatchObject({ id, status: 'interrupted', progress });
  const cancelled = await place.run(['cancel', id]);
  expect(cancelled).toMatchObject({ code: 1, stdout: '' });
  expect(cancelled.stderr).toContain(`${id}: it is not running: `);

  expect((await place.run(words)).stdout.trim()).toBe(id);
  expect((await handle.describe()).status.name).toBe('RUNNING');
});
