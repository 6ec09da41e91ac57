import type { ManifestItem } from '../../../src/domain/certificates/certificates';
import type { StoredRow } from '../../../src/store/core/row-writer';
import { RowRepository } from '../../../src/store/core/rows';
import { SealedDatabase } from '../../../src/store/sealed/sealed-database';
import { cnpj, cpf } from '../../support/documents';
import { StoreError } from '../../../src/store/store-error';
import { TemporaryStore } from '../../support/temporary-store';

const work = 'works/certificate-batch/w';
let place: TemporaryStore;
let rows: RowRepository;
beforeEach(() => {
  place = new TemporaryStore();
  ({ rows } = place.store);
});
afterEach(() => place.remove());

function item(nth: number, fields: Partial<ManifestItem> = {}): ManifestItem {
  const told = { type: 'cnpj', document: cnpj(nth), reference: '', note: '' } as const;
  return { kind: 'item', item: nth, line: nth + 2, ...told, ...fields };
}

function refused(line: number, document: string): StoredRow {
  const fault = { code: 'wrong_length', message: '', reference: '' };
  return { kind: 'invalid', line, type: '', document, ...fault };
}

async function write(list: string, written: readonly StoredRow[]): Promise<number> {
  const writer = rows.writer(list);
  for (const row of written) await writer.add(row);
  return writer.end();
}

async function all(list: string): Promise<StoredRow[]> {
  const found: StoredRow[] = [];
  for await (const row of rows.all(list)) found.push(row);
  return found;
}

it.each([0, 1, 100, 101, 500])('come back by line, over more than one look: %i', async (count) => {
  const written = Array.from({ length: count }, (_, nth) => item(nth));
  expect(await write(work, written)).toBe(count);
  await write(`${work}-other`, [item(0)]);
  expect(await all(work)).toEqual(written);
});

it('are found by their place among the items, which the list of a decision counts anew', async () => {
  const again = { kind: 'duplicate', line: 4, duplicateOf: 2 } as const;
  await write(work, [item(0), refused(3, 'x'), { ...item(0), ...again }, item(1, { line: 5 })]);
  expect(await rows.item(work, 0)).toEqual(item(0));
  expect(await rows.item(work, 1)).toEqual(item(1, { line: 5 }));
  expect(await rows.item(work, 2)).toBeNull();
  const list = `${work}/decisions/0001/list-1`;
  const start = { kind: 'buy', certidaoId: null, attempts: 1 } as const;
  const writer = rows.writer(list);
  await writer.add({ ...item(7), start });
  expect(await writer.end()).toBe(1);
  expect(await rows.item(list, 0)).toEqual({ ...item(7), start });
  expect(await rows.item(list, 7)).toBeNull();
});

it('refuses a line that is not further down: one of two would be lost', async () => {
  const writer = rows.writer(work);
  await writer.add(item(3));
  await expect(writer.add(item(3))).rejects.toThrow(RangeError);
  await expect(writer.add(item(2))).rejects.toThrow('line 4 comes behind line 5');
});

it('what stands there stays, and what a start had not come to is added', async () => {
  const written = Array.from({ length: 120 }, (_, nth) => item(nth));
  await write(work, written.slice(0, 30));
  await write(work, written);
  expect(await all(work)).toEqual(written);
});

it('are held in the names of what they tell of, or not there', async () => {
  const owner = cpf(1);
  const nameOf = (document: string) => `name of ${document}`;
  const writer = rows.writer(work, nameOf);
  await writer.add(item(2, { reference: `for ${owner}` }));
  await writer.add(refused(9, cnpj(1)));
  await writer.end();
  const { subjects } = place.store;
  for (const document of [cnpj(1), cnpj(2), owner]) {
    const name = nameOf(document);
    expect([...(await subjects.lines(name)).keys()]).toEqual([work]);
  }
  const other = rows.writer('works/other', nameOf);
  await other.add(item(3));
  await place.database.commit([{ sql: 'DROP TABLE subject', parameters: [] }]);
  await expect(other.end()).rejects.toThrow(StoreError);
  expect(await all('works/other')).toEqual([]);
});

it('are found by the lines that tell of somebody', async () => {
  await write(
    work,
    Array.from({ length: 250 }, (_, nth) => item(nth)),
  );
  const lines = Array.from({ length: 230 }, (_, nth) => nth + 10);
  expect((await rows.where(work, 'line', lines)).map(({ line }) => line)).toEqual(lines);
  expect(await rows.where(work, 'line', [])).toEqual([]);
});

it('tells which works have any, below a name', async () => {
  const lists = ['works/a', 'works/a/decisions/0001/list-1', 'works/ab', 'works/b'];
  for (const list of lists) await write(list, [item(0), item(1)]);
  expect(await rows.lists('works/a')).toEqual(lists.slice(0, 3));
  expect(await rows.lists('')).toEqual(lists);
  expect(await rows.lists('works/c')).toEqual([]);
});

it('are sealed for the line that they stand on', async () => {
  const names: string[] = [];
  const sealed = new RowRepository(
    new SealedDatabase(place.database, {
      seal: async (name, plain) => {
        names.push(name);
        return Buffer.from(plain).reverse();
      },
      open: (name, body) => {
        expect(name).toBe(names[0]);
        return Buffer.from(body).reverse();
      },
    }),
  );
  const writer = sealed.writer(work);
  await writer.add(item(0));
  await writer.end();
  expect(names).toEqual([`batch_row/["${work}",2]`]);
  expect(await sealed.item(work, 0)).toEqual(item(0));
  const [row] = await place.database.read({ sql: 'SELECT body FROM batch_row', parameters: [] });
  expect(Buffer.from((row as { body: Uint8Array }).body).toString()).not.toContain(cnpj(0));
});
