import { createJobBatchActivities } from '../../../src/activities/core/job-batches';
import {
  jobBatchFolder,
  type ChildJob,
  type JobBatchRecord,
} from '../../../src/domain/core/job-batch';
import { JobBatchRepository } from '../../../src/store/core/jobs/job-batches';
import { ActivityEnvironment } from '../../support/activity-environment';
import { TemporaryStore } from '../../support/temporary-store';

const limit = 50;
const at = '2026-01-05T10:15:31.000Z';
const nameOf = (n: number): string => n.toString(16).padStart(32, '0');

let place: TemporaryStore;
let batches: JobBatchRepository;
beforeEach(() => {
  place = new TemporaryStore();
  batches = new JobBatchRepository(place.store);
});
afterEach(() => place.remove());

/** A batch of so many rows, of which each third is repeated. */
async function batchOf(n: number, children: readonly ChildJob[]): Promise<string> {
  const batchId = `trace-batch/${nameOf(n)}/20260105T101530123Z`;
  const folder = jobBatchFolder(batchId);
  const writer = place.store.rows.writer(folder);
  const common = { type: 'trace', document: 'x@example.com', reference: '', note: '' };
  let line = 1;
  for (const [item, child] of children.entries()) {
    await writer.add({ ...common, kind: 'item', item, line: (line += 1), child });
    if (item % 3 > 0) continue;
    await writer.add({ ...common, kind: 'duplicate', item, line: (line += 1), duplicateOf: 2 });
  }
  await writer.end();
  const record = { kind: 'trace-batch', batchId, createdAt: at, linesAtFault: 0 };
  await batches.put(record as JobBatchRecord, null, []);
  return folder;
}

function childrenOf(count: number, before: (n: number) => boolean = () => false): ChildJob[] {
  return Array.from({ length: count }, (_, n) => {
    const jobId = `trace/${nameOf(n)}/20260105T101530123Z`;
    return { jobId, before: before(n), terms: { n } };
  });
}

/** Asked for, and perhaps ended. */
async function job({ jobId: id }: ChildJob, status?: string, needsAttention = false) {
  const folder = id.replace('trace/', 'traces/');
  await place.store.jobs.start(folder, { id, kind: 'trace', createdAt: at, label: null }, {});
  if (status === undefined) return;
  await place.store.jobs.end(folder, { status, needsAttention, endedAt: at }, { status });
}

const activities = (now = () => 0) => createJobBatchActivities({ store: place.store, now });

test.each([0, 1, limit, limit + 1, 2 * limit])(
  'every child job of %d rows is read once, a run after the other',
  async (count) => {
    const children = childrenOf(count);
    const folder = await batchOf(0, children);
    const { readRows } = activities();
    const open: unknown[] = [];
    for (let after: number | null = -1; after !== null;) {
      const read: Awaited<ReturnType<typeof readRows>> = await readRows({ folder, after, limit });
      expect(read.open.length).toBeLessThanOrEqual(limit);
      open.push(...read.open);
      after = read.last;
    }
    expect(open).toEqual(children.map(({ jobId, terms }) => ({ jobId, terms })));
  },
);

test('what had ended before is no business of the batch, what has ended since is counted', async () => {
  const children = childrenOf(4, (n) => n === 0);
  const folder = await batchOf(0, children);
  const [first, second, third] = children as [ChildJob, ChildJob, ChildJob];
  await job(first, 'failed');
  await job(second, 'completed');
  await job(third);
  const { open, ended } = await activities().readRows({ folder, after: -1, limit });
  expect(open.map(({ jobId }) => jobId)).toEqual(children.slice(2).map(({ jobId }) => jobId));
  expect(ended).toEqual(['completed']);
  expect(await batches.counts(folder)).toEqual({ completed: 1, failed: 1, open: 2 });
});

test.each([
  [{ isOwn: false }, 'completed', 0, 'completed'],
  [{ isOwn: false }, undefined, 0, 'NotSettledYet'],
  // Nobody has stored it: another job does what it would do, unless it is ours and has just started.
  [{ isOwn: false }, null, 120_000, 'followed'],
  [{ isOwn: true }, null, 120_000, 'NotSettledYet'],
  [{ isOwn: false }, null, 0, 'NotSettledYet'],
  [{ isOwn: true }, undefined, 3_600_000, null],
])('waits for a child job %j that is %s, and after %d ms it is %s', async (...of) => {
  const [{ isOwn }, status, laterMs, expected] = of;
  const [child] = childrenOf(1) as [ChildJob];
  if (status !== null) await job(child, status);
  const startedAt = Date.now();
  const environment = new ActivityEnvironment({ scheduledTimestampMs: startedAt });
  const input = { jobId: child.jobId, isOwn, until: startedAt + 3_600_000 };
  const { awaitChild } = activities(() => startedAt + laterMs);
  const ended = environment
    .run(() => awaitChild(input))
    .catch((error: { type?: string }) => error.type);
  expect(await ended).toBe(expected);
});

test('an end is of the row that needs a person most, and the first one stays', async () => {
  const children = childrenOf(2);
  const folder = await batchOf(0, children);
  const [first, second] = children as [ChildJob, ChildJob];
  await job(first, 'completed', true);
  await job(second, 'cancelled');
  const counts = { completed: 1, cancelled: 1 };
  const end = { folder, cancelled: true, counts };
  expect(await activities().finalizeBatch(end)).toEqual({
    status: 'cancelled',
    needsAttention: true,
  });
  await activities(() => 1).finalizeBatch({ ...end, counts: {} });
  expect(await place.store.jobs.outcome(folder)).toMatchObject({ counts, cancelled: true });
});

test('who asks again takes back what stopped child jobs', async () => {
  const children = childrenOf(3);
  const folder = await batchOf(0, children);
  for (const child of children) await job(child);
  const folders = children.map(({ jobId }) => jobId.replace('trace/', 'traces/'));
  for (const one of folders) await place.store.jobs.stop(one, 'cancelled');
  await batches.releaseChildren(folder);
  await place.store.jobs.stop(folders[2] ?? '', 'cancelled');
  const claims = folders.map((one) =>
    place.store.attempts.claim(
      `trace/${one}`,
      1,
      {
        owner: { workflowId: 'w', chunk: '1-' },
        kind: 'send',
        nonce: 'n',
        answerBy: 1,
        claimedAt: 0,
        afterUnknown: false,
      },
      one,
    ),
  );
  expect(await Promise.all(claims)).toEqual(['ours', 'ours', 'cancelled']);
});

test('a batch owns the child jobs that it was the first and the only one to ask for', async () => {
  const [one, both, earlier] = childrenOf(3, (n) => n === 2) as [ChildJob, ChildJob, ChildJob];
  const folder = await batchOf(0, [one, both, earlier]);
  const other = await batchOf(1, [{ ...both, before: true }]);
  expect(await batches.ownChildren(new Set([folder]))).toEqual(new Set([one.jobId]));
  const all = await batches.ownChildren(new Set([folder, other]));
  expect(all).toEqual(new Set([one.jobId, both.jobId]));
});
