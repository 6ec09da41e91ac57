import type { JobFilter } from '../../src/store/core/jobs/job-filter';
import { TemporaryStore } from '../support/temporary-store';

const jobCount = 100_000;
const subjectCount = 1_000_000;
const mostMs = 50;

let place: TemporaryStore;

/** As a year of a busy back office leaves them: the rows are made by the database itself. */
beforeAll(() => {
  place = new TemporaryStore();
  const numbers = `WITH RECURSIVE number (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n + 1 < ?)`;
  place.database.commitNow([
    {
      sql: `${numbers} INSERT INTO job (id, kind, status, attention_at, label, folder, input, created_at, ended_at)
            SELECT 'job-' || n, CASE n % 3 WHEN 0 THEN 'trace' WHEN 1 THEN 'dossier' ELSE 'certificate' END,
              CASE n % 1000 WHEN 0 THEN NULL WHEN 1 THEN 'expired' ELSE 'completed' END,
              CASE n % 1000 WHEN 1 THEN strftime('%Y-%m-%dT%H:%M:%fZ', 1700000600 + n * 300, 'unixepoch') END,
              'label-' || (n % 500), 'jobs/' || n, x'7b7d',
              strftime('%Y-%m-%dT%H:%M:%fZ', 1700000000 + n * 300, 'unixepoch'),
              CASE n % 1000 WHEN 0 THEN NULL ELSE strftime('%Y-%m-%dT%H:%M:%fZ', 1700000600 + n * 300, 'unixepoch') END
            FROM number`,
      parameters: [jobCount],
    },
    {
      sql: `${numbers} INSERT INTO subject (subject, holder) SELECT 'name-' || (n % 300000), 'jobs/' || (n / 10) FROM number`,
      parameters: [subjectCount],
    },
  ]);
}, 300_000);
afterAll(() => place.remove());

test.each<[string, JobFilter, number]>([
  ['all', {}, 50],
  ['of a kind', { kind: 'dossier' }, 50],
  ['that have not ended', { status: 'open' }, 50],
  ['by their end', { status: 'expired' }, 50],
  ['since an instant', { since: '2024-06-01T00:00:00.000Z' }, 50],
  ['with a label', { label: 'label-7' }, 50],
  ['about a subject', { subjects: ['name-1234'] }, 4],
])('a page of 100,000 jobs is listed in 50 ms: %s', async (_words, filter, count) => {
  const { jobs } = place.store;
  let after: string | undefined;
  for (let page = 0; page < 20; page += 1) {
    const started = performance.now();
    const rows = await jobs.list(filter, {
      sort: 'created',
      limit: 50,
      ...(after !== undefined && { after }),
    });
    expect(performance.now() - started).toBeLessThan(mostMs);
    if (page === 0) expect(rows).toHaveLength(count);
    after = rows.at(-1)?.id;
    if (after === undefined) break;
  }
});
