import { indexDocuments } from '../../src/store/core/subject-index';
import { Store } from '../../src/store/store';
import { JobBatchRepository } from '../../src/store/core/jobs/job-batches';
import type { ErasurePlan } from '../../src/store/erasure/plan';
import { ErasurePlanner } from '../../src/store/erasure/planner';
import type { JobBatchRecord } from '../../src/domain/core/job-batch';
import { traceSubject } from '../../src/domain/core/service/attempts';
import { punctuateDocument } from '../../src/domain/core/documents/documents';
import { documentsInText } from '../../src/domain/core/documents/held-documents';
import { cpf } from '../support/documents';
import {
  changedKeys,
  cutShortAnywhere,
  erased,
  keysThat,
  nameOf,
  ofAge,
  type Planning,
} from '../support/erasures';
import { accepted, putAttempt } from '../support/stored-attempts';
import { bodyAt, bodyKeys, bodyOf, putBody } from '../support/stored-bodies';
import { TemporaryStore } from '../support/temporary-store';

const person = cpf(1);
const other = cpf(2);
const instant = '20260105T101530123Z';
const settledAt = '2026-01-05T10:15:31.000Z';
const trace = `traces/${'ab'.repeat(16)}/${instant}`;
const fence = traceSubject('ab'.repeat(16));
const batchId = `trace-batch/${'cd'.repeat(16)}/${instant}`;
let place: TemporaryStore;

beforeEach(() => {
  place = new TemporaryStore();
});
afterEach(() => place.remove());

const planner = (): ErasurePlanner => new ErasurePlanner(place.store, nameOf);

async function put(key: string, content: unknown): Promise<void> {
  await putBody(place.store, key, content);
}

/** A work that has ended, and its answer in the index, as the activities leave them. */
async function fileWork(folder: string, asked: object, answer: object, answerName: string) {
  await put(`${folder}/input`, asked);
  await put(`${folder}/${answerName}.json`, answer);
  const told = folder.startsWith('traces/')
    ? { status: 'completed', seen: { state: 'completed', sha256: 'sum', failure: null } }
    : { status: 'found', sha256: 'sum', counts: { vehicles: 2 }, rural: 'reported' };
  await put(`${folder}/outcome`, { ...told, error: null, settledAt });
  await indexDocuments(place.store, folder, nameOf, documentsInText(JSON.stringify(answer)));
}

async function fileTrace(target = 'x@example.com', answer: object = {}): Promise<void> {
  await fileWork(trace, { target }, answer, 'answer');
  await putAttempt(place.store, fence, { receipt: accepted('t1', 0, { foundBy: 'answer' }) });
}

async function fileBatch(
  documents: string[],
  { id = batchId, endedAt = settledAt }: { id?: string; endedAt?: string | null } = {},
): Promise<void> {
  const folder = `batches/${id}`;
  const writer = place.store.rows.writer(folder, nameOf);
  for (const [item, document] of documents.entries()) {
    const line = item + 2;
    const told = { type: 'trace', document, reference: '', note: '' };
    const child = { jobId: trace.replace('traces/', 'trace/'), before: false, terms: {} };
    await writer.add({ kind: 'item', item, line, child, ...told });
  }
  await writer.end();
  const batches = new JobBatchRepository(place.store);
  const record = {
    batchId: id,
    kind: 'trace-batch',
    createdAt: settledAt,
    lines: documents.length,
    inputKey: 'inputs/aa/aa',
    inputSha256: 'aa',
  };
  await put('inputs/aa/aa', 'sheet');
  await batches.put({ ...record, linesAtFault: 0 } as JobBatchRecord, null, []);
  if (endedAt !== null) await batches.finalize(folder, { endedAt, cancelled: false, counts: {} });
}

/** A batch of certificates from the same file, as far as its file is concerned. */
async function fileCertificates(finishedAt: string): Promise<void> {
  const folder = 'works/certificate-batch/b';
  const record = { jobId: 'certificate-batch/b', kind: 'certificate-batch' };
  await put(`${folder}/input`, { ...record, inputKey: 'inputs/aa/aa' });
  await put(`${folder}/outcome`, { edition: 0, snapshotAt: 0, summary: { finishedAt } });
}

const erase = (plan: Planning) => erased(place.store, plan);

async function everything(): Promise<string> {
  const keys = await bodyKeys(place.store);
  const told = await Promise.all(keys.map((key) => bodyOf(place.store, key)));
  for (const work of await place.store.rows.lists(''))
    for await (const row of place.store.rows.all(work)) told.push(JSON.stringify(row));
  return told.join('\n');
}

