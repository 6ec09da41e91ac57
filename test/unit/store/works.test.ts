import type { StoredRow } from '../../../src/store/core/row-writer';
import { decisionsOf, openDecisions } from '../../../src/store/core/jobs/inbox';
import { erasedRow } from '../../../src/store/erasure/tombstones';
import { drafted } from '../../support/erasures';
import { TemporaryStore } from '../../support/temporary-store';
import { CertificateJobs } from '../../../src/store/certificates/jobs';
import { CertificateRowWriter } from '../../support/certificate-rows';
import type { ManifestItem } from '../../../src/domain/certificates/certificates';
import { nothingReported, type OutcomeRecord } from '../../../src/domain/certificates/outcomes';
import { certificateFolder, type CertificateRecord } from '../../../src/domain/certificates/job';
import { decisionFolder } from '../../../src/domain/core/decision';

const folder = certificateFolder('batch-1');
const record: CertificateRecord = {
  jobId: 'batch-1',
  kind: 'certificate-batch',
  type: 'cnpj',
  label: null,
  inputName: 'in.csv',
  inputSha256: null,
  inputKey: null,
  createdAt: '2026-11-21T10:00:00Z',
  createdBy: 'ana',
  lines: 501,
  blankLines: 0,
  items: 501,
};
const itemOf = (item: number): ManifestItem => ({
  kind: 'item',
  item,
  line: item + 2,
  type: 'cnpj',
  document: String(item).padStart(14, '0'),
  reference: `r;"${item}"\n`,
  note: '',
});
const outcomeOf = (item: number, status: OutcomeRecord['status']): OutcomeRecord => ({
  ...nothingReported,
  item,
  status,
  certidaoId: null,
  attempts: 1,
  requestedAt: null,
  settledAt: '2026-11-21T10:00:00.000Z',
  note: '',
  possibleDoubleCharge: false,
});

const nameOf = (document: string): string => `name-${document}`;

async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of source) found.push(one);
  return found;
}

let place: TemporaryStore;
let reader: CertificateJobs;

beforeEach(() => {
  place = new TemporaryStore();
  reader = new CertificateJobs(place.store);
});

afterEach(() => place.remove());

const workOf = (items: number) => ({ folder, items, outcomesIn: folder });

async function write(items: number): Promise<void> {
  const writer = new CertificateRowWriter(place.store, folder, nameOf);
  for (let n = 0; n < items; n += 1) await writer.add(itemOf(n));
  expect(await reader.record(folder)).toBeNull();
  expect(await writer.finish(record)).toEqual(workOf(items));
}

it('shows the user their other columns in lines and results, and keeps none of them by item', async () => {
  const writer = new CertificateRowWriter(place.store, folder, nameOf);
  const own = ['Ana', 'x'];
  await writer.add({ ...itemOf(0), own });
  await writer.finish({ ...record, columns: ['Nome', 'x'] });
  await place.store.outcomes.file(folder, 'lane-0000/a', [outcomeOf(0, 'issued')]);
  expect(await reader.item(workOf(1), 0)).toEqual(itemOf(0));
  expect(await all(reader.items(folder))).toEqual([itemOf(0)]);
  expect(await all(place.store.rows.all(folder))).toEqual([{ ...itemOf(0), own }]);
  expect(await all(reader.rows(folder))).toMatchObject([{ line: 2, own }]);
  expect(await reader.record(folder)).toMatchObject({ columns: ['Nome', 'x'] });
});

it.each([0, 1, 501])('reads %i items back as written', async (items) => {
  await write(items);
  const written = Array.from({ length: items }, (_, n) => itemOf(n));
  expect(await all(reader.items(folder))).toEqual(written);
  expect(await all(place.store.rows.all(folder))).toEqual(written);
  expect(await reader.record(folder)).toEqual({ ...record, items });
});

it('finds each item by its place, and no other', async () => {
  await write(501);
  for (const at of [0, 499, 500]) expect(await reader.item(workOf(501), at)).toEqual(itemOf(at));
  await expect(reader.item(workOf(501), 501)).rejects.toThrow(RangeError);
});

