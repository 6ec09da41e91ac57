import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { certificateSubject, type Claim } from '../../src/domain/core/service/attempts';
import { nothingReported, type OutcomeRecord } from '../../src/domain/certificates/outcomes';
import { IdKey } from '../../src/protection/id-key';
import { KeyRing } from '../../src/protection/key-ring';
import { CertificateJobs } from '../../src/store/certificates/jobs';
import { CertificateRowWriter } from '../support/certificate-rows';
import { openStore } from '../../src/store/open-store';
import type { Store } from '../../src/store/store';
import { cnpj } from '../support/documents';
import { inFolder, testPayloadKeys } from '../support/temporary-store';

jest.setTimeout(180_000);

const rows = 20_000;
const resolutionMs = 5;
const mostMs = 20;
const work = 'works/certificate-batch/busy';
const idKey = IdKey.parse('ab'.repeat(32));

let root: string;
let store: Store;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'diligence-loop-'));
  store = await openStore(inFolder(root), idKey, { keys: KeyRing.parse(testPayloadKeys) });
  const writer = new CertificateRowWriter(store, work, (text) => idKey.nameOf('document', text));
  for (let item = 0; item < rows; item += 1) {
    const told = { line: item + 2, type: 'cnpj', document: cnpj(item), reference: '' } as const;
    await writer.add({ ...told, kind: 'item', item, note: '' });
  }
  const createdAt = '2026-11-21T10:00:00.000Z';
  await writer.finish({
    jobId: 'certificate-batch/busy',
    kind: 'certificate',
    createdAt,
  } as never);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function buyRow(item: number): Promise<void> {
  const subject = certificateSubject('cnpj', idKey.nameOf('document', cnpj(item)));
  expect(await store.attempts.of(subject)).toEqual([]);
  const claim: Claim = {
    kind: 'send',
    nonce: `n-${item}`,
    owner: { workflowId: 'certificate-batch/busy', chunk: `${item}` },
    answerBy: Date.now(),
    claimedAt: Date.now(),
    afterUnknown: false,
  };
  expect(await store.attempts.claim(subject, 1, claim, work)).toBe('ours');
  const receipt = { kind: 'accepted', externalId: `c-${item}`, at: Date.now() } as const;
  await store.attempts.putReceipt(subject, { n: 1, claim }, receipt);
  await store.records.putIfAbsent(`pdf/${item}`, Buffer.alloc(60_000, item), { bytes: true });
  const outcome: OutcomeRecord = {
    ...nothingReported,
    item,
    status: 'issued',
    certidaoId: `c-${item}`,
    attempts: 1,
    requestedAt: null,
    settledAt: '2026-11-21T10:00:00.000Z',
    note: '',
    possibleDoubleCharge: false,
  };
  await store.outcomes.file(work, `lane/${item}`, [outcome]);
}

it('stands still for at most 20 ms of a hundred while 100 rows are in flight and a result is read', async () => {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs });
  const reader = new CertificateJobs(store);
  delays.enable();
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < 3_000) {
      await setTimeout(300 * Math.random());
      await buyRow(next++);
    }
  };
  const read = async (): Promise<number> => {
    let lines = 0;
    for await (const page of reader.withOutcomes(work)) lines += page.length;
    return lines;
  };
  const [lines] = await Promise.all([read(), ...Array.from({ length: 100 }, lane)]);
  delays.disable();
  expect(lines).toBe(rows);
  process.stderr.write(`p99 ${delays.percentile(99) / 1e6} ms, worst ${delays.max / 1e6} ms\n`);
  expect(delays.percentile(99) / 1e6).toBeLessThan(mostMs);
});