/** Keys of what an erasure left, but for its own records. */
const left = async (): Promise<string[]> => [
  ...(await place.store.rows.lists('')),
  ...(await place.store.attempts.subjects('')).filter((one) => !one.startsWith('erased/')),
  ...(await bodyKeys(place.store)).filter(
    (key) => !key.startsWith('erasures/') || key.startsWith('erasures/open/'),
  ),
];

const jsonAt = (key: string): Promise<unknown> => bodyAt(place.store, key);

it('takes the entries that name a person from a profile of another, and leaves the rest', async () => {
  const folder = `profiles/${nameOf(other)}/${instant}`;
  const mine = { documento: person, nome_proprietario: 'HERS', placa: 'A' };
  const theirs = { documento: other, nome_proprietario: 'THEIRS', placa: 'B' };
  const rural = { propriedades_sncr: [{ dono: { cpf: person } }, { dono: { cpf: other } }] };
  await fileWork(folder, { cpf: other }, { veiculos: [mine, theirs], rural }, 'answer-1');
  await erase((one) => one.ofDocument(person));
  expect(await everything()).not.toMatch(new RegExp(`${person}|HERS|"sum"`));
  expect(await jsonAt(`${folder}/answer-1.json`)).toEqual({
    veiculos: [theirs],
    rural: { propriedades_sncr: [{ dono: { cpf: other } }] },
  });
  expect(changedKeys(await planner().ofDocument(person))).toEqual([]);
});

it('takes a person from an answer that has the number as a number, or as the name of a field', async () => {
  const zero = '01234567890';
  const folder = `profiles/${nameOf(other)}/${instant}`;
  const rest = { cpf: Number(other), renda: 1234567.89, titular: { uf: 'SP' } };
  const answer = {
    ...rest,
    conjuge: { cpf: Number(zero), desde: 2019 },
    socios: { [zero]: { nome: 'HERS' }, '012.345.678-90': { nome: 'HERS' } },
    cpfs: [Number(zero), Number(other)],
  };
  await fileWork(folder, { cpf: other }, answer, 'answer-1');
  const lostZero = `traces/${'ef'.repeat(16)}/${instant}`;
  await fileWork(lostZero, { target: 'x' }, { result: { cpf: Number(zero) } }, 'answer');
  await erase((one) => one.ofDocument(zero));
  expect(await jsonAt(`${folder}/answer-1.json`)).toEqual({
    ...rest,
    conjuge: { cpf: null, desde: 2019 },
    socios: {},
    cpfs: [null, Number(other)],
  });
  expect(await jsonAt(`${lostZero}/answer.json`)).toEqual({ result: { cpf: null } });
});

it('reads an answer that was stored as it came, with a byte order mark', async () => {
  const folder = `profiles/${nameOf(other)}/${instant}`;
  const answer = { veiculos: [{ documento: person }, { documento: other }] };
  await fileWork(folder, { cpf: other }, answer, 'answer-1');
  await place.store.records.replace(`${folder}/answer-1.json`, `\ufeff${JSON.stringify(answer)}`);
  await erase((one) => one.ofDocument(person));
  expect(await jsonAt(`${folder}/answer-1.json`)).toEqual({ veiculos: [{ documento: other }] });
});

it('takes the finds that name a person from a search for another target', async () => {
  const finds = [{ nome: 'HERS', texto: `CPF ${person}` }, { nome: 'THEIRS' }];
  await fileTrace('x@example.com', { id: 't1', result: { ocorrencias: finds } });
  await erase((one) => one.ofDocument(person));
  expect(await jsonAt(`${trace}/answer.json`)).toEqual({
    id: 't1',
    result: { ocorrencias: [{ nome: 'THEIRS' }] },
  });
  expect(await everything()).not.toContain('"sum"');
});

it('takes a search as a whole whose target is the document, with what it left beside', async () => {
  await fileTrace(person, { target: person });
  await erase((one) => one.ofDocument(person));
  expect(await left()).toEqual([]);
});

it('waits for a request on its way that a search would be forgotten with', async () => {
  await fileWork(trace, { target: person }, { target: person }, 'answer');
  await putAttempt(place.store, fence, { at: Date.now() });
  const { undecided } = await planner().ofDocument(person);
  expect(undecided).toMatchObject([{ subject: fence, answerBy: expect.any(Number) }]);
});

it('makes tombstones of the lines of a batch, and takes its file', async () => {
  await fileBatch([person, other]);
  const plan = await planner().ofDocument(person);
  expect(plan.rows).toBe(1);
  await erase((one) => one.ofDocument(person));
  const told = await everything();
  expect([told.includes(person), told.includes(other), told.includes('"sheet"')]).toEqual([
    false,
    true,
    false,
  ]);
  expect(await jsonAt(`batches/${batchId}/input`)).toMatchObject({ inputKey: null });
});

