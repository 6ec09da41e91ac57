import { once } from 'node:events';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isInFlight, postsOf } from '../support/batch-account';
import { accountOf, batchUnderWay, slowRequests } from '../support/batch-under-way';
import { Installation, eventually } from '../support/diligence-process';
import { SmallDisk, testWithDisks } from '../support/disks';

let place: Installation;
let disk: SmallDisk | null = null;

afterEach(async () => {
  await place.stop();
  await disk?.remove();
  disk = null;
}, 60_000);

const posts = () => postsOf(place.sandbox);
const store = () => join(place.folder, 'data', 'store');

test('a batch sends nothing on the strength of another store that stands in the place of its own', async () => {
  place = await Installation.start(slowRequests as never);
  await place.startWorker();
  const id = await batchUnderWay(place);
  await rename(store(), `${store()}-away`);
  await place.run(['list']);
  await eventually('nothing is in flight', () => !posts().some(isInFlight));
  const sent = posts().length;
  await eventually('it was tried', async () => (await place.workerLog()).includes('StoreError'));
  expect(posts()).toHaveLength(sent);
  await rm(store(), { recursive: true });
  await rename(`${store()}-away`, store());

  const { found } = await accountOf(place, id);
  expect(found).toEqual([]);
  expect(place.sandbox.counts().every((count) => count.started === 1)).toBe(true);
}, 60_000);

testWithDisks.each(['lives', 'is killed'] as const)(
  'ids that come while the disk is full are kept when the worker %s',
  async (worker) => {
    disk = await SmallDisk.make(16);
    place = await Installation.start({ ...slowRequests, latencyMs: [500, 700] } as never, {
      DILIGENCE_DATA_DIR: join(disk.path, 'data'),
    });
    const child = await place.startWorker();
    const id = await batchUnderWay(place);
    await eventually('requests are in flight', () => posts().some(isInFlight));
    const answered = posts().filter((post) => !isInFlight(post)).length;
    await disk.fill();
    await eventually('they are answered', () => !posts().some(isInFlight));
    const inFlight = posts().length - answered;
    if (worker === 'is killed') {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    await disk.free();
    if (worker === 'is killed') await place.startWorker();

    const { lines, found } = await accountOf(place, id);
    const unknown = lines.filter(({ status }) => status === 'unknown_outcome');
    expect(unknown.length).toBeLessThanOrEqual(worker === 'lives' ? 0 : inFlight);
    expect(found.filter((one) => !one.includes('(unknown_outcome)'))).toEqual([]);
  },
  90_000,
);
