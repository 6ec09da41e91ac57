import type { JobKind } from '../../../src/domain/job';
import type { JobFilter, JobRepository } from '../../../src/store/core/jobs';
import { TemporaryStore } from '../../support/temporary-store';

let place: TemporaryStore;
let jobs: JobRepository;

beforeEach(() => {
  place = new TemporaryStore();
  jobs = place.store.jobs;
});
afterEach(() => place.remove());

const day = (n: number): string => `2026-11-${String(n).padStart(2, '0')}T10:00:00.000Z`;

async function start(n: number, kind: JobKind = 'trace', label: string | null = null) {
  const starts = { id: `job-${n}`, kind, createdAt: day(n), label };
  await place.store.records.putIfAbsent(`jobs/${n}/asked.json`, '{}', { starts });
}

async function end(n: number, status: string, needsAttention = false, at = day(20 + n)) {
  const ends = { id: `job-${n}`, status, needsAttention, endedAt: at };
  return place.store.records.putIfAbsent(`jobs/${n}/outcome.json`, '{}', { ends });
}

const found = async (filter: JobFilter = {}): Promise<string[]> =>
  (await jobs.list(filter, { sort: 'created', limit: 100 })).map(({ id }) => id);

it('knows a job with the record of what was asked for, and its end with that of the outcome', async () => {
  await start(1);
  expect(await jobs.get('job-1')).toEqual({
    id: 'job-1',
    kind: 'trace',
    status: null,
    needsAttention: false,
    createdAt: day(1),
    endedAt: null,
    asked: 'jobs/1/asked.json',
  });
  await end(1, 'expired', true);
  expect(await jobs.get('job-1')).toMatchObject({
    status: 'expired',
    needsAttention: true,
    endedAt: day(21),
  });
  expect(await jobs.get('job-2')).toBeNull();
});

it('keeps the first end, unless the record of it is replaced', async () => {
  await start(1);
  await end(1, 'completed');
  expect(await end(1, 'expired', true)).toBe('exists');
  expect(await jobs.get('job-1')).toMatchObject({ status: 'completed' });
  const ends = { id: 'job-1', status: 'issued', needsAttention: false, endedAt: day(30) };
  await place.store.records.replace('jobs/1/latest.json', '{}', { ends });
  expect(await jobs.get('job-1')).toMatchObject({ status: 'issued', endedAt: day(30) });
});

it('forgets a job with the record of what was asked for', async () => {
  for (const n of [1, 2, 3]) await start(n);
  await place.store.records.remove('jobs/1/asked.json');
  await place.store.records.removeAll('jobs/2/');
  expect(await found()).toEqual(['job-3']);
});

it('has no job whose record could not be stored', async () => {
  await start(1);
  const starts = { id: 'job-2', kind: 'trace', createdAt: day(2), label: null } as const;
  jest.spyOn(place.database, 'commit').mockRejectedValueOnce(new Error('full'));
  await expect(place.store.records.putIfAbsent('x/asked.json', '{}', { starts })).rejects.toThrow(
    'full',
  );
  expect(await found()).toEqual(['job-1']);
});

it('lists by kind, end, instant, label, subject and need, alone and together', async () => {
  await start(1, 'trace', 'l');
  await start(2, 'dossier');
  await start(3, 'trace');
  await end(1, 'completed');
  await end(2, 'expired', true);
  await place.store.subjects.add('jobs/3', ['maria']);
  await place.store.subjects.add('jobs/1', ['maria', 'jose']);
  await place.store.subjects.add('inputs/9', ['maria']);
  expect(await found()).toEqual(['job-3', 'job-2', 'job-1']);
  expect(await found({ kind: 'trace' })).toEqual(['job-3', 'job-1']);
  expect(await found({ status: 'open' })).toEqual(['job-3']);
  expect(await found({ status: 'expired' })).toEqual(['job-2']);
  expect(await found({ since: day(2) })).toEqual(['job-3', 'job-2']);
  expect(await found({ label: 'l' })).toEqual(['job-1']);
  expect(await found({ subjects: ['jose'] })).toEqual(['job-1']);
  expect(await found({ subjects: ['maria', 'jose'] })).toEqual(['job-3', 'job-1']);
  expect(await found({ needsAttention: true })).toEqual(['job-2']);
  expect(await found({ kind: 'trace', status: 'open', subjects: ['maria'] })).toEqual(['job-3']);
  expect(await found({ kind: 'lens' })).toEqual([]);
});

it.each(['created', 'ended'] as const)(
  'pages by %s without a gap, alike instants too',
  async (sort) => {
    for (let n = 1; n <= 9; n += 1) {
      await start(n);
      if (n !== 5) await end(n, 'completed', false, day(20 + Math.floor(n / 4)));
    }
    const ids: string[] = [];
    for (;;) {
      const after = ids.at(-1);
      const page = { sort, limit: 2, ...(after !== undefined && { after }) };
      const rows = await jobs.list({}, page);
      ids.push(...rows.map(({ id }) => id));
      if (rows.length < 2) break;
    }
    const all = [9, 8, 7, 6, 5, 4, 3, 2, 1].map((n) => `job-${n}`);
    expect(ids).toEqual(sort === 'created' ? all : all.filter((id) => id !== 'job-5'));
  },
);
