import { jobFolder } from '../../../src/domain/job';
import { readerOf } from '../../../src/report/reader';
import { readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { ProfileRepository } from '../../../src/store/profiles/profiles';
import { TraceRepository } from '../../../src/store/traces/traces';
import { profileSubject, traceSubject } from '../../../src/domain/core/service/attempts';
import type { ManifestRow } from '../../../src/domain/certificates/certificates';
import type { Billing } from '../../../src/domain/core/service/billing-totals';
import {
  jobBatchFolder,
  type ChildJob,
  type JobBatchEnd,
  type JobBatchRecord,
} from '../../../src/domain/core/job-batch';
import { type ProfileOutcome, ProfileRecord } from '../../../src/domain/profiles/lookup';
import { type TraceOutcome, type TraceRecord } from '../../../src/domain/traces/search';
import { printResult, type ResultFlags } from '../../../src/starters/cli/print-job';
import type { CommandContext } from '../../../src/starters/jobs/context';
import { findJob } from '../../../src/starters/jobs/find-job';
import type { JobKind } from '../../../src/starters/jobs/job-kind';
import { profileBatchKind } from '../../../src/starters/profiles/kind';
import { traceBatchKind } from '../../../src/starters/traces/kind';
import { JobBatchRepository } from '../../../src/store/core/jobs/job-batches';
import { cpf } from '../../support/documents';
import { personProfile, propertyRow, vehicleRow } from '../../support/profile-answers';
import { printedByTests } from '../../support/printed';
import { putAttempt } from '../../support/stored-attempts';
import { TemporaryStore } from '../../support/temporary-store';

const at = '2026-01-05T10:15:31.000Z';
const instant = '20260105T101530123Z';

type Line = ManifestRow<string>;

let place: TemporaryStore;
let out: string;
const printed = printedByTests();

beforeEach(() => {
  place = new TemporaryStore();
  out = join(place.folder, 'out');
});
afterEach(() => place.remove());

type Child = Pick<ChildJob, 'jobId' | 'before'>;
type BatchKind = JobKind<JobBatchRecord, JobBatchEnd>;
type Shown = { kind: BatchKind; record: JobBatchRecord; end: JobBatchEnd };

/** Stores a batch that has ended: each text an item, then a duplicate of the first. */
async function batchOf(
  kind: BatchKind,
  asked: readonly string[],
  children: readonly Child[],
  more: Line[] = [],
): Promise<Shown> {
  const batchId = `${kind.kind}/${'cd'.repeat(16)}/${instant}`;
  const folder = jobBatchFolder(batchId);
  const writer = place.store.rows.writer(folder);
  const common = { type: 'x', reference: '', note: '' };
  for (const [item, document] of asked.entries()) {
    const child = { jobId: '', before: false, ...children[item], terms: {} };
    await writer.add({ ...common, kind: 'item', item, line: item + 2, document, child });
  }
  const line = asked.length + 2;
  const [document = ''] = asked;
  await writer.add({ ...common, line, kind: 'duplicate', item: 0, duplicateOf: 2, document });
  for (const one of more) await writer.add(one);
  await writer.end();
  const lines = asked.length + 1 + more.length;
  const about = { batchId, kind: kind.kind, lines, inputName: 'people.csv', left: {} };
  const record = { ...about, linesAtFault: more.length, createdAt: at } as JobBatchRecord;
  return { kind, record, end: { endedAt: at, cancelled: false, counts: {} } };
}

async function shown({ kind, record, end }: Shown, options: ResultFlags = {}): Promise<number> {
  const ctx = {
    store: place.store,
    reader: readerOf('en'),
    environment: { language: 'en' },
  } as unknown as CommandContext;
  const batches = new JobBatchRepository(place.store);
  await batches.put(record, null, []);
  await batches.finalize(jobBatchFolder(record.batchId), end);
  const job = await findJob<JobBatchRecord, JobBatchEnd>(ctx, record.batchId);
  return printResult(ctx, kind, job, { out, ...options });
}

const summary = async (): Promise<Record<string, unknown>> =>
  JSON.parse(await readFile(join(out, 'summary.json'), 'utf8')) as Record<string, unknown>;

async function rowsOf(name: string, delimiter = ','): Promise<Record<string, string>[]> {
  return parse(await readFile(join(out, name)), { columns: true, delimiter, bom: true });
}

async function searched(work: number, billing: Billing | null): Promise<string> {
  const jobId = `trace/${work}/${instant}`;
  const folder = jobFolder(jobId);
  const seen = { billing, state: 'completed', traceId: `t${work}` };
  const outcome = { jobId, status: 'completed', seen, traceId: `t${work}`, settledAt: at };
  const file = new TraceRepository(place.store);
  await file.putRecord(folder, { jobId, createdAt: at } as TraceRecord);
  await file.putOutcome(folder, { error: null, ...outcome } as unknown as TraceOutcome);
  return jobId;
}

async function lookedUp(
  number: number,
  answer: object | null,
  more: Partial<ProfileOutcome> = {},
): Promise<Child> {
  const jobId = `profile/${number}/${instant}`;
  const file = new ProfileRepository(place.store);
  const folder = jobFolder(jobId);
  if (answer !== null) await file.putAnswer(folder, Buffer.from(JSON.stringify(answer)), 1);
  const counts = { vehicles: 1, properties: 1, planes: 0, drones: null, patents: 0 };
  const told = answer === null ? null : counts;
  const outcome = {
    jobId,
    status: 'found',
    rural: 'reported',
    counts: told,
    sha256: 'ab',
    call: 1,
    answered: answer === null ? 0 : 1,
    error: null,
    startedAt: at,
    settledAt: at,
    ...more,
  };
  await file.putRecord(folder, { jobId, createdAt: at } as ProfileRecord);
  await file.putOutcome(folder, outcome as ProfileOutcome);
  return { jobId: jobId, before: false };
}

test('the rows of a batch of searches add up to what was charged, and so does its total', async () => {
  const billed = (amount: number): Billing => ({ status: 'charged', amount, unit: 'tokens' });
  const works = [
    { jobId: await searched(0, billed(0.1)), before: false },
    { jobId: await searched(1, billed(0.2)), before: false },
    { jobId: await searched(2, billed(5)), before: true },
    { jobId: await searched(3, null), before: false },
  ];
  await shown(await batchOf(traceBatchKind, ['a', 'b', 'c', 'd'], works));
  expect(await summary()).toMatchObject({
    counts: { completed: 4, duplicate: 1 },
    billing: [{ status: 'charged', unit: 'tokens', count: 3, amount: 5.3 }],
    billingUntold: 1,
    problems: [],
  });
  const rows = await rowsOf('results.csv');
  expect(rows.map((row) => row['billing_amount'])).toEqual(['0.1', '0.2', '5', '', '']);
  expect(rows.at(-1)).toMatchObject({ status: 'duplicate', trace_id: 't0', billing_unit: '' });
  expect(printed()).toContain('cost: 3 x charged 5.3 tokens');
});

test('a batch of lookups adds up its answers, and tells each of them once', async () => {
  const works = [
    await lookedUp(1, personProfile(), { answered: 2 }),
    { ...(await lookedUp(2, personProfile())), before: true },
  ];
  await shown(await batchOf(profileBatchKind, [cpf(1), cpf(2)], works));
  expect(await summary()).toMatchObject({
    billing: [{ status: null, unit: 'answer', count: 3, amount: null }],
  });
  const rows = await rowsOf('results.csv');
  expect(rows.map((row) => row['answered'])).toEqual(['2', '1', '']);
});

test('of a batch that was cancelled, what was asked for and has no end is lost, the rest cancelled', async () => {
  const works = [1, 2].map((n) => ({ jobId: `trace/${n}/${instant}`, before: false }));
  const traces = new TraceRepository(place.store);
  for (const [n, { jobId }] of works.entries()) {
    await traces.putRecord(jobFolder(jobId), {
      jobId,
      name: `${n}`,
      createdAt: at,
    } as TraceRecord);
  }
  await putAttempt(place.store, traceSubject('0'));
  const searches = await batchOf(traceBatchKind, ['a', 'b'], works);
  const end = { endedAt: at, cancelled: true, counts: { lost: 1 } };
  expect(await shown({ ...searches, end })).toBe(3);
  expect(await summary()).toMatchObject({ counts: { lost: 1, cancelled: 1, duplicate: 1 } });
  expect(await rowsOf('results.csv')).toMatchObject([
    { status: 'lost' },
    { status: 'cancelled' },
    {},
  ]);

  const people = [1, 2].map((n) => ({ jobId: `profile/${n}/${instant}`, before: false }));
  const record = { jobId: `profile/2/${instant}`, name: '2', createdAt: at } as ProfileRecord;
  await new ProfileRepository(place.store).putRecord(`profiles/2/${instant}`, record);
  const { jobId: workflowId } = record;
  await putAttempt(place.store, profileSubject('2'), { workflowId, chunk: '1-' });
  const lookups = await batchOf(profileBatchKind, [cpf(1), cpf(2)], people);
  expect(await shown({ ...lookups, end })).toBe(3);
  expect(await rowsOf('results.csv')).toMatchObject([
    { status: 'cancelled' },
    { status: 'lost' },
    {},
  ]);
});

test('a batch that was cancelled before anything was sent leaves nothing to do', async () => {
  const works = [{ jobId: `profile/1/${instant}`, before: false }];
  const end = { endedAt: at, cancelled: true, counts: {} };
  expect(await shown({ ...(await batchOf(profileBatchKind, [cpf(1)], works)), end })).toBe(0);
});

test('a row whose answer was erased says so', async () => {
  const works = [
    await lookedUp(1, null, { answered: 1, erased: true }),
    { ...(await lookedUp(2, personProfile())), before: true },
  ];
  await shown(await batchOf(profileBatchKind, [cpf(1), cpf(2)], works));
  const rows = await rowsOf('results.csv');
  expect(rows.map(({ note }) => note)).toEqual([
    'results erased',
    'had ended before',
    'results erased',
  ]);
});

test('a folder that had one batch has nothing of it beside the next one', async () => {
  const both = [await lookedUp(1, personProfile()), await lookedUp(2, personProfile())];
  await shown(await batchOf(profileBatchKind, [cpf(1), cpf(2)], both), { html: true });
  const mine = ['notes.txt', 'answers/mine.json', 'pages/mine.html'];
  for (const name of mine) await writeFile(join(out, name), 'mine');
  const earlier = await readdir(out, { recursive: true });
  expect(earlier).toEqual(
    expect.arrayContaining(['answers/2.json', 'pages/3.html', 'veiculos.csv', 'report.html']),
  );
  const first = place;
  place = new TemporaryStore();
  const next = [await lookedUp(3, null), await lookedUp(4, { imoveis: [propertyRow] })];
  await shown(await batchOf(profileBatchKind, [cpf(3), cpf(4)], next));
  const own = [
    '.job',
    'results.csv',
    'summary.json',
    'report.html',
    'imoveis.csv',
    'answers/3.json',
  ];
  const left = await readdir(out, { recursive: true });
  expect(left.sort()).toEqual([...own, ...mine, 'answers', 'pages'].sort());
  first.remove();
});

test('an answer that came with a byte order mark is written', async () => {
  const work = await lookedUp(1, null);
  const answer = Buffer.from(`\uFEFF${JSON.stringify(personProfile())}`);
  await new ProfileRepository(place.store).putAnswer(jobFolder(work.jobId), answer, 1);
  await shown(await batchOf(profileBatchKind, [cpf(1)], [work]));
  expect(JSON.parse(await readFile(join(out, 'answers', '2.json'), 'utf8'))).toEqual(
    personProfile(),
  );
  expect(await rowsOf('veiculos.csv')).toHaveLength(1);
});

test('sections of all people stand in one sheet each, with the line and the CPF of each row', async () => {
  const first = { ...personProfile(), veiculos: [{ ...vehicleRow, placa: 'A' }] };
  const extra = { ...vehicleRow, placa: 'B', novo: 1.5 };
  const second = { ...personProfile(), veiculos: [extra, { ...vehicleRow, placa: 'C' }] };
  const works = [
    await lookedUp(1, first),
    await lookedUp(2, null, { status: 'not_found', call: null }),
    await lookedUp(3, second),
  ];
  const people = [cpf(1), cpf(2), cpf(3)];
  await shown(await batchOf(profileBatchKind, people, works), { excel: true });
  expect((await stat(join(out, 'veiculos.csv'))).mode & 0o077).toBe(0);
  const rows = await rowsOf('veiculos.csv', ';');
  expect(rows.map(({ line, requested, placa, novo }) => [line, requested, placa, novo])).toEqual([
    ['2', cpf(1), 'A', ''],
    ['4', cpf(3), 'B', '1,5'],
    ['4', cpf(3), 'C', ''],
  ]);
  // Told and empty is another thing than not told.
  expect(await rowsOf('rural_produtor_organico.csv', ';')).toEqual([]);
  const files = await readdir(out);
  expect([files.includes('rural_perfil.csv'), files.includes('pages')]).toEqual([false, false]);
});

test('a page for each person, and one with counts and totals that leads there', async () => {
  const worth = (valor_venal: number) => ({ imoveis: [{ ...propertyRow, valor_venal }] });
  const works = [
    await lookedUp(1, { ...personProfile(), ...worth(0.1) }),
    await lookedUp(2, { ...personProfile(), ...worth(0.2), rural: null }, { rural: 'failed' }),
    await lookedUp(3, null, { status: 'refused', call: null, rural: null }),
  ];
  const invalid = { line: 6, kind: 'invalid', type: 'profile', document: '<b>9', reference: '' };
  const batch = await batchOf(profileBatchKind, [cpf(1), cpf(2), cpf(3)], works, [
    { ...invalid, code: 'c', message: 'm' } as Line,
  ]);
  await shown(batch, { html: true });
  expect(await readdir(join(out, 'pages'))).toEqual(['2.html', '3.html']);
  const page = await readFile(join(out, 'report.html'), 'utf8');
  const text = page.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
  expect(text).toMatch(
    /Assessed value of properties R\$0\.30 Vehicles 2 Properties 2 Cost 2 answers/,
  );
  expect(text).toMatch(/Found 2 40% Refused by the service 1 20% Duplicate 1 20% Invalid 1 20%/);
  expect(text).toMatch(/Rural part .* Reported .* Failed/);
  expect(page.match(/href="[^"]*"/g)).toEqual(['href="pages/2.html"', 'href="pages/3.html"']);
  expect(page).not.toMatch(new RegExp(`<b>9|${[cpf(1), cpf(2), cpf(3)].join('|')}`));
  const own = await readFile(join(out, 'pages', '2.html'), 'utf8');
  expect(own).toContain('answers/2.json');
});
