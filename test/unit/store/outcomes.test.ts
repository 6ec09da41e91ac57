import { nothingTold, type OutcomeRecord } from '../../../src/domain/outcomes';
import { OutcomeRepository } from '../../../src/store/outcomes';
import { SealedStore } from '../../../src/store/sealed-store';
import { TemporaryArchive } from '../../support/temporary-archive';

const work = 'works/certificate-batch/w';
let place: TemporaryArchive;
beforeEach(() => {
  place = new TemporaryArchive();
});
afterEach(() => place.remove());

function outcome(item: number, fields: Partial<OutcomeRecord> = {}): OutcomeRecord {
  return {
    ...nothingTold,
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
  for await (const one of place.archive.outcomes.all(work)) found.push(one);
  return found;
}

it('come back by item, each name with its own, over more than one look', async () => {
  const { outcomes } = place.archive;
  const items = Array.from({ length: 700 }, (_, item) => outcome(item));
  await outcomes.file(work, 'lane-0001/b', items);
  await outcomes.file(work, 'lane-0000/a', [outcome(3, { status: 'failed' })]);
  await outcomes.file(`${work}-other`, 'lane-0000/a', [outcome(0)]);
  expect((await all()).map(({ item }) => item)).toEqual(
    [0, 1, 2, 3, 3, ...Array(696).keys()].map((item, at) => (at < 5 ? item : item + 4)),
  );
  const some = await outcomes.of(work, 3, 5);
  expect([...some.keys()]).toEqual([3, 4]);
  expect(some.get(3)?.map(({ status }) => status)).toEqual(['failed', 'issued']);
});

it('what a name has filed about an item stays, and none is no error', async () => {
  const { outcomes } = place.archive;
  await outcomes.file(work, 'lane-0000/a', [outcome(0)]);
  await outcomes.file(work, 'lane-0000/a', [outcome(0, { status: 'failed' }), outcome(1)]);
  await outcomes.file(work, 'lane-0000/b', []);
  expect(await all()).toEqual([outcome(0), outcome(1)]);
});

it('are rewritten and removed for an erasure', async () => {
  const { outcomes } = place.archive;
  await outcomes.file(work, 'lane-0000/a', [outcome(0), outcome(1)]);
  const change = (one: OutcomeRecord) => (one.item === 1 ? { ...one, certidaoId: null } : one);
  expect(await outcomes.rewrite(work, change)).toBe(1);
  expect(await all()).toEqual([outcome(0), outcome(1, { certidaoId: null })]);
  expect(await outcomes.rewrite(work, change)).toBe(0);
  await outcomes.remove(work);
  expect(await all()).toEqual([]);
});

it('are sealed for the row that they stand in', async () => {
  const names: string[] = [];
  const sealed = new SealedStore(place.store, {
    seal: async (name, plain) => {
      names.push(name);
      return Buffer.from(plain).reverse();
    },
    open: (_name, body) => Buffer.from(body).reverse(),
  });
  const filed = new OutcomeRepository(sealed);
  await filed.file(work, 'lane-0000/a', [outcome(4)]);
  expect(names).toEqual([`outcome/${work}/4/lane-0000/a`]);
  expect([...(await filed.of(work, 0, 9)).values()]).toEqual([[outcome(4)]]);
  const [row] = place.store.readNow({ sql: 'SELECT body FROM outcome', parameters: [] });
  expect(Buffer.from((row as { body: Uint8Array }).body).toString()).not.toContain('certidaoId');
});
