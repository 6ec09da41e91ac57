import { toJsonLines } from '../../../src/archive/archive';
import { ClaimLedger, certificateThing } from '../../../src/archive/claim-ledger';
import { IdKey } from '../../../src/archive/open-archive';
import { PurgePlanner } from '../../../src/archive/purge-plan';
import { WorkWriter, workFolder } from '../../../src/archive/works';
import { noCounts, type FiledRow } from '../../../src/domain/certificates';
import type { WorkRecord } from '../../../src/domain/work';
import { erasedRow } from '../../../src/archive/tombstones';
import { cnpj } from '../../support/documents';
import { TemporaryArchive } from '../../support/temporary-archive';

const idKey = IdKey.parse('ab'.repeat(32));
const nameOf = (document: string): string => idKey.nameOf('document', document);
const person = cnpj(1);
let place: TemporaryArchive;

beforeEach(() => {
  place = new TemporaryArchive();
});
afterEach(() => place.remove());

const planner = (): PurgePlanner => new PurgePlanner(place.archive, nameOf);

interface Sample {
  documents?: string[];
  indexed?: boolean;
  finishedAt?: string | null;
  inputKey?: string | null;
}

/** A batch of documents with results, as the workflows leave it. */
async function file(workId: string, sample: Sample = {}): Promise<void> {
  const { documents = [person, cnpj(2)], indexed = true, inputKey = null } = sample;
  const { finishedAt = '2026-01-02T00:00:00.000Z' } = sample;
  const folder = workFolder(workId);
  const writer = new WorkWriter(place.archive, folder, indexed ? nameOf : undefined);
  const rows: FiledRow[] = [];
  for (const [item, document] of documents.entries()) {
    const line = item + 2;
    const certidaoId = `id-${document}`;
    const blank = erasedRow({ line, type: 'cnpj', item });
    const pdfKey = `pdf/cnpj/2026/01/${nameOf(document).slice(0, 8)}_${certidaoId}_0a1b2c3d.pdf`;
    rows.push({ ...blank, document, status: 'issued', certidaoId, pdfKey });
    await writer.addLine({ line, kind: 'item', item });
    await writer.addItem({ item, line, type: 'cnpj', document, reference: '', note: '' });
    await place.archive.putIfAbsent(pdfKey, '%PDF-');
  }
  const record = { workId, kind: 'certificate-batch', inputKey, items: documents.length };
  await writer.finish(record as WorkRecord);
  if (finishedAt === null) return;
  const results = `${folder}/results/0`;
  const summary = { finishedAt, counts: { ...noCounts(), issued: documents.length } };
  await place.archive.replace(`${results}/00000.jsonl`, toJsonLines(rows));
  await place.archive.replace(`${results}/summary.json`, JSON.stringify(summary));
  await place.archive.replace(`${folder}/latest.json`, JSON.stringify({ rows: results }));
}

it('finds a work from before the index by reading it, and says so', async () => {
  await file('certificate-batch/old', { indexed: false });
  await file('certificate-batch/new');
  await file('certificate-batch/other', { documents: [cnpj(2)] });
  const plan = await planner().ofDocument(person);
  expect(plan.works.map(({ workId }) => workId)).toEqual([
    'certificate-batch/new',
    'certificate-batch/old',
  ]);
  expect(plan).toMatchObject({ notIndexed: 1, rows: 2, unsettled: [] });
});

it('takes what was left half planned as a whole: nothing ever read it', async () => {
  const writer = new WorkWriter(place.archive, 'works/certificate-batch/half', nameOf);
  const line = {
    line: 2,
    kind: 'invalid',
    type: '',
    reference: '',
    code: 'x',
    message: '',
  } as const;
  for (let n = 0; n < 500; n += 1) await writer.addLine({ ...line, document: person });
  const plan = await planner().ofDocument(person);
  expect(plan.changes).toMatchObject([
    { key: 'works/certificate-batch/half/lines/00000.jsonl', action: 'removed' },
  ]);
});

