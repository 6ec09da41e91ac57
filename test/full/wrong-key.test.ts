import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Installation } from '../support/diligence-process';
import { sheetOf } from '../support/documents';
import { failedByStranger } from '../support/stranger-worker';

/** The task that the stranger had taken ends with its time-out, which no test makes shorter. */
describe('work that a process with a wrong payload key has failed at', () => {
  let place: Installation;

  beforeAll(async () => {
    place = await Installation.start({});
  }, 60_000);
  afterAll(() => place.stop(), 60_000);

  test('goes on with ours, and nothing is done twice', async () => {
    await writeFile(join(place.folder, 'input.csv'), sheetOf(10));
    const args = ['certificate', 'batch', '--input', 'input.csv', '--detach', '--json'];
    const { stdout } = await place.run(args);
    const { id } = JSON.parse(stdout) as { id: string };
    await failedByStranger(place, id);
    await place.startWorker();
    const client = await place.client();
    expect(await client.workflow.getHandle(id).result()).toMatchObject({ counts: { issued: 10 } });
    expect(place.sandbox.counts().every(({ started }) => started === 1)).toBe(true);
  }, 240_000);
});
