import type { Receipt } from '../../../src/domain/core/service/attempts';
import type { JobKind } from '../../../src/domain/job';
import type { JobWithOutcome } from '../../../src/store/core/jobs/job-rows';
import { spendingSince, type SpendingGroup } from '../../../src/starters/jobs/spending';
import { TemporaryStore } from '../../support/temporary-store';

const day = (text: string): number => Date.parse(`2026-${text}T12:00:00.000Z`);
const accepted: Receipt = { kind: 'accepted', externalId: 'x', at: 1 };
const refused: Receipt = { kind: 'refused', status: 422, code: null, at: 1 };
const unknown: Receipt = { kind: 'unknown', reason: 'reset', at: 1 };
const notSent: Receipt = { kind: 'not_sent', reason: '429', at: 1 };

let place: TemporaryStore;

beforeEach(async () => {
  place = new TemporaryStore();
  await putJob('trace/a/1', 'trace', '10-05', { label: 'ACME', createdBy: 'ana' });
  await send('trace/a', 'trace/a/1', day('10-05'), [{ ...accepted, externalId: 'trace-a' }]);
  await putJob('certificate-batch/b', 'certificate-batch', '11-02', {
    label: null,
    createdBy: 'bia',
  });
  const lane = 'certificate-batch/b/lane-0001';
  await send('certificate/cnpj/1', lane, day('11-02'), [unknown]);
  await place.store.attempts.resolve('certificate/cnpj/1', 1, {
    action: 'reissue',
    externalId: null,
    by: 'bia',
    note: '',
    at: 1,
  });
  await claim(
    'certificate/cnpj/1',
    2,
    'certificate-batch/b/decision-1-lane-0000',
    day('11-03'),
    true,
  );
  await send('certificate/cnpj/2', lane, day('11-02'), [notSent, refused]);
  // One certificate goes by the same workflow id each time that it is asked for.
  const one = 'certificate/cnpj/9';
  await putJob(`${one}/1`, 'certificate', '10-01', { label: 'ACME', by: 'ana' });
  await putJob(`${one}/2`, 'certificate', '11-09', { label: 'late', by: 'bia' });
  await send(one, one, day('10-02'), [{ ...accepted, externalId: 'cert-9' }]);
  await putJob('trace-batch/c', 'trace-batch', '11-04', {
    label: 'ACME',
    createdBy: 'ana',
    items: 5,
    children: 2,
  });
});

afterEach(() => place.remove());

async function putJob(id: string, kind: JobKind, on: string, input: object): Promise<void> {
  const createdAt = `2026-${on}T00:00:00.000Z`;
  await place.store.jobs.start(id, { id, kind, createdAt, label: null }, input);
  const ending = { status: 'completed', needsAttention: false, endedAt: createdAt };
  await place.store.jobs.end(id, ending, kind.startsWith('cert') ? { summary: { reused: 3 } } : {});
}

async function claim(subject: string, n: number, workflowId: string, at: number, again = false) {
  const owner = { workflowId, chunk: `${n}-run` };
  const one = {
    kind: 'send' as const,
    owner,
    nonce: `${subject}-${n}`,
    claimedAt: at,
    answerBy: at,
    afterUnknown: again,
  };
  expect(await place.store.attempts.claim(subject, n, one, 'job')).toBe('ours');
  return one;
}

async function send(subject: string, workflowId: string, at: number, receipts: Receipt[]) {
  for (const [index, receipt] of receipts.entries()) {
    const n = index + 1;
    const one = await claim(subject, n, workflowId, at);
    await place.store.attempts.putReceipt(subject, { n, claim: one }, receipt);
  }
}

async function groups(since: number, by: SpendingGroup) {
  const charges = ({ kind }: JobWithOutcome) =>
    kind === 'trace'
      ? ['t', 't'].map((of) => ({ of, billing: { status: 'charged', amount: 10, unit: 'tokens' } }))
      : [];
  const found = await spendingSince(place, since, by, charges);
  return Object.fromEntries(found.map(({ group, ...rest }) => [group, rest]));
}

const nothing = {
  requested: 0,
  refused: 0,
  unknown: 0,
  possibleDoubleCharges: 0,
  reused: 0,
  billing: [],
};

it('counts what left by the kind of the job that sent it, and what was charged once', async () => {
  expect(await groups(0, 'kind')).toEqual({
    certificate: { ...nothing, requested: 1, reused: 6 },
    'certificate-batch': {
      ...nothing,
      requested: 3,
      refused: 1,
      unknown: 2,
      possibleDoubleCharges: 1,
      reused: 3,
    },
    trace: {
      ...nothing,
      requested: 1,
      billing: [{ status: 'charged', unit: 'tokens', count: 1, amount: 10 }],
    },
    'trace-batch': { ...nothing, reused: 3 },
  });
});

it.each<[SpendingGroup, Record<string, number>]>([
  ['label', { '': 3, ACME: 2, late: 0 }],
  ['actor', { ana: 2, bia: 3 }],
  ['month', { '2026-09': 0, '2026-10': 2, '2026-11': 3 }],
])('counts requests by %s', async (by, expected) => {
  const found = Object.entries(await groups(0, by));
  expect(Object.fromEntries(found.map(([name, { requested }]) => [name, requested]))).toEqual(
    expected,
  );
});

it('leaves out what was sent before the instant that it is asked since', async () => {
  expect(Object.keys(await groups(day('11-03'), 'kind'))).toEqual([
    'certificate',
    'certificate-batch',
    'trace-batch',
  ]);
  expect((await groups(day('11-03'), 'kind'))['certificate-batch']).toMatchObject({ requested: 1 });
});

it('counts the requests of one job', async () => {
  const { spending } = place.store;
  expect(await spending.sentBy('trace/a', 'trace/a/1')).toEqual({ sent: 1, doubtful: 0 });
  expect(
    await spending.sentBy('certificate/cnpj/1', 'certificate-batch/b/decision-1-lane-0000'),
  ).toEqual({ sent: 1, doubtful: 1 });
  const before = { from: '2026-10-01T00:00:00Z', to: '2026-10-05T11:59:00Z' };
  expect(await spending.sentBy('trace/a', 'trace/a/1', before)).toEqual({ sent: 0, doubtful: 0 });
});