it('tells of works that have not ended, and of what may have been bought', async () => {
  await file('certificate-batch/open', { finishedAt: null });
  const ledger = new ClaimLedger(place.archive);
  const thing = certificateThing('cnpj', nameOf(person));
  const owner = { workflowId: 'certificate-batch/open/lane-0000', run: '1' };
  const times = { notAfter: Date.now() + 60_000, claimedAt: Date.now(), afterUnknown: false };
  await ledger.claim(thing, 1, { owner, kind: 'send', nonce: 'n', ...times });
  const sent = await planner().ofDocument(person);
  expect(sent.works).toMatchObject([{ ended: false, whole: false }]);
  expect(sent.unsettled).toMatchObject([{ state: { kind: 'in_flight' } }]);
  await ledger.putReceipt(thing, 1, { kind: 'unknown', reason: 'reset', at: 1 });
  const unknown = await planner().ofWork('certificate-batch/open');
  expect(unknown.unsettled).toMatchObject([{ state: { kind: 'unknown', owner } }]);
});

it('takes the words of a decision also from the rulings about other rows', async () => {
  await file('certificate-batch/b');
  const note = `as for ${person}`;
  const row = { item: 1, line: 3, status: 'unknown_outcome', certidaoId: null, attempts: 1 };
  const key = 'works/certificate-batch/b/decisions/0001/decision.json';
  const decision = { number: 1, action: 'abandon', certidaoId: null, note, rows: [row] };
  await place.archive.putIfAbsent(key, JSON.stringify(decision));
  const thing = certificateThing('cnpj', nameOf(cnpj(2)));
  const ruling = { action: 'abandon', certidaoId: null, by: 'x', note, at: 1 } as const;
  await new ClaimLedger(place.archive).putRuling(thing, 1, ruling);
  const { changes } = await planner().ofDocument(person);
  const left = [key, `${thing.key}/000001.ruling-000001.json`].map(async (quoting) => {
    const change = changes.find((one) => one.key === quoting);
    return change?.rewrite?.((await place.archive.get(quoting)) as Buffer);
  });
  for (const body of await Promise.all(left)) expect(body).toContain('as for [erased]');
});

it('takes one run of a batch and not another, whose id begins with its own', async () => {
  const later = 'certificate-batch/b/20260101T000000000Z';
  await file('certificate-batch/b', { inputKey: 'inputs/aa/aa' });
  await file(later, { documents: [person], inputKey: 'inputs/aa/aa' });
  await place.archive.putIfAbsent('inputs/aa/aa', 'sheet');
  const keys = (await planner().ofWork('certificate-batch/b')).changes.map(({ key }) => key);
  expect(keys.filter((key) => key.includes(later))).toEqual([]);
  expect(keys).not.toContain('inputs/aa/aa');
  expect(keys.filter((key) => key.startsWith('pdf/'))).toEqual([
    expect.stringContaining(`id-${cnpj(2)}`),
  ]);
});

it('takes a class from works that ended before an instant, unless a later one shares it', async () => {
  await file('certificate-batch/old', { inputKey: 'inputs/aa/aa' });
  await file('certificate-batch/new', {
    documents: [person],
    finishedAt: '2026-06-01T00:00:00.000Z',
  });
  await place.archive.putIfAbsent('inputs/aa/aa', 'sheet');
  const before = Date.parse('2026-03-01');
  const pdf = await planner().ofAge('pdf', before);
  expect(pdf.changes.map(({ kind, action }) => [kind, action])).toEqual([
    ['pdf', 'removed'],
    ['result rows', 'rewritten'],
  ]);
  expect(pdf).toMatchObject({ rows: 1, works: [{ workId: 'certificate-batch/old' }] });
  const inputs = await planner().ofAge('inputs', before);
  expect(inputs.changes.map(({ key }) => key)).toEqual(['inputs/aa/aa']);
  expect((await planner().ofAge('pdf', 0)).changes).toEqual([]);
});
