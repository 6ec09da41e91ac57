import { endOf, exitCodeOf, inboxEntry, type Doubt } from '../../../src/domain/attention';
import { rowStatuses } from '../../../src/domain/certificates/certificates';
import { jobKinds, kindFacts, type JobKind } from '../../../src/domain/job';
import { reportHtml } from '../../../src/report/certificates/page';
import { reportEnd } from '../../../src/workflows/core/search-attributes';
import { sized } from '../../support/full-size';
import { TemporaryStore } from '../../support/temporary-store';
import { reportOf, rowOf } from '../report/sample';

/** Search attributes that a workflow has set. */
const mockTold: [name: string, value: unknown][] = [];
jest.mock('@temporalio/workflow', () => ({
  upsertSearchAttributes: (pairs: { key: { name: string }; value: unknown }[]) =>
    mockTold.push(...pairs.map(({ key, value }): [string, unknown] => [key.name, value])),
}));

let place: TemporaryStore;
beforeEach(() => {
  place = new TemporaryStore();
});
afterEach(() => place.remove());

const at = (n: number): string => new Date(1_700_000_000_000 + n * 1_000).toISOString();

async function begin(n: number, kind: JobKind = 'trace'): Promise<string> {
  const start = { id: `job-${n}`, kind, createdAt: at(n), label: null };
  await place.store.jobs.start(`jobs/${n}`, start, { asked: n });
  return `jobs/${n}`;
}

const byAttention = { sort: 'attention', limit: 100 } as const;

async function inbox(limit = 50): Promise<string[]> {
  const found: string[] = [];
  for (;;) {
    const after = found.at(-1);
    const rest = after === undefined ? {} : { after };
    const page = await place.store.jobs.list({}, { ...byAttention, limit, ...rest });
    found.push(...page.map(({ id }) => id));
    if (page.length < limit) return found;
  }
}

const cells = jobKinds.flatMap((kind) =>
  Object.keys(kindFacts[kind].statuses).map((status) => ({ kind, status })),
);

it('agrees with exit codes, search attributes and reports over jobs of all kinds', async () => {
  const needed: string[] = [];
  const count = sized(2_000, 10_000);
  for (let n = 0; n < count; n += 1) {
    const cell = cells[n % cells.length];
    if (cell === undefined) break;
    const { kind, status } = cell;
    const doubts: Doubt[] = Math.floor(n / cells.length) % 7 === 1 ? ['incomplete'] : [];
    const end = endOf(kind, status, doubts);
    const folder = await begin(n, kind);
    await place.store.jobs.end(folder, { ...end, endedAt: at(n) }, {});
    mockTold.length = 0;
    reportEnd(end);
    expect(mockTold).toContainEqual(['DiligenceNeedsAttention', end.needsAttention]);
    if (end.needsAttention) needed.unshift(`job-${n}`);
  }
  expect(await inbox()).toEqual(needed);
  const inInbox = new Set(needed);
  for (let n = 0; n < count; n += 1) {
    const job = await place.store.jobs.get(`job-${n}`);
    if (job === null || job.status === null) throw new Error('it has ended');
    const { kind, needsAttention, status } = job;
    expect(exitCodeOf(kind, { status, needsAttention }) === 3).toBe(inInbox.has(`job-${n}`));
  }
  for (const row of await place.store.jobs.list({}, byAttention))
    expect(inboxEntry(row).actions).not.toEqual([]);
}, 300_000);

it.each(rowStatuses)('the report of a batch with a row that is %s says who is needed', (status) => {
  const page = reportHtml(reportOf([rowOf(status)]), 'en');
  const isNeeded = endOf('certificate-batch', status).needsAttention;
  expect(page.includes('1 line needs a person.')).toBe(isNeeded);
});

it('has what waits for a person, as long as any of its workflows does', async () => {
  const { inbox: waits, jobs } = place.store;
  const folder = await begin(1, 'certificate-batch');
  await waits.wait(folder, 'lane-1', 'credentials', at(5));
  await waits.wait(folder, 'lane-2', 'decision', at(6));
  expect(await jobs.list({}, byAttention)).toMatchObject([
    { id: 'job-1', status: null, waitsFor: 'credentials', attentionAt: at(5), input: { asked: 1 } },
  ]);
  await waits.wait(folder, 'lane-1', null, at(7));
  expect(await jobs.get('job-1')).toMatchObject({ waitsFor: 'decision', needsAttention: true });
  await waits.wait(folder, 'lane-2', 'unknown', at(7), 23);
  const [tooMany] = await jobs.list({}, byAttention);
  expect(tooMany && inboxEntry(tooMany).why).toMatch(/^23 rows are unknown: .*`diligence resume`/);
  const budget = { made: 40, allowed: 40, rest: 60 };
  await waits.wait(folder, 'lane-2', 'budget', at(7), budget);
  const spent = await jobs.get('job-1');
  expect(spent).toMatchObject({ waitsFor: 'budget', waitsAbout: budget });
  expect(spent && inboxEntry(spent).why).toMatch(/^40 of 40 requests made; .* at most 60: /);
  await waits.wait(folder, 'lane-2', null, at(8));
  expect(await inbox()).toEqual([]);
  await waits.wait(folder, 'lane-2', 'credentials', at(9));
  await jobs.end(folder, { status: 'issued', needsAttention: false, endedAt: at(10) }, {});
  // What comes late is of no effect.
  await waits.wait(folder, 'lane-1', 'credentials', at(11));
  expect(await inbox()).toEqual([]);
});

it('is left by what a person has decided about, and by what is released', async () => {
  const { inbox: waits, jobs } = place.store;
  const [ended, open] = [await begin(1), await begin(2)];
  await jobs.end(ended, { status: 'expired', needsAttention: true, endedAt: at(3) }, {});
  await waits.wait(open, 'w', 'review', at(4));
  expect(await inbox()).toEqual(['job-2', 'job-1']);
  await waits.settle(open);
  expect(await inbox()).toEqual(['job-2', 'job-1']);
  await waits.settle(ended);
  expect(await inbox()).toEqual(['job-2']);
  await jobs.release(open);
  expect(await inbox()).toEqual([]);
});

it('filters by kind and by since when, and names the newest of an ask without its instant', async () => {
  const { inbox: waits, jobs } = place.store;
  for (const n of [1, 2, 3]) {
    const start = { id: `trace/x/${n}`, kind: 'trace', createdAt: at(n), label: null } as const;
    await jobs.start(`traces/x/${n}`, start, {});
    await jobs.end(
      `traces/x/${n}`,
      { status: 'expired', needsAttention: true, endedAt: at(n) },
      {},
    );
  }
  await begin(4, 'lens');
  await waits.wait('jobs/4', 'w', 'credentials', at(4));
  const found = async (filter: object) =>
    (await jobs.list(filter, byAttention)).map(({ id }) => id);
  expect(await found({ kind: 'lens' })).toEqual(['job-4']);
  expect(await found({ waitingSince: at(3) })).toEqual(['job-4', 'trace/x/3']);
  expect(await jobs.get('trace/x')).toBeNull();
});
