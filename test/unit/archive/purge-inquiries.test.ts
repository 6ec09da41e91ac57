import { DocumentIndexWriter } from '../../../src/archive/document-index';
import { InquiryBatchShelf } from '../../../src/archive/inquiry-batches';
import { IdKey } from '../../../src/archive/open-archive';
import { carryOut } from '../../../src/archive/purge';
import { PurgePlanner, type PurgePlan } from '../../../src/archive/purge-plan';
import { ownerKey } from '../../../src/archive/traces';
import { ManifestWriter } from '../../../src/archive/works';
import type { InquiryBatchRecord } from '../../../src/domain/inquiry-batch';
import { documentsInText } from '../../../src/domain/held-documents';
import { cpf } from '../../support/documents';
import { TemporaryArchive } from '../../support/temporary-archive';

const idKey = IdKey.parse('ab'.repeat(32));
const nameOf = (document: string): string => idKey.nameOf('document', document);
const person = cpf(1);
const other = cpf(2);
const instant = '20260105T101530123Z';
const settledAt = '2026-01-05T10:15:31.000Z';
const trace = `traces/${'ab'.repeat(16)}/${instant}`;
const batchId = `trace-batch/${'cd'.repeat(16)}/${instant}`;
let place: TemporaryArchive;

beforeEach(() => {
  place = new TemporaryArchive();
});
afterEach(() => place.remove());

const planner = (): PurgePlanner => new PurgePlanner(place.archive, nameOf);

async function put(key: string, content: unknown): Promise<void> {
  await place.archive.putIfAbsent(key, JSON.stringify(content));
}

/** A work that has ended, and its answer in the index, as the activities leave them. */
async function fileWork(folder: string, asked: object, answer: object, answerName: string) {
  await put(`${folder}/asked.json`, asked);
  await put(`${folder}/${answerName}.json`, answer);
  const told = folder.startsWith('traces/')
    ? { status: 'completed', seen: { state: 'completed', sha256: 'sum', failure: null } }
    : { status: 'found', sha256: 'sum', counts: { vehicles: 2 }, rural: 'told' };
  await put(`${folder}/outcome.json`, { ...told, error: null, settledAt });
  const index = new DocumentIndexWriter(place.archive, `${folder}/${answerName}`, nameOf);
  for (const document of documentsInText(JSON.stringify(answer))) await index.addDocument(document);
  await index.flush();
}

async function fileTrace(target = 'x@example.com', answer: object = {}): Promise<void> {
  await fileWork(trace, { target }, answer, 'answer');
  await put(`${trace.slice(0, -instant.length)}intent.json`, {});
  await put(`${trace.slice(0, -instant.length)}created.json`, { traceId: 't1' });
  await put(ownerKey('t1'), {});
}

async function fileBatch(documents: string[]): Promise<void> {
  const folder = `inquiries/${batchId}`;
  const writer = new ManifestWriter<string>(place.archive, folder, nameOf);
  for (const [item, document] of documents.entries()) {
    const line = item + 2;
    await writer.addLine({ line, kind: 'item', item });
    await writer.addItem({ item, line, type: 'trace', document, reference: '', note: '' });
  }
  await writer.end();
  const shelf = new InquiryBatchShelf(place.archive);
  const workId = trace.replace('traces/', 'trace/');
  await shelf.putItemWorks(folder, [{ workId, before: false }]);
  const record = { batchId, lines: documents.length, inputKey: 'inputs/aa/aa', inputSha256: 'aa' };
  await put('inputs/aa/aa', 'sheet');
  await shelf.putWorks(folder, record as InquiryBatchRecord, [workId]);
  await shelf.putEnd(folder, { endedAt: settledAt, cancelled: false, counts: {} });
}

const order = {
  by: 'tester',
  reason: 'a test',
  startedAt: settledAt,
  workflows: [],
  macOf: (text: string) => idKey.macOf(text),
  deleteWorkflows: async () => {},
  audit: async () => {},
};

async function purge(plan: PurgePlan): Promise<void> {
  await carryOut(place.archive, plan, order);
}

async function everything(): Promise<string> {
  const keys = await place.archive.list('');
  const bodies = await Promise.all(keys.map(async (key) => String(await place.archive.get(key))));
  return bodies.join('\n');
}

const jsonAt = async (key: string): Promise<unknown> =>
  JSON.parse(String(await place.archive.get(key))) as unknown;

it('takes the entries that name a person from a profile of another, and leaves the rest', async () => {
  const folder = `profiles/${nameOf(other)}/${instant}`;
  const mine = { documento: person, nome_proprietario: 'HERS', placa: 'A' };
  const theirs = { documento: other, nome_proprietario: 'THEIRS', placa: 'B' };
  const rural = { propriedades_sncr: [{ dono: { cpf: person } }, { dono: { cpf: other } }] };
  await fileWork(folder, { cpf: other }, { veiculos: [mine, theirs], rural }, 'answer-1');
  await purge(await planner().ofDocument(person));
  expect(await everything()).not.toMatch(new RegExp(`${person}|HERS|"sum"`));
  expect(await jsonAt(`${folder}/answer-1.json`)).toEqual({
    veiculos: [theirs],
    rural: { propriedades_sncr: [{ dono: { cpf: other } }] },
  });
  expect((await planner().ofDocument(person)).changes).toEqual([]);
});

