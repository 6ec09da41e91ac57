import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { contradictions, isInFlight, postsOf } from '../support/batch-account';
import { Installation, eventually, readSheetLines } from '../support/diligence-process';
import { sheetOf } from '../support/documents';
import { MachineLoad } from '../support/machine-load';
import { configured } from '../support/configured';

const rows = 60;
/** How long the service takes to answer a request. */
const postMs = 500;

describe('requests that the service answers slowly', () => {
  let place: Installation;

  beforeAll(async () => {
    place = await Installation.start(
      {
        issuance: { waitingMs: [20, 50], processingMs: [200, 500], distribution: 'uniform' },
        documents: { '*': { request: [{ kind: 'slow', delayMs: postMs, times: 'forever' }] } },
      },
      configured({ certificates: { timeoutSeconds: 10 } }),
    );
    await place.startWorkerHere();
  }, 60_000);

  beforeEach(() => place.sandbox.reset());
  afterAll(() => place.stop(), 60_000);

  const posts = () => postsOf(place.sandbox);
  const brokenOff = () => posts().filter(({ abandoned }) => abandoned);
  const underWay = () =>
    eventually('requests are in flight', () => posts().length > 5 && posts().some(isInFlight));

  /** @param from the first of its documents, which no other test has bought */
  async function startDetached(from: number): Promise<string> {
    const input = `input-${from}.csv`;
    await writeFile(join(place.folder, input), sheetOf(rows, from));
    const { stdout } = await place.run([
      'certificate',
      'batch',
      '--input',
      input,
      '--detach',
      '--json',
    ]);
    return (JSON.parse(stdout) as { id: string }).id;
  }

  async function untilEnded(id: string) {
    await (await place.client()).workflow.getHandle(id).result();
    const { stdout } = await place.run(['show', id, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ outcome: expect.any(Object) });
    const out = id.replaceAll('/', '-');
    expect((await place.run(['result', id, '--out', out])).code).toBe(0);
    const folder = join(place.folder, out);
    const lines = await readSheetLines(join(folder, 'results.csv'));
    expect(lines).toHaveLength(rows);
    expect(await contradictions(place.sandbox, lines, folder)).toEqual([]);
    return lines;
  }

  test('stop within two seconds of a pause, go on, and stop for a cancel, none broken off', async () => {
    const id = await startDetached(1_000);
    const handle = (await place.client()).workflow.getHandle(id);
    await underWay();

    const load = new MachineLoad();
    const pausedAt = Date.now();
    await handle.executeUpdate('pause');
    // Long enough for several runs, had there been any.
    await sleep(3_000);
    const last = Math.max(...posts().map(({ at }) => Date.parse(at)));
    expect(last - pausedAt).toBeLessThanOrEqual((2_000 + postMs) * load.slowness());
    expect(posts().filter(isInFlight)).toEqual([]);
    const paused = posts().length;
    expect((await place.run(['show', id])).stdout).toContain('waiting: paused');
    expect(posts()).toHaveLength(paused);

    expect((await place.run(['resume', id])).code).toBe(0);
    await eventually('requests go on', () => posts().length > paused + 5);
    await eventually('requests are in flight', () => posts().some(isInFlight));
    expect((await place.run(['cancel', id])).code).toBe(0);
    const lines = await untilEnded(id);

    expect(brokenOff()).toEqual([]);
    const requested = posts().length;
    expect(requested).toBeLessThan(rows);
    const count = (status: string) => lines.filter((line) => line.status === status).length;
    expect([count('issued'), count('cancelled')]).toEqual([requested, rows - requested]);
  }, 120_000);

  test('are answered before `cancel --now` ends the batch, and their ids are kept', async () => {
    place.sandbox.configure({
      issuance: { waitingMs: [0, 0], processingMs: [3_600_000, 3_600_000] },
    });
    const id = await startDetached(2_000);
    await underWay();
    expect((await place.run(['cancel', id, '--now'])).code).toBe(0);
    const lines = await untilEnded(id);

    expect(brokenOff()).toEqual([]);
    expect(lines.every(({ status }) => status === 'cancelled')).toBe(true);
    const held = place.sandbox
      .state()
      .certificates.map(({ certificate }) => String(certificate['certidao_id']));
    const kept = lines.map(({ certidao_id: certidaoId }) => certidaoId).filter((one) => one !== '');
    expect(kept.toSorted()).toEqual(held.toSorted());
    expect(held.length).toBeLessThan(rows);
  }, 120_000);
});