it('finds an item that was written after it was looked for in vain', async () => {
  await expect(reader.item(workOf(1), 0)).rejects.toThrow(RangeError);
  await write(1);
  expect(await reader.item(workOf(1), 0)).toEqual(itemOf(0));
});

it('looks for an item again after the store failed once, and not for what it has read', async () => {
  await write(1);
  const read = jest.spyOn(place.database, 'read').mockRejectedValueOnce(new Error('EIO'));
  await expect(reader.item(workOf(1), 0)).rejects.toThrow('EIO');
  for (let times = 0; times < 3; times += 1)
    expect(await reader.item(workOf(1), 0)).toEqual(itemOf(0));
  expect(read).toHaveBeenCalledTimes(2);
});

it('refuses an item that was erased', async () => {
  await write(1);
  await drafted(place.store, async (draft) => {
    await draft.rewriteRows('batch_row', folder, (row) => erasedRow(row as StoredRow));
  });
  await expect(reader.item(workOf(1), 0)).rejects.toThrow('item 0 of works/batch-1 was erased');
});

it('reads a list of a decision as it stands, after an erasure under the name of another', async () => {
  const list = `${folder}/decisions/0001/list-1`;
  const [at, ref] = [0, { folder: list, items: 1, outcomesIn: folder }];
  for (const document of [itemOf(5).document, itemOf(7).document]) {
    await drafted(place.store, (draft) => draft.remove('batch_row', [list]));
    const writer = place.store.rows.writer(list);
    await writer.add({ ...itemOf(at), document });
    await writer.end();
    expect(await reader.item(ref, at)).toMatchObject({ document });
  }
});

it('makes a work be there with its last row, and a start that was broken off whole', async () => {
  const { database } = place;
  const own = database.commit.bind(database);
  const commit = jest.spyOn(database, 'commit');
  commit.mockImplementationOnce((statements) => own(statements));
  commit.mockRejectedValueOnce(new Error('ENOSPC'));
  await expect(write(250)).rejects.toThrow('ENOSPC');
  expect((await all(place.store.rows.all(folder))).length).toBeLessThan(250);
  expect(await reader.record(folder)).toBeNull();
  await write(250);
  expect(await all(reader.items(folder))).toHaveLength(250);
  expect(await reader.item(workOf(250), 249)).toEqual(itemOf(249));
});

it('does not change a work that was written before', async () => {
  await write(1);
  const again = new CertificateRowWriter(place.store, folder, nameOf);
  await again.add({ ...itemOf(0), document: 'changed' });
  await again.finish({ ...record, label: 'changed' });
  expect(await all(reader.items(folder))).toEqual([itemOf(0)]);
  expect(await reader.record(folder)).toEqual({ ...record, items: 1 });
});

it('has no record, summary or row of a work that is not there', async () => {
  expect(await reader.record(folder)).toBeNull();
  expect(await reader.latest(folder)).toBeNull();
  expect(await all(reader.rows(folder))).toEqual([]);
});

it('reads how a work stands, and how decisions about it ended', async () => {
  const { jobs } = place.store;
  await write(1);
  expect(await reader.latest(folder)).toBeNull();
  const decided = { number: 1, by: 'ana', at: 't' };
  const start = {
    id: 'batch-1/decision-1',
    kind: 'decision',
    createdAt: 't',
    label: null,
  } as const;
  await jobs.start(decisionFolder(folder, 1), start, decided);
  expect(await decisionsOf(place.store, folder)).toEqual([decided]);
  expect(await reader.requestedBy(`${decisionFolder(folder, 1)}/list-2`)).toBe('ana');
  const ending = { status: 'issued', needsAttention: false, endedAt: 't' };
  for (const edition of [0, 1]) {
    const outcome = { edition, snapshotAt: 0, summary: { edition } };
    await jobs.endAgain([
      { folder, ending, outcome },
      ...(edition === 0
        ? []
        : [{ folder: decisionFolder(folder, edition), ending, outcome: outcome.summary }]),
    ]);
    expect(await reader.latest(folder)).toMatchObject({ summary: { edition } });
    expect(await openDecisions(place.store, folder)).toEqual(edition === 0 ? [1] : []);
  }
});