it('takes the finds that name a person from a search for another target', async () => {
  const finds = [{ nome: 'HERS', texto: `CPF ${person}` }, { nome: 'THEIRS' }];
  await fileTrace('x@example.com', { id: 't1', result: { ocorrencias: finds } });
  await purge(await planner().ofDocument(person));
  expect(await jsonAt(`${trace}/answer.json`)).toEqual({
    id: 't1',
    result: { ocorrencias: [{ nome: 'THEIRS' }] },
  });
  expect(await everything()).not.toContain('"sum"');
});

it('takes a search as a whole whose target is the document, with what it left beside', async () => {
  await fileTrace(person, { target: person });
  await purge(await planner().ofDocument(person));
  expect((await place.archive.list('')).filter((key) => !key.startsWith('erasures/'))).toEqual([]);
});

it('makes tombstones of the lines of a batch, and takes its file', async () => {
  await fileBatch([person, other]);
  const plan = await planner().ofDocument(person);
  expect(plan.rows).toBe(1);
  await purge(plan);
  const left = await everything();
  expect([left.includes(person), left.includes(other), left.includes('"sheet"')]).toEqual([
    false,
    true,
    false,
  ]);
  expect(await jsonAt(`inquiries/${batchId}/asked.json`)).toMatchObject({ inputKey: null });
});

it('takes a batch by its id, with the works that no other batch shares', async () => {
  await fileTrace();
  await fileBatch(['x@example.com']);
  const { works } = await planner().ofWork(batchId);
  expect(works.map(({ workId, whole }) => [workId, whole])).toEqual([
    [batchId, true],
    [trace.replace('traces/', 'trace/'), true],
  ]);
  await purge(await planner().ofWork(batchId));
  expect((await place.archive.list('')).filter((key) => !key.startsWith('erasures/'))).toEqual([]);
});

it('takes by age what was told, and what batches were made from, of what ended before', async () => {
  await fileTrace('x@example.com', { id: 't1' });
  await fileBatch(['x@example.com']);
  const after = Date.parse(settledAt) + 1;
  const inputs = await planner().ofAge('inputs', after);
  expect(inputs.changes.map(({ key, action }) => [key, action])).toEqual([
    ['inputs/aa/aa', 'removed'],
    [`inquiries/${batchId}/asked.json`, 'rewritten'],
  ]);
  expect((await planner().ofAge('results', Date.parse(settledAt))).changes).toEqual([]);
  await purge(await planner().ofAge('results', after));
  expect(await place.archive.get(`${trace}/answer.json`)).toBeNull();
  expect(await jsonAt(`${trace}/outcome.json`)).toMatchObject({
    status: 'completed',
    seen: { sha256: null },
    purged: true,
  });
  expect((await planner().ofAge('results', after)).changes).toEqual([]);
  expect((await planner().ofAge('pdf', after)).changes).toEqual([]);
});

describe('what was searched for', () => {
  const left = async () =>
    (await place.archive.list('')).filter((key) => !key.startsWith('erasures/'));

  it('goes with its searches, its lines, and what quotes it in the answers about others', async () => {
    await fileTrace('Ana@Example.com', { target: 'Ana@Example.com' });
    await fileBatch(['ana@example.com', 'x@example.com']);
    const finds = [{ email: 'ANA@example.com' }, { email: 'joana@example.com' }];
    const folder = `traces/${'ef'.repeat(16)}/${instant}`;
    await fileWork(folder, { target: 'x@example.com' }, { result: finds }, 'answer');
    const plan = await planner().ofTarget('ana@example.com');
    expect(plan.rows).toBe(1);
    await purge(plan);
    expect(await everything()).not.toMatch(/(?<!jo)ana@example\.com|"sheet"|"sum"/i);
    expect(await jsonAt(`${folder}/answer.json`)).toEqual({ result: [finds[1]] });
    expect((await left()).some((key) => key.startsWith(trace))).toBe(false);
    expect((await planner().ofTarget('ana@example.com')).changes).toEqual([]);
  });

  it('is the same phone number however it is punctuated', async () => {
    await fileTrace('+55 11 98888-7777');
    await purge(await planner().ofTarget('5511988887777'));
    expect(await left()).toEqual([]);
  });

  it('may be a user name: that is no reason to take what is told about others', async () => {
    await fileTrace('ana');
    const folder = `traces/${'ef'.repeat(16)}/${instant}`;
    const answer = { result: [{ nome: 'ana' }] };
    await fileWork(folder, { target: 'banana' }, answer, 'answer');
    await purge(await planner().ofTarget('ana'));
    expect((await left()).filter((key) => key.startsWith(trace))).toEqual([]);
    expect(await jsonAt(`${folder}/answer.json`)).toEqual(answer);
  });

  it('goes although an earlier try took the record that tells it', async () => {
    await fileTrace('ana@example.com', { target: 'ana@example.com' });
    const plan = await planner().ofTarget('ana@example.com');
    const asked = plan.changes.filter(({ key }) => key.endsWith('/asked.json'));
    const cut = { ...plan, changes: asked };
    await expect(
      carryOut(place.archive, cut, { ...order, audit: () => Promise.reject(new Error('cut')) }),
    ).rejects.toThrow('cut');
    expect(await left()).toContain(`${trace}/answer.json`);
    await purge(await planner().ofTarget('ana@example.com'));
    expect(await left()).toEqual([]);
  });
});
