import type { AuditEntry } from '../../../src/domain/core/audit';
import type { JobKind } from '../../../src/domain/job';
import type { JobFilter } from '../../../src/store/core/jobs/job-filter';
import type { JobRepository } from '../../../src/store/core/jobs/jobs';
import { statement } from '../../../src/store/statement';
import { TemporaryStore } from '../../support/temporary-store';

let place: TemporaryStore;
let jobs: JobRepository;

beforeEach(() => {
  place = new TemporaryStore();
  jobs = place.store.jobs;
});
afterEach(() => place.remove());

const day = (n: number): string => `2026-11-${String(n).padStart(2, '0')}T10:00:00.000Z`;

function start(n: number, kind: JobKind = 'trace', label: string | null = null): Promise<boolean> {
  return jobs.start(`jobs/${n}`, { id: `job-${n}`, kind, createdAt: day(n), label }, { asked: n });
}

function end(n: number, status: string, needsAttention = false, at = day(20 + n)) {
  return jobs.end(`jobs/${n}`, { status, needsAttention, endedAt: at }, { ended: status });
}

const found = async (filter: JobFilter = {}): Promise<string[]> =>
  (await jobs.list(filter, { sort: 'created', limit: 100 })).map(({ id }) => id);

it('knows a job by what was asked for, and its end by the outcome', async () => {
  expect(await start(1)).toBe(true);
  expect(await jobs.get('job-1')).toEqual({
    id: 'job-1',
    kind: 'trace',
    folder: 'jobs/1',
    status: null,
    needsAttention: false,
    attentionAt: null,
    waitsFor: null,
    waitsAbout: null,
    label: null,
    output: null,
    createdAt: day(1),
    endedAt: null,
    input: { asked: 1 },
  });
  expect(await jobs.outcome('jobs/1')).toBeNull();
  await end(1, 'expired', true);
  const ended = { status: 'expired', needsAttention: true, endedAt: day(21) };
  expect(await jobs.get('job-1')).toMatchObject(ended);
  expect(await jobs.outcome('jobs/1')).toEqual({ ended: 'expired' });
  expect([await jobs.get('job-2'), await jobs.input('jobs/2')]).toEqual([null, null]);
});

it('finds a job by its id, or the newest by the beginning of it, but no decision about one', async () => {
  const put = (folder: string, id: string, kind: 'trace' | 'decision', at: number) =>
    jobs.start(folder, { id, kind, createdAt: day(at), label: null }, { at });
  await put('t/a/1', 'trace/a/1', 'trace', 1);
  await put('t/a/2', 'trace/a/2', 'trace', 2);
  await put('t/a/3', 'trace/a/2/decision-1', 'decision', 3);
  expect(await jobs.find('trace/a')).toMatchObject({ id: 'trace/a/2', folder: 't/a/2' });
  expect(await jobs.find('trace/a/1')).toMatchObject({ input: { at: 1 }, outcome: null });
  expect(await jobs.find('trace/a/2/decision-1')).toMatchObject({ kind: 'decision' });
  expect([await jobs.find('trace/'), await jobs.find('trac')]).toEqual([null, null]);
});

it('keeps what was asked for first, and the first end until it is ended again', async () => {
  await start(1);
  expect(await start(1, 'lens')).toBe(false);
  expect(await end(1, 'completed')).toBe(true);
  expect(await end(1, 'expired', true)).toBe(false);
  expect(await jobs.get('job-1')).toMatchObject({ kind: 'trace', status: 'completed' });
  const ending = { status: 'issued', needsAttention: false, endedAt: day(30) };
  await jobs.endAgain([{ folder: 'jobs/1', ending, outcome: { ended: 'again' } }]);
  expect(await jobs.get('job-1')).toMatchObject({ status: 'issued', endedAt: day(30) });
  expect(await jobs.outcome('jobs/1')).toEqual({ ended: 'again' });
});

it('says of an outcome on the audit trail what stands, and of no other', async () => {
  const about = { kind: 'outcome', id: 'job-1', by: 'ana', happenedAt: day(2) } as const;
  const entry = (result: string): AuditEntry => ({ ...about, result });
  await start(1);
  const ending = { status: 'completed', needsAttention: false, endedAt: day(2) };
  await jobs.end('jobs/1', ending, {}, [entry('completed')]);
  await jobs.end('jobs/1', { ...ending, status: 'expired' }, {}, [entry('expired')]);
  const events = await place.store.read(statement('SELECT name FROM event'));
  expect(events).toHaveLength(1);
  expect(await jobs.get('job-1')).toMatchObject({ status: 'completed' });
});

it('forgets one that never ran', async () => {
  for (const n of [1, 2]) await start(n);
  await jobs.remove('jobs/1');
  expect(await found()).toEqual(['job-2']);
});

it('has no job that could not be stored', async () => {
  await start(1);
  jest.spyOn(place.database, 'commit').mockRejectedValueOnce(new Error('full'));
  await expect(start(2)).rejects.toThrow('full');
  expect(await found()).toEqual(['job-1']);
});

it('finds the last of those that begin alike, and the last that has ended', async () => {
  const at = (folder: string, createdAt: string, kind: JobKind = 'lens') =>
    jobs.start(folder, { id: folder, kind, createdAt, label: null }, folder);
  for (const [n, folder] of ['a/1', 'a/2', 'a/3', 'ab/9'].entries()) await at(folder, day(n + 1));
  await at('a/decisions/0001', day(9), 'decision');
  await jobs.end('a/2', { status: 'completed', needsAttention: false, endedAt: day(5) }, {});
  const records = (await jobs.below('a/')).map(({ record }) => record);
  expect(records).toEqual(['a/3', 'a/2', 'a/1']);
  expect(await jobs.last('a/')).toEqual({ folder: 'a/3', record: 'a/3' });
  expect(await jobs.last('a/', 'a/1')).toEqual({ folder: 'a/2', record: 'a/2' });
  expect(await jobs.last('a/', 'a/2')).toEqual({ folder: 'a/2', record: 'a/2' });
  expect(await jobs.last('a/', 'a/3')).toBeNull();
  expect(await jobs.last('b/')).toBeNull();
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