it('scrubs the label and the file name of a batch whose lines do not hold the person', async () => {
  const folder = `batches/${batchId}`;
  await fileBatch([other]);
  const words = { label: `case of ${person}`, inputName: `${punctuateDocument(person)}.csv` };
  const asked = { ...((await jsonAt(`${folder}/input`)) as object), ...words };
  await put(`${folder}/input`, asked);
  await indexDocuments(place.store, folder, nameOf, [person]);
  const plan = await planner().ofDocument(person);
  expect(plan).toMatchObject({ rows: 0, jobs: [{ id: batchId, whole: false, ended: true }] });
  await erase((one) => one.ofDocument(person));
  expect(await jsonAt(`${folder}/input`)).toMatchObject({
    label: 'case of [erased]',
    inputName: '[erased].csv',
    inputKey: 'inputs/aa/aa',
  });
  expect((await planner().ofDocument(person)).jobs).toEqual([]);
  await erase((one) => one.ofJob(batchId));
  expect(await left()).toEqual([]);
});

it('takes a batch by its id, with the works that no other batch shares', async () => {
  await fileTrace();
  await fileBatch(['x@example.com']);
  const { jobs } = await planner().ofJob(batchId);
  expect(jobs.map(({ id, whole }) => [id, whole])).toEqual([
    [batchId, true],
    [trace.replace('traces/', 'trace/'), true],
  ]);
  await erase((one) => one.ofJob(batchId));
  expect(await left()).toEqual([]);
});

it('takes by age what was told, and what batches were made from, of what ended before', async () => {
  await fileTrace('x@example.com', { id: 't1' });
  await fileBatch(['x@example.com']);
  const after = Date.parse(settledAt) + 1;
  const inputs = await ofAge(place.store, 'inputs', after);
  expect(keysThat('removed', inputs)).toEqual(['inputs/aa/aa', 'subject/inputs/aa/aa']);
  expect(keysThat('emptied', inputs)).toEqual([`job/batches/${batchId}`]);
  expect(changedKeys(await ofAge(place.store, 'results', Date.parse(settledAt)))).toEqual([]);
  await erase(() => ofAge(place.store, 'results', after));
  expect(await place.store.records.get(`${trace}/answer.json`)).toBeNull();
  expect(await jsonAt(`${trace}/outcome`)).toMatchObject({
    status: 'completed',
    seen: { sha256: null },
    erased: true,
  });
  expect(changedKeys(await ofAge(place.store, 'results', after))).toEqual([]);
  expect(changedKeys(await ofAge(place.store, 'pdf', after))).toEqual([]);
});

describe('a file that several batches came from', () => {
  const upload = 'inputs/aa/aa';
  const after = Date.parse(settledAt) + 1;
  const later = '2026-03-01T00:00:00.000Z';
  const isTaken = (plan: ErasurePlan): boolean => changedKeys(plan).includes(upload);

  it.each([null, later])('stays for one that ended later, or has not: %s', async (endedAt) => {
    await fileBatch([other]);
    await fileBatch([other], { id: batchId.replace('2026', '2027'), endedAt });
    expect(isTaken(await planner().ofJob(batchId))).toBe(false);
    expect(changedKeys(await ofAge(place.store, 'inputs', after))).toEqual([]);
    expect(isTaken(await planner().ofJob(batchId.slice(0, -instant.length - 1)))).toBe(true);
    expect(isTaken(await planner().ofDocument(other))).toBe(true);
  });

  it('stays for certificates that ended later, and the other way round', async () => {
    await fileBatch([other]);
    await fileCertificates(later);
    expect(isTaken(await planner().ofJob(batchId))).toBe(false);
    expect(changedKeys(await ofAge(place.store, 'inputs', after))).toEqual([]);
    expect(isTaken(await planner().ofJob('certificate-batch/b'))).toBe(false);
  });

  it('stays for a batch that has not ended, whatever certificates did', async () => {
    await fileBatch([other], { endedAt: null });
    await fileCertificates(settledAt);
    expect(isTaken(await ofAge(place.store, 'inputs', after))).toBe(false);
  });

  it('goes by age with the last of them', async () => {
    await fileBatch([other]);
    await fileCertificates(settledAt);
    expect(isTaken(await ofAge(place.store, 'inputs', after))).toBe(true);
  });
});

