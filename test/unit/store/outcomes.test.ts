import { nothingReported, type OutcomeRecord } from '../../../src/domain/certificates/outcomes';
import { OutcomeRepository } from '../../../src/store/certificates/outcomes';
import { SealedDatabase } from '../../../src/store/sealed/sealed-database';
import { TemporaryStore } from '../../support/temporary-store';

const work = 'works/certificate-batch/w';
let place: TemporaryStore;
beforeEach(() => {
  place = new TemporaryStore();
});
afterEach(() => place.remove());

function outcome(item: number, fields: Partial<OutcomeRecord> = {}): OutcomeRecord {
  return {
    ...nothingReported,
    item,
    status: 'issued',
    certidaoId: `c-${item}`,
    attempts: 1,
    requestedAt: null,
    settledAt: '2026-01-01T00:00:00.000Z',
    note: '',
    possibleDoubleCharge: false,
    ...fields,
  };
}

async function all(): Promise<OutcomeRecord[]> {
  const found: OutcomeRecord[] = [];
  for await (const one of place.store.outcomes.all(work)) found.push(one);
  return found;
}

it('come back by item, each name with its own, over more than one look', async () => {
  const { outcomes } = place.store;
  const items = Array.from({ length: 700 }, (_, item) => outcome(item));
  await outcomes.file(work, 'lane-0001/b', items);
  await outcomes.file(work, 'lane-0000/a', [outcome(3, { status: 'failed' })]);
  await outcomes.file(`${work}-other`, 'lane-0000/a', [outcome(0)]);
  expect((await all()).map(({ item }) => item)).toEqual(
    [0, 1, 2, 3, 3, ...Array(696).keys()].map((item, at) => (at < 5 ? item : item + 4)),
  );
});

it('come back by the lines that are their items, or repeat them', async () => {
  const { outcomes, rows } = place.store;
  const writer = rows.writer(work);
  const told = { type: 'cnpj', document: 'x', reference: '', note: '' } as const;
  for (const item of [0, 1, 2]) await writer.add({ ...told, kind: 'item', item, line: item + 2 });
  await writer.add({ ...told, kind: 'duplicate', item: 0, line: 5, duplicateOf: 2 });
  const fault = { code: 'c', message: '', reference: '', document: '' } as const;
  await writer.add({ ...fault, kind: 'invalid', type: '', line: 6 });
  await writer.end();
  await outcomes.file(work, 'lane-0001/b', [outcome(0), outcome(1), outcome(2)]);
  await outcomes.file(work, 'lane-0000/a', [outcome(0, { status: 'failed' })]);
  await outcomes.file(`${work}-other`, 'lane-0000/a', [outcome(2)]);
  const repeated = await outcomes.ofLines(work, 4, 6);
  expect([...repeated.keys()]).toEqual([0, 2]);
  expect(repeated.get(0)?.map(({ status }) => status)).toEqual(['failed', 'issued']);
  expect([...(await outcomes.ofLines(work, 3, 3)).keys()]).toEqual([1]);
});

it('what a name has stored about an item stays, and none is no error', async () => {
  const { outcomes } = place.store;
  await outcomes.file(work, 'lane-0000/a', [outcome(0)]);
  await outcomes.file(work, 'lane-0000/a', [outcome(0, { status: 'failed' }), outcome(1)]);
  await outcomes.file(work, 'lane-0000/b', []);
  expect(await all()).toEqual([outcome(0), outcome(1)]);
});

it('are sealed for the row that they stand in', async () => {
  const names: string[] = [];
  const sealed = new SealedDatabase(place.database, {
    seal: async (name, plain) => {
      names.push(name);
      return Buffer.from(plain).reverse();
    },
    open: (_name, body) => Buffer.from(body).reverse(),
  });
  const stored = new OutcomeRepository(sealed);
  await stored.file(work, 'lane-0000/a', [outcome(4)]);
  expect(names).toEqual([`outcome/["${work}",4,"lane-0000/a"]`]);
  for await (const one of stored.all(work)) expect(one).toEqual(outcome(4));
  const [row] = await place.database.read({ sql: 'SELECT body FROM outcome', parameters: [] });
  expect(Buffer.from((row as { body: Uint8Array }).body).toString()).not.toContain('certidaoId');
});
