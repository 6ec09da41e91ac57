import { IdKey } from '../../../src/protection/id-key';
import { AuditTrail } from '../../../src/store/audit/trail';
import { verifyAudit, type AuditFinding } from '../../../src/store/audit/verify';
import type { SealedDatabase } from '../../../src/store/sealed/sealed-database';
import { entry, readAll } from '../../support/audit-entries';
import { TemporaryStore, testIdKey } from '../../support/temporary-store';

const began = Date.parse('2026-11-21T10:00:00Z');
let place: TemporaryStore;
let store: SealedDatabase;
let at: number;
const now = (): number => at;
/** A process of its own. */
const writer = (clock: () => number = now, key?: IdKey): AuditTrail =>
  new AuditTrail(place.writer(clock, key), key ?? testIdKey, clock);

beforeEach(() => {
  place = new TemporaryStore();
  at = began;
  store = place.writer(now);
});
afterEach(() => place.remove());

async function findings(head?: string): Promise<AuditFinding[]> {
  const found: AuditFinding[] = [];
  const onFinding = (finding: AuditFinding): void => void found.push(finding);
  await verifyAudit(store, testIdKey, { onFinding, ...(head !== undefined && { head }) });
  return found;
}

const idsRead = async (span = {}): Promise<string[]> =>
  (await readAll(store, span)).map(({ id }) => id);
const ids = (...numbers: number[]): string[] => numbers.map((n) => entry(n).id);
const insert = {
  sql: 'INSERT INTO record (key, body) VALUES (?, ?)',
  parameters: ['a', Buffer.from('x')],
};

it('stands in the transaction of what it tells', async () => {
  await store.commit([insert], [entry(1)]);
  expect(await idsRead()).toEqual(ids(1));
  // The record is there already: nothing of it happens.
  await expect(store.commit([insert], [entry(2)])).rejects.toMatchObject({ code: 'constraint' });
  expect(await idsRead()).toEqual(ids(1));
});

it('goes on in a new chain behind a transaction that failed, and verifies', async () => {
  await store.commit([insert], [entry(1)]);
  await expect(store.commit([insert], [entry(2)])).rejects.toMatchObject({ code: 'constraint' });
  at += 1_000;
  await store.commit([], [entry(2)]);
  await store.commit([], [entry(3)]);
  expect(await findings()).toEqual([]);
  const read = await readAll(store);
  expect(read.map(({ id, number }) => [id, number])).toEqual([
    [entry(1).id, 1],
    [entry(2).id, 1],
    [entry(3).id, 2],
  ]);
});

it('begins a new chain after a day', async () => {
  await store.commit([], [entry(1)]);
  at += 25 * 3_600_000;
  await store.commit([], [entry(2)]);
  expect(new Set((await readAll(store)).map(({ chain }) => chain)).size).toBe(2);
  expect(await findings()).toEqual([]);
});

it('has each happening once, in the order of writing, whoever told it', async () => {
  const [one, other] = [writer(), writer()];
  for (let n = 0; n < 40; n += 1) {
    at += 1_000;
    await (n % 3 === 0 ? other : one).append([entry(n)]);
    if (n % 5 === 0) await writer().append([entry(n)]);
  }
  expect(await idsRead()).toEqual(ids(...Array.from({ length: 40 }, (_, n) => n)));
  expect(await findings()).toEqual([]);
});

it('shows what was learned later of the same happening', async () => {
  for (const result of ['unknown', 'accepted', 'accepted']) {
    await store.commit([], [{ ...entry(1), result }]);
    at += 1_000;
  }
  expect((await readAll(store)).map(({ result }) => result)).toEqual(['unknown', 'accepted']);
});

it('reads more than one look holds', async () => {
  await store.commit(
    [],
    Array.from({ length: 1_100 }, (_, n) => entry(n)),
  );
  expect(await idsRead()).toHaveLength(1_100);
  expect(await findings()).toEqual([]);
});

it('reads a span by the instants of writing', async () => {
  for (let n = 0; n < 10; n += 1) {
    await store.commit([], [entry(n)]);
    at += 1_000;
  }
  expect(await idsRead({ from: began + 3_000, to: began + 6_000 })).toEqual(ids(3, 4, 5));
});