describe('what was searched for', () => {
  it('goes with its searches, its lines, and what quotes it in the answers about others', async () => {
    await fileTrace('Ana@Example.com', { target: 'Ana@Example.com' });
    await fileBatch(['ana@example.com', 'x@example.com']);
    const finds = [{ email: 'ANA@example.com' }, { email: 'joana@example.com' }];
    const folder = `traces/${'ef'.repeat(16)}/${instant}`;
    await fileWork(folder, { target: 'x@example.com' }, { result: finds }, 'answer');
    const plan = await planner().ofTarget('ana@example.com');
    expect(plan.rows).toBe(1);
    await erase((one) => one.ofTarget('ana@example.com'));
    expect(await everything()).not.toMatch(/(?<!jo)ana@example\.com|"sheet"|"sum"/i);
    expect(await jsonAt(`${folder}/answer.json`)).toEqual({ result: [finds[1]] });
    expect((await left()).some((key) => key.startsWith(trace))).toBe(false);
    expect(changedKeys(await planner().ofTarget('ana@example.com'))).toEqual([]);
  });

  it('goes from the other columns of batches of certificates, with the upload', async () => {
    const folder = 'works/certificate-batch/b';
    await fileCertificates(settledAt);
    await put('inputs/aa/aa', 'sheet');
    const writer = place.store.rows.writer(folder, nameOf);
    const row = { kind: 'item', type: 'cnpj', reference: '', note: '' } as const;
    const own = ['of Ana@Example.com', '+55 11 98888-7777', 'Bia', person];
    await writer.add({ ...row, item: 0, line: 2, document: other, own });
    await writer.add({ ...row, item: 1, line: 3, document: person, own: ['HERS'] });
    await writer.end();
    await indexDocuments(place.store, 'inputs/aa/aa', nameOf, [other]);
    await indexDocuments(place.store, folder, nameOf, ['inputs/aa/aa']);
    const ownLeft = async () => {
      const rows = [];
      for await (const one of place.store.rows.all(folder)) rows.push(one.own);
      return rows;
    };
    await erase((one) => one.ofTarget('ana@example.com'));
    expect(await ownLeft()).toEqual([['of [erased]', own[1], 'Bia', person], ['HERS']]);
    await erase((one) => one.ofTarget('5511988887777'));
    expect(await ownLeft()).toEqual([['of [erased]', '+[erased]', 'Bia', person], ['HERS']]);
    await erase((one) => one.ofDocument(person));
    expect(await ownLeft()).toEqual([['of [erased]', '+[erased]', 'Bia', '[erased]'], []]);
    expect(await place.store.subjects.lines(nameOf('ana@example.com'))).toEqual(new Map());
    expect(changedKeys(await planner().ofTarget('Ana@example.com'))).toEqual([]);
  });

  it('goes from the label and the file name of a batch', async () => {
    await fileBatch([other]);
    const key = `batches/${batchId}/input`;
    const words = { label: 'for ana@example.com', inputName: 'Ana@Example.com.csv' };
    const asked = { ...((await jsonAt(key)) as object), ...words };
    await put(key, asked);
    await erase((one) => one.ofTarget('ana@example.com'));
    expect(await everything()).not.toMatch(/ana@example/i);
  });

  it('is the same phone number however it is punctuated', async () => {
    await fileTrace('+55 11 98888-7777');
    await erase((one) => one.ofTarget('5511988887777'));
    expect(await left()).toEqual([]);
  });

  it('may be a user name: that is no reason to take what is told about others', async () => {
    await fileTrace('ana');
    const folder = `traces/${'ef'.repeat(16)}/${instant}`;
    const answer = { result: [{ nome: 'ana' }] };
    await fileWork(folder, { target: 'banana' }, answer, 'answer');
    await erase((one) => one.ofTarget('ana'));
    expect((await left()).filter((key) => key.startsWith(trace))).toEqual([]);
    expect(await jsonAt(`${folder}/answer.json`)).toEqual(answer);
  });
});

describe('an erasure that was cut short anywhere', () => {
  const target = 'ana@example.com';

  it.each<[string, string, Planning]>([
    ['document', person, (one) => one.ofDocument(person)],
    ['target', target, (one) => one.ofTarget(target)],
    ['search', target, (one) => one.ofJob(trace.replace('traces/', 'trace/'))],
    ['shelf of searches', target, (one) => one.ofJob(`trace/${'ab'.repeat(16)}`)],
  ])('is finished by the same command: of a %s', async (_, searched, plan) => {
    const open = async (): Promise<Store> => {
      place.remove();
      place = new TemporaryStore();
      await fileTrace(searched, { target: searched });
      return new Store(place.database);
    };
    const steps = await cutShortAnywhere(open, plan, async (_store, { step }) => {
      expect([step, await left()]).toEqual([step, []]);
    });
    expect(steps).toEqual(['commit', 'removeBlobs', 'forget', 'commit']);
  });
});
