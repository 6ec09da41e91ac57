import { TemporaryArchive } from '../../support/temporary-archive';
import { WorkReader, WorkWriter, summaryKey, workFolder } from '../../../src/archive/works';
import type { ManifestItem, ManifestLine } from '../../../src/domain/certificates';
import { nothingTold, type OutcomeRecord } from '../../../src/domain/outcomes';
import type { WorkRecord } from '../../../src/domain/work';

const folder = workFolder('batch-1');
const record: WorkRecord = {
  workId: 'batch-1',
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
  item,
  line: item + 2,
  type: 'cnpj',
  document: String(item).padStart(14, '0'),
  reference: `r;"${item}"\n`,
  note: '',
});
const lineOf = (item: number): ManifestLine => ({ line: item + 2, kind: 'item', item });
const outcomeOf = (item: number, status: OutcomeRecord['status']): OutcomeRecord => ({
  ...nothingTold,
  item,
  status,
  certidaoId: null,
  attempts: 1,
  requestedAt: null,
  settledAt: '2026-11-21T10:00:00.000Z',
  note: '',
  possibleDoubleCharge: false,
});

async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of source) found.push(one);
  return found;
}

let place: TemporaryArchive;
let reader: WorkReader;

beforeEach(() => {
  place = new TemporaryArchive();
  reader = new WorkReader(place.archive);
});

afterEach(() => place.remove());

async function write(items: number): Promise<void> {
  const writer = new WorkWriter(place.archive, folder);
  for (let n = 0; n < items; n += 1) {
    await writer.addItem(itemOf(n));
    await writer.addLine(lineOf(n));
  }
  expect(await place.archive.get(`${folder}/work.json`)).toBeNull();
  expect(await writer.finish(record)).toEqual({ folder, items, filedIn: folder });
}

it.each([0, 1, 499, 500, 501, 1_000])('reads %i items and lines back as written', async (items) => {
  await write(items);
  expect(await all(reader.items(folder))).toEqual(
    Array.from({ length: items }, (_, n) => itemOf(n)),
  );
  expect(await all(reader.lines(folder))).toEqual(
    Array.from({ length: items }, (_, n) => lineOf(n)),
  );
  expect(await reader.record(folder)).toEqual(record);
});

it('puts 501 items into two parts and finds each by its place', async () => {
  await write(501);
  expect(await place.archive.list(`${folder}/items/`)).toEqual([
    `${folder}/items/00000.jsonl`,
    `${folder}/items/00001.jsonl`,
  ]);
  const work = { folder, items: 501, filedIn: folder };
  for (const at of [0, 499, 500]) expect(await reader.item(work, at)).toEqual(itemOf(at));
  await expect(reader.item(work, 501)).rejects.toThrow(RangeError);
  await expect(reader.item(work, 5_000)).rejects.toThrow(RangeError);
});

it('finds an item that was written after it was looked for in vain', async () => {
  const work = { folder, items: 1, filedIn: folder };
  await expect(reader.item(work, 0)).rejects.toThrow(RangeError);
  await write(1);
  expect(await reader.item(work, 0)).toEqual(itemOf(0));
});

it('reads an item again after the archive failed once', async () => {
  await write(1);
  const get = jest.spyOn(place.archive, 'get').mockRejectedValueOnce(new Error('EIO'));
  const work = { folder, items: 1, filedIn: folder };
  await expect(reader.item(work, 0)).rejects.toThrow('EIO');
  expect(await reader.item(work, 0)).toEqual(itemOf(0));
  await reader.item(work, 0);
  expect(get).toHaveBeenCalledTimes(2);
});

it('reads the items of many parts by place, whatever parts it keeps', async () => {
  await write(500 * 20);
  const work = { folder, items: 10_000, filedIn: folder };
  for (let round = 0; round < 2; round += 1) {
    for (let part = 0; part < 20; part += 1) {
      expect((await reader.item(work, part * 500 + round)).item).toBe(part * 500 + round);
    }
  }
});

it('does not change a work that was written before', async () => {
  await write(1);
  const again = new WorkWriter(place.archive, folder);
  await again.addItem({ ...itemOf(0), document: 'changed' });
  await again.finish({ ...record, label: 'changed' });
  expect(await all(reader.items(folder))).toEqual([itemOf(0)]);
  expect(await reader.record(folder)).toEqual(record);
});

it('has no record, summary or row of a work that is not there', async () => {
  expect(await reader.record(folder)).toBeNull();
  expect(await reader.summary(folder)).toBeNull();
  expect(await all(reader.rows(folder))).toEqual([]);
});

it('reads the summary that stands, and those of decisions', async () => {
  const { archive } = place;
  for (const edition of [0, 1]) {
    await archive.replace(summaryKey(folder, edition), JSON.stringify({ edition }));
    await archive.replace(`${folder}/latest.json`, JSON.stringify({ edition, snapshotAt: 0 }));
  }
  expect(await reader.summary(folder)).toEqual({ edition: 1 });
  expect(await reader.editionSummary(folder, 0)).toEqual({ edition: 0 });
});

describe('rows', () => {
  it('unite lines, items and outcomes over parts, in order', async () => {
    await write(1_200);
    const { outcomes } = place.archive;
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

  it('are refused while an item has no outcome', async () => {
    await write(2);
    await place.archive.outcomes.file(folder, 'lane-0000/a', [outcomeOf(0, 'issued')]);
    await expect(all(reader.rows(folder))).rejects.toThrow('item 1 of the work has no outcome');
  });
});
