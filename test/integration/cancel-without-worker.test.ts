import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { contradictions, isInFlight, postsOf } from '../support/batch-account';
import { Installation, eventually, readSheetLines } from '../support/diligence-process';
import { sheetOf } from '../support/documents';
import { tamperWith } from '../support/temporary-store';

const rows = 24;

describe('an order that is given while no worker runs', () => {
  let place: Installation;
  let id: string;
  let requested: number;

  const posts = () => postsOf(place.sandbox);

  beforeAll(async () => {
    place = await Installation.start({
      issuance: { waitingMs: [20, 50], processingMs: [200, 500], distribution: 'uniform' },
      documents: { '*': { request: [{ kind: 'slow', delayMs: 200, times: 'forever' }] } },
    });
    const worker = await place.startWorker();
    await writeFile(join(place.folder, 'input.csv'), sheetOf(rows, 1_000));
    const words = ['certificate', 'batch', '--input', 'input.csv', '--detach', '--json'];
    const { stdout } = await place.run(words);
    id = (JSON.parse(stdout) as { id: string }).id;
    await eventually(
      'requests are in flight',
      () => posts().length > 5 && posts().some(isInFlight),
    );
    const exited = once(worker, 'exit');
    worker.kill('SIGTERM');
    await exited;
    requested = posts().length;
  }, 60_000);

  afterAll(() => place.stop(), 60_000);

  test('to cancel is told as on record', async () => {
    const { code, stdout } = await place.run(['cancel', id]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('no worker answers; on record')]);
  }, 30_000);

  test('holds: the next worker buys nothing, and brings home what is out', async () => {
    await place.startWorker();
    await (await place.client()).workflow.getHandle(id).result();
    expect(posts()).toHaveLength(requested);
    expect((await place.run(['result', id, '--out', 'out'])).code).toBe(0);
    const folder = join(place.folder, 'out');
    const lines = await readSheetLines(join(folder, 'results.csv'));
    expect(await contradictions(place.sandbox, lines, folder)).toEqual([]);
    const count = (status: string) => lines.filter((line) => line.status === status).length;
    expect([count('issued'), count('cancelled')]).toEqual([requested, rows - requested]);
  }, 60_000);

  test('to pause stands when it is given again and refused, and until `resume`', async () => {
    await writeFile(join(place.folder, 'more.csv'), sheetOf(rows, 2_000));
    const words = ['certificate', 'batch', '--input', 'more.csv', '--detach', '--json'];
    const { stdout } = await place.run(words);
    id = (JSON.parse(stdout) as { id: string }).id;
    await eventually('requests are in flight', () => posts().length > requested + 5);
    expect(await place.run(['pause', id])).toMatchObject({ code: 0 });
    const again = await place.run(['pause', id]);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('paused already')]);
    const marks = 'SELECT word FROM stop_mark WHERE folder = ?';
    expect(await tamperWith(place.folder, marks, `works/${id}`)).toEqual([{ word: 'paused' }]);
    expect(await place.run(['resume', id])).toMatchObject({ code: 0 });
    await (await place.client()).workflow.getHandle(id).result();
    expect(posts()).toHaveLength(requested + rows);
  }, 60_000);
});