describe('rows', () => {
  it('unite lines and outcomes over pages, in order', async () => {
    await write(1_200);
    const { outcomes } = place.store;
    for (let from = 0; from < 1_200; from += 400) {
      const some = Array.from({ length: 400 }, (_, at) => outcomeOf(from + at, 'issued'));
      await outcomes.file(folder, 'lane-0000/a', some);
    }
    await outcomes.file(folder, 'lane-0000/b', [outcomeOf(7, 'failed')]);
    const rows = await all(reader.rows(folder));
    expect(rows.map(({ line }) => line)).toEqual(rows.map((_, at) => at + 2));
    expect(rows.map(({ item }) => item)).toEqual([...Array(1_200).keys()]);
    expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['issued']));
  });

  it('of a repeated line tell how its item ended, however far behind it stands', async () => {
    const writer = new CertificateRowWriter(place.store, folder, nameOf);
    for (let n = 0; n < 450; n += 1) await writer.add(itemOf(n));
    const again = { kind: 'duplicate', line: 900, duplicateOf: 5, note: 'n' } as const;
    await writer.add({ ...itemOf(3), ...again });
    const fault = { code: 'wrong_length', message: 'm', reference: 'r' } as const;
    await writer.add({ kind: 'invalid', line: 901, document: 'x', type: '', ...fault });
    await writer.finish(record);
    const ended = Array.from({ length: 450 }, (_, n) => outcomeOf(n, 'issued'));
    const told = { certidaoId: 'c', officialName: 'ACME', attempts: 2 };
    ended[3] = { ...outcomeOf(3, 'issued'), ...told };
    await place.store.outcomes.file(folder, 'lane-0000/a', ended);
    const rows = await all(reader.rows(folder));
    expect(rows[3]).toMatchObject({ status: 'issued', ...told, issuances: ['c'] });
    expect(rows.slice(-2)).toMatchObject([
      { line: 900, item: 3, status: 'duplicate', duplicateOf: 5, note: 'n', ...told, attempts: 0 },
      { line: 901, item: null, status: 'invalid', errorCode: 'wrong_length', document: 'x' },
    ]);
  });

  it('of what was erased tell nothing but counts', async () => {
    const writer = new CertificateRowWriter(place.store, folder, nameOf);
    await writer.add({ ...itemOf(0), document: '', erased: true });
    const again = { kind: 'duplicate', line: 3, duplicateOf: 2 } as const;
    await writer.add({ ...itemOf(0), ...again, erased: true });
    const fault = { code: 'c', message: '', reference: '', document: '' } as const;
    await writer.add({ kind: 'invalid', line: 4, type: '', ...fault, erased: true });
    await writer.finish(record);
    const kept = { attempts: 2, possibleDoubleCharge: true };
    const outcome = { ...outcomeOf(0, 'issued'), ...kept, officialName: 'ACME' };
    await place.store.outcomes.file(folder, 'lane-0000/a', [outcome]);
    const nothing = { status: 'erased', document: '', reference: '', officialName: null };
    expect(await all(reader.rows(folder))).toMatchObject([
      { ...nothing, ...kept, item: 0, duplicateOf: null },
      { ...nothing, attempts: 0, possibleDoubleCharge: false, item: 0, duplicateOf: 2 },
      { ...nothing, attempts: 0, item: null, errorCode: null },
    ]);
  });

  it('are refused while an item has no outcome', async () => {
    await write(2);
    await place.store.outcomes.file(folder, 'lane-0000/a', [outcomeOf(0, 'issued')]);
    await expect(all(reader.rows(folder))).rejects.toThrow(
      'item 1 of the job has no stored outcome',
    );
  });
});
