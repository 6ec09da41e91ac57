import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { decodeFromPayloadsAtIndex } from '@temporalio/common/lib/internal-non-workflow';
import type { CertificateLaneInput } from '../../src/workflows/certificates/certificate-lane';
import type { CertificateBatchInput } from '../../src/workflows/inputs';
import { postsOf } from '../support/batch-account';
import { Installation, readSheetLines } from '../support/diligence-process';
import { sheetOf } from '../support/documents';
import { eventCount, historiesOf, largestEventBytes, runsOf } from '../support/histories';
import { MachineLoad } from '../support/machine-load';

const rows = 1_000;
const payloadLimitBytes = 256 * 1_024;

describe('the history of a batch of 1,000 rows', () => {
  let place: Installation;
  let client: Client;

  beforeAll(async () => {
    place = await Installation.start({
      issuance: { waitingMs: [20, 100], processingMs: [200, 2_000], distribution: 'lognormal' },
      latencyMs: [0, 10],
    });
    client = await place.client();
  }, 60_000);

  afterAll(() => place.stop(), 60_000);

  async function startDetached(input: string, from: number): Promise<string> {
    await writeFile(join(place.folder, input), sheetOf(rows, from));
    const args = ['certificate', 'batch', '--input', input, '--detach', '--json'];
    const { stdout } = await place.run(args);
    return (JSON.parse(stdout) as { id: string }).id;
  }

  async function expectAllIssuedOnce(id: string): Promise<void> {
    const result = await place.run(['result', id, '--out', id]);
    expect(result.code).toBe(0);
    const lines = await readSheetLines(join(place.folder, id, 'results.csv'));
    expect(lines).toHaveLength(rows);
    expect(lines.every(({ status, attempts }) => status === 'issued' && attempts === '1')).toBe(
      true,
    );
    expect(place.sandbox.counts().every(({ started }) => started === 1)).toBe(true);
  }

  function firstOf<T>(input: { payloads?: Payload[] | null } | null | undefined): Promise<T> {
    return decodeFromPayloadsAtIndex<T>(client.options.loadedDataConverter, 0, input?.payloads);
  }

  /** Starts a batch again, before anything of it was done, with lanes that hand over early. */
  async function startAgain(id: string, laneEvents: number): Promise<void> {
    const handle = client.workflow.getHandle(id);
    const [first] = await runsOf(client, id);
    const started = first?.events[0]?.workflowExecutionStartedEventAttributes;
    if (started?.taskQueue?.name == null) throw new Error('no start on record');
    const input = await firstOf<CertificateBatchInput>(started.input);
    await handle.terminate();
    await client.workflow.start('certificateBatch', {
      workflowId: id,
      taskQueue: started.taskQueue.name,
      args: [{ ...input, laneEvents }],
    });
  }

  test('grows when a lane hands over to a new run in mid-flight, and no row is lost by it', async () => {
    const id = await startDetached('handed-over.csv', 1);
    await startAgain(id, 150);
    const load = new MachineLoad();
    await place.startWorkerHere();
    await client.workflow.getHandle(id).result();

    const lane = await runsOf(client, `${id}/lane-0000`);
    expect(lane.length).toBeGreaterThanOrEqual(2);
    // Rows were under way when it handed over.
    const inputs = await Promise.all(
      lane
        .slice(1)
        .map(({ events: [first] }) =>
          firstOf<CertificateLaneInput>(first?.workflowExecutionStartedEventAttributes?.input),
        ),
    );
    const carried = inputs.map((input) => input.carried);
    expect(carried.some(({ outstanding, next }) => outstanding.length > 0 && next < rows)).toBe(
      true,
    );
    const arrivals = postsOf(place.sandbox).map(({ at }) => Date.parse(at));
    const gaps = arrivals.slice(1).map((at, index) => at - (arrivals[index] ?? at));
    expect(Math.max(...gaps)).toBeLessThan(4_000 * load.slowness());
    await expectAllIssuedOnce(id);
    expect(largestEventBytes(await historiesOf(client, id))).toBeLessThan(payloadLimitBytes);
  }, 120_000);

  test('has at most three events a row, and no payload above 256 KB', async () => {
    const id = await startDetached('plain.csv', 2_001);
    await client.workflow.getHandle(id).result();
    const histories = await historiesOf(client, id);
    expect(eventCount(histories) / rows).toBeLessThanOrEqual(3);
    expect(largestEventBytes(histories)).toBeLessThan(payloadLimitBytes);
    await expectAllIssuedOnce(id);
  }, 120_000);
});
