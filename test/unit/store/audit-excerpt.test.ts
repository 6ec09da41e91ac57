import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import type { AuditEntry } from '../../../src/domain/core/audit';
import { entriesIn, faultsOfExcerpt } from '../../../src/domain/core/audit';
import { excerptOf } from '../../../src/store/audit/excerpt';
import { hashOf } from '../../../src/store/audit/link';
import { AuditTrail } from '../../../src/store/audit/trail';
import { TemporaryStore, testIdKey } from '../../support/temporary-store';

let place: TemporaryStore;
beforeEach(() => (place = new TemporaryStore()));
afterEach(() => place.remove());

const job = `investigation/${randomBytes(16).toString('hex')}/20261121T101530123Z`;
const other = `trace/${randomBytes(16).toString('hex')}/20261121T101530123Z`;
const since = '2026-01-01T00:00:00.000Z';
let told = 0;

function entry(of: string, id = `decision/${(told += 1)}`): AuditEntry {
  return { kind: 'decision', id, result: 'done', by: 'ana', happenedAt: since, job: of };
}

const trail = (): AuditTrail => new AuditTrail(place.store, testIdKey);
const excerpt = () => excerptOf(place.store, new Set([job]), `outcome/${job}`);

test('has the records of the jobs by their names, and of the others nothing but hashes', async () => {
  await place.store.commit([], [entry(job), entry(other), entry(job, `outcome/${job}`)]);
  await trail().anchor();
  const found = await excerpt();
  expect(faultsOfExcerpt(found, hashOf)).toEqual([]);
  expect(entriesIn(found).map(({ id, job: of }) => [id, of])).toEqual([
    [expect.stringMatching(/^decision/), job],
    [`outcome/${job}`, job],
  ]);
  expect(found.chains.flatMap(({ links }) => links)).toHaveLength(3);
  expect(JSON.stringify(found)).not.toContain(other.split('/')[1]);
});

test('what is long between two of its records is left out where an anchor stands', async () => {
  await place.store.commit([], [entry(job)]);
  await trail().anchor();
  for (let count = 0; count < 40; count += 1) await place.store.commit([], [entry(other)]);
  await trail().anchor();
  await place.store.commit([], [entry(job, `outcome/${job}`)]);
  await trail().anchor();
  const found = await excerpt();
  expect(faultsOfExcerpt(found, hashOf)).toEqual([]);
  expect(found.chains.map(({ links }) => links.length)).toEqual([1, 1]);
  expect(found.anchors).toHaveLength(2);
});

test('of a job that was reused it has the older records too, by an index and no row between', async () => {
  const reused = `profile/${randomBytes(16).toString('hex')}/20251121T101530123Z`;
  await place.store.commit([], [entry(reused, `outcome/${reused}`)]);
  for (let count = 0; count < 40; count += 1) await place.store.commit([], [entry(other)]);
  await place.store.commit([], [entry(job), entry(job, `outcome/${job}`)]);
  await trail().anchor();
  const read = jest.spyOn(place.database, 'read');
  const found = await excerptOf(place.store, new Set([job, reused]), `outcome/${job}`);
  expect(faultsOfExcerpt(found, hashOf)).toEqual([]);
  expect(entriesIn(found).map(({ job: of }) => of)).toEqual([reused, job, job]);
  const asked = read.mock.calls.find(([{ sql }]) => sql.includes('job IN'))?.[0];
  const database = new DatabaseSync(join(place.root, 'store.db'), { readOnly: true });
  const plan = database
    .prepare(`EXPLAIN QUERY PLAN ${asked?.sql}`)
    .all(...((asked?.parameters ?? []) as string[]));
  database.close();
  expect(JSON.stringify(plan)).toContain('USING INDEX event_job (job=?');
});

test('without an anchor behind it the end is not named', async () => {
  await place.store.commit([], [entry(job, `outcome/${job}`)]);
  const found = await excerpt();
  expect(faultsOfExcerpt(found, hashOf)).toEqual([
    expect.stringMatching(/: no anchor names its end$/),
  ]);
});

test('the same bytes whatever was written since', async () => {
  await place.store.commit([], [entry(job), entry(job, `outcome/${job}`)]);
  await trail().anchor();
  const before = JSON.stringify(await excerpt());
  await place.store.commit([], [entry(other), entry(job)]);
  await trail().anchor();
  expect(JSON.stringify(await excerpt())).toBe(before);
});