it.each(['2099-01-01T00:00:00.000Z', '1999-01-01T00:00:00.000Z', 'soon'])(
  'shows a record whose instant was made %s in every span',
  async (instant) => {
    for (let n = 1; n <= 5; n += 1) {
      await store.commit([], [entry(n)]);
      at += 1_000;
    }
    place.openTrail();
    place.tamper('UPDATE event SET at = ? WHERE number = 2', instant);
    for (const span of [{}, { from: began + 3_000 }, { to: began + 1_000 }]) {
      const read = await readAll(store, span);
      expect(read.filter(({ intact }) => !intact).map(({ item }) => item)).toEqual([2]);
    }
  },
);

describe('anchors', () => {
  const anchoredHeads = (anchor: number) =>
    place.tamper('SELECT chain, number FROM anchor_head WHERE anchor = ?', anchor) as {
      chain: string;
      number: number;
    }[];

  it('name the heads of all writers, and afterwards those that moved', async () => {
    const [one, other] = [writer(), writer()];
    await one.append([entry(1)]);
    await other.append([entry(2), entry(3)]);
    expect(await one.anchor()).toMatch(/^1-[0-9a-f]{32}$/);
    await writer().append([entry(4)]);
    await other.append([entry(5)]);
    expect(await other.anchor()).toMatch(/^2-/);
    const heads = anchoredHeads(2);
    expect(new Set(heads.map(({ number }) => number))).toEqual(new Set([1, 3]));
    expect(heads).toHaveLength(2);
  });

  it('are not written again while nothing has moved', async () => {
    await store.commit([], [entry(1)]);
    const head = await writer().anchor();
    expect(await writer().anchor()).toBe(head);
    at += 30 * 86_400_000;
    expect(await writer().anchor()).toBe(head);
  });

  it('of writers that anchor at once stand one after the other', async () => {
    const heads = await Promise.all(
      Array.from({ length: 6 }, async (_, n) => writer().appendAndAnchor([entry(n)])),
    );
    expect(await findings()).toEqual([]);
    for (const head of heads) expect(await findings(head)).toEqual([]);
  });

  it('find chains that began days before, and those of clocks that differ', async () => {
    const old = writer();
    await old.append([entry(1)]);
    await old.anchor();
    at += 20 * 3_600_000;
    await old.append([entry(2)]);
    at += 40 * 86_400_000;
    await writer(() => at + 3_600_000).append([entry(3)]);
    await writer().anchor();
    expect(new Set(anchoredHeads(2).map(({ number }) => number))).toEqual(new Set([1, 2]));
  });

  it('find what was written since, when the last anchor is of a clock far ahead', async () => {
    await writer().append([entry(1)]);
    const ahead = at + 400 * 86_400_000;
    await writer(() => ahead).anchor();
    await writer().append([entry(2)]);
    expect(await writer().anchor()).toMatch(/^2-/);
    expect(anchoredHeads(2)).toHaveLength(1);
  });

  it('of a trail with a spoilt anchor are still written: work goes on', async () => {
    await store.commit([], [entry(1)]);
    await writer().anchor();
    place.openTrail();
    place.tamper("UPDATE anchor SET mac = 'x'");
    expect(await writer().anchor()).toMatch(/^2-/);
  });

  it('go by nothing that an anchor of somebody else says', async () => {
    await writer().appendAndAnchor([entry(1)]);
    const stranger = writer(now, IdKey.parse('cd'.repeat(32)));
    await writer().append([entry(2)]);
    // Names the head of the second chain, so that ours might leave it out.
    expect(await stranger.anchor()).toMatch(/^2-/);
    const head = await writer().anchor();
    expect(head).toMatch(/^3-/);
    expect(anchoredHeads(3)).toHaveLength(2);
    expect(await writer().anchor()).toBe(head);
    expect((await findings(head)).map(({ problem, record }) => [problem, record])).toEqual([
      ['foreign', 2],
    ]);
  });
});
