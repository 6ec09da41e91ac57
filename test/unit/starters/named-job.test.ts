import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobKind } from '../../../src/domain/job';
import { markFolder, namedJob } from '../../../src/starters/jobs/named-job';
import { TemporaryStore } from '../../support/temporary-store';

const instant = '20261121T101530123Z';
const dossier = '8d5b9f3e-2c1a-4e7d-9b60-1f2e3d4c5b6a';
const issuance = '11111111-2222-4333-8444-555555555555';

let place: TemporaryStore;

beforeEach(async () => {
  place = new TemporaryStore();
  await put(`trace/abc1/${instant}`, 'trace', '01');
  await put('trace/abc1/20261122T101530123Z', 'trace', '02');
  await put(`trace/abd2/${instant}`, 'trace', '03');
  await put(`dossier/${dossier}/${instant}`, 'dossier', '04');
  await put('certificate-batch/ff00', 'certificate-batch', '05');
  const owner = { workflowId: 'certificate-batch/ff00/lane-0001', chunk: '1' };
  const sent = { owner, nonce: 'n', kind: 'send', answerBy: 1, afterUnknown: false } as const;
  const claim = { ...sent, claimedAt: Date.parse('2026-01-06') };
  const { attempts } = place.store;
  await attempts.claim('certificate/cnpj/x', 1, claim, 'certificate-batch/ff00');
  const receipt = { kind: 'accepted', externalId: issuance, at: 1 } as const;
  await attempts.putReceipt('certificate/cnpj/x', { n: 1, claim }, receipt);
});

afterEach(() => place.remove());

async function put(id: string, kind: JobKind, day: string): Promise<void> {
  const createdAt = `2026-01-${day}T00:00:00.000Z`;
  await place.store.jobs.start(id, { id, kind, createdAt, label: null }, {});
}

test.each([
  ['', 'certificate-batch/ff00'],
  ['trace', `trace/abd2/${instant}`],
  ['trace/abc1', 'trace/abc1/20261122T101530123Z'],
  ['trace/abc', 'trace/abc1/20261122T101530123Z'],
  ['abd', `trace/abd2/${instant}`],
  [dossier, `dossier/${dossier}/${instant}`],
  [dossier.slice(0, 8), `dossier/${dossier}/${instant}`],
  [issuance, 'certificate-batch/ff00'],
])('"%s" is %s', async (name, id) => {
  expect((await namedJob(place.store, name)).id).toBe(id);
});

test('the beginning of several is refused, and they are named, the newest first', async () => {
  await expect(namedJob(place.store, 'ab')).rejects.toThrow(
    `ab is the beginning of 2 ids: give more of it\n  trace/abd2/${instant}\n  trace/abc1/20261122T101530123Z`,
  );
});

test.each(['zz', 'lens', '99999999-2222-4333-8444-555555555555', "a' OR 1=1", '../..'])(
  '%s is no job',
  async (name) => {
    await expect(namedJob(place.store, name)).rejects.toThrow(`no job ${name} in this store`);
  },
);

test.each(['trace/abc', 'abc', 'trace/abc1'])(
  '"%s" means, for an order, the job that runs, and for a decision the one that waits',
  async (name) => {
    const newest = 'trace/abc1/20261122T101530123Z';
    const meant = async (what?: 'running' | 'waiting') =>
      (await namedJob(place.store, name, what)).id;
    expect([await meant('running'), await meant('waiting')]).toEqual([newest, newest]);
    const endedAt = '2026-01-07T00:00:00.000Z';
    const ending = { status: 'expired', needsAttention: true, endedAt };
    await place.store.jobs.end(newest, ending, {});
    const open = `trace/abc1/${instant}`;
    expect([await meant('running'), await meant('waiting')]).toEqual([open, newest]);
    await place.store.inbox.wait(open, 'w', 'review', endedAt);
    expect([await meant(), await meant('waiting')]).toEqual([newest, open]);
    expect((await namedJob(place.store, newest, 'waiting')).id).toBe(newest);
  },
);

test('a result folder names its job', async () => {
  const folder = join(place.root, 'out of it');
  await mkdir(folder);
  await markFolder(folder, `trace/abd2/${instant}`);
  expect((await namedJob(place.store, folder)).id).toBe(`trace/abd2/${instant}`);
});
