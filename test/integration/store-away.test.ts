import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { rowsProgressQuery } from '../../src/workflows/messages';
import { isInFlight, postsOf } from '../support/batch-account';
import { accountOf, batchUnderWay, slowRequests } from '../support/batch-under-way';
import { Installation, eventually } from '../support/diligence-process';

let place: Installation;

beforeAll(async () => {
  place = await Installation.start(slowRequests as never);
  await place.startWorker();
}, 60_000);
afterAll(() => place.stop(), 60_000);

const posts = () => postsOf(place.sandbox);
const store = () => join(place.folder, 'data', 'store');

test('a batch whose store is moved away sends nothing, says so, and goes on when it is back', async () => {
  const id = await batchUnderWay(place);
  const workflow = (await place.client()).workflow;
  await place.run(['pause', id]);
  // A row of each chunk may have been claimed before the pause, and leaves after it.
  await sleep(1_000);
  await eventually('nothing is in flight', () => !posts().some(isInFlight));
  await place.endCommands();
  await rename(store(), `${store()}-away`);
  const sent = posts().length;
  await workflow.getHandle(id).executeUpdate('resume');
  await eventually('it waits for the store', async () => {
    const { waiting } = await workflow.getHandle(`${id}/lane-0000`).query(rowsProgressQuery);
    return waiting?.reason === 'store';
  });
  expect(posts()).toHaveLength(sent);
  await rename(`${store()}-away`, store());
  await place.run(['resume', id]);

  const { lines, found } = await accountOf(place, id);
  expect(found).toEqual([]);
  expect(lines.every(({ status }) => status === 'issued')).toBe(true);
}, 60_000);
