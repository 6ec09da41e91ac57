import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { noCounts } from '../../src/domain/certificates/certificates';
import { nothingReported } from '../../src/domain/certificates/outcomes';
import { CertificateJobs } from '../../src/store/certificates/jobs';
import { erased, nameOf, planned } from '../support/erasures';
import { cnpj } from '../support/documents';
import { putBody } from '../support/stored-bodies';
import { TemporaryStore } from '../support/temporary-store';

const person = cnpj(1);
const jobs = 50;
const rowsPerJob = 20_000;
/** Of each job, from 0. */
const itemOfPerson = 7_777;
/** Of processor time: how long it takes depends on what else the machine does. */
const mostMs = 2_000;

let place: TemporaryStore;

beforeAll(async () => {
  place = new TemporaryStore();
  for (let job = 0; job < jobs; job += 1) await fileJob(`works/certificate-batch/${job}`);
}, 300_000);
afterAll(() => place.remove());

/** As the planner and the workflows leave it, in a few statements: through them it would take minutes. */
async function fileJob(work: string): Promise<void> {
  const numbers = `WITH RECURSIVE n (item) AS
    (SELECT 0 UNION ALL SELECT item + 1 FROM n WHERE item < ${rowsPerJob - 1})`;
  const row = { kind: 'item', type: 'cnpj', reference: '', note: '' };
  const mine = `iif(item = ${itemOfPerson}, ?, printf('%014d', 20000000000000 + item))`;
  place.tamper(
    `INSERT INTO batch_row (job, line, kind, item, body) ${numbers}
     SELECT ?, item + 2, 'item', item, CAST(json_set(?, '$.item', item, '$.line', item + 2, '$.document', ${mine}) AS BLOB)
     FROM n RETURNING 1`,
    work,
    JSON.stringify(row),
    person,
  );
  const outcome = {
    ...nothingReported,
    status: 'issued',
    certidaoId: null,
    attempts: 1,
    requestedAt: null,
    settledAt: '2026-01-01T00:00:00.000Z',
    note: '',
    possibleDoubleCharge: false,
    officialName: 'EMPRESA TAL LTDA',
  };
  place.tamper(
    `INSERT INTO outcome (job, item, stored_by, body) ${numbers}
     SELECT ?, item, 'lane-0000/a', CAST(json_set(?, '$.item', item) AS BLOB) FROM n RETURNING 1`,
    work,
    JSON.stringify(outcome),
  );
  place.tamper(
    `INSERT INTO subject (subject, holder, line) ${numbers}
     SELECT iif(item = ${itemOfPerson}, ?, printf('%032x', item)), ?, item + 2 FROM n RETURNING 1`,
    nameOf(person),
    work,
  );
  const jobId = work.slice('works/'.length);
  const input = { jobId, kind: 'certificate-batch', inputKey: null };
  await putBody(place.store, `${work}/input`, input);
  const counts = { ...noCounts(), issued: rowsPerJob };
  const finishedAt = '2026-01-02T00:00:00.000Z';
  const ended = { edition: 0, summary: { finishedAt, counts } };
  await putBody(place.store, `${work}/outcome`, ended);
}

test(`a subject in ${jobs} jobs over a million rows is erased in two seconds of processor time`, async () => {
  const [rows] = place.tamper('SELECT count(*) AS count FROM batch_row');
  expect(rows).toEqual({ count: jobs * rowsPerJob });
  const plan = await planned(place.store, (one) => one.ofDocument(person));
  expect(plan).toMatchObject({ rows: jobs, undecided: [] });
  expect(plan.jobs).toHaveLength(jobs);
  const from = process.cpuUsage();
  const { record } = await erased(place.store, (one) => one.ofDocument(person));
  const { user, system } = process.cpuUsage(from);
  const erasedMs = (user + system) / 1_000;
  process.stderr.write(`planned and erased in ${erasedMs.toFixed(0)} ms of processor time\n`);
  expect(erasedMs).toBeLessThan(mostMs);
  expect(record.rows).toBe(jobs);
  const reader = new CertificateJobs(place.store);
  for (const job of [0, jobs - 1]) {
    const folder = `works/certificate-batch/${job}`;
    expect(await place.store.rows.item(folder, itemOfPerson)).toMatchObject({ erased: true });
    expect(await reader.latest(folder)).toMatchObject({
      summary: { counts: { issued: rowsPerJob - 1, erased: 1 } },
    });
  }
  const [left] = place.tamper(
    'SELECT count(*) AS count FROM batch_row WHERE instr(body, ?) > 0',
    person,
  );
  expect(left).toEqual({ count: 0 });
}, 120_000);

test.each([
  ['SELECT holder, line FROM subject WHERE subject = ?', 'PRIMARY KEY (subject=?)'],
  ['SELECT body FROM batch_row WHERE job = ? AND line IN (?)', 'PRIMARY KEY (job=? AND line=?)'],
  ['SELECT body FROM outcome WHERE job = ? AND item IN (?)', 'PRIMARY KEY (job=? AND item=?)'],
])('is found by a key: %s', (sql, by) => {
  const database = new DatabaseSync(join(place.root, 'store.db'), { readOnly: true });
  const values = Array.from(sql.matchAll(/\?/g), () => 'x');
  const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values);
  database.close();
  expect(steps).toMatchObject([{ detail: expect.stringContaining(by) }]);
});
