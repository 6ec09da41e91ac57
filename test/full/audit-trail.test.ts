import type { Archive } from '../../src/archive/archive';
import { AuditTrail } from '../../src/archive/audit-trail';
import { verifyAudit, type AuditFinding } from '../../src/archive/audit-verify';
import { IdKey } from '../../src/archive/open-archive';
import type { AuditEntry } from '../../src/domain/audit';
import { TemporaryArchive } from '../support/temporary-archive';
import { entry, readAll } from '../support/audit-entries';

const idKey = IdKey.parse('ab'.repeat(32));

/** An archive whose puts wait until they are let through, and may be made to fail. */
class SlowArchive {
  readonly puts: string[] = [];
  #gate: Promise<void> = Promise.resolve();
  #open = (): void => {};
  failNext: 'before' | 'after' | null = null;
  readonly archive: Archive;

  constructor(inner: Archive) {
    this.archive = {
      id: inner.id,
      store: inner.store,
      attempts: inner.attempts,
      subjects: inner.subjects,
      jobs: inner.jobs,
      outcomes: inner.outcomes,
      get: (key) => inner.get(key),
      list: (prefix) => inner.list(prefix),
      replace: (key, body) => inner.replace(key, body),
      remove: (key) => inner.remove(key),
      removeAll: (prefix) => inner.removeAll(prefix),
      forget: () => inner.forget(),
      removeOrphans: (now) => inner.removeOrphans(now),
      prove: () => inner.prove(),
      putAllIfAbsent: (records) => inner.putAllIfAbsent(records),
      putIfAbsent: async (key, body, options) => {
        await this.#gate;
        this.puts.push(key);
        const fail = this.failNext;
        this.failNext = null;
        if (fail === 'before') throw new Error('ENOSPC');
        const put = await inner.putIfAbsent(key, body, options);
        if (fail === 'after') throw new Error('EIO');
        return put;
      },
    };
  }

  close(): void {
    this.#gate = new Promise((open) => (this.#open = open));
  }

  open(): void {
    this.#open();
  }
}

describe('the audit trail', () => {
  let place: TemporaryArchive;
  let slow: SlowArchive;
  let at = Date.parse('2026-11-21T10:00:00Z');
  const now = (): number => at;
  const trail = (kind: 'worker' | 'command' = 'worker'): AuditTrail =>
    new AuditTrail(slow.archive, idKey, kind, now);

  beforeEach(() => {
    place = new TemporaryArchive();
    slow = new SlowArchive(place.archive);
    at = Date.parse('2026-11-21T10:00:00Z');
  });
  afterEach(() => place.remove());

  const findings = async (head?: string): Promise<AuditFinding[]> => {
    const found: AuditFinding[] = [];
    const onFinding = (finding: AuditFinding): void => void found.push(finding);
    await verifyAudit(place.archive, idKey, { onFinding, ...(head !== undefined && { head }) });
    return found;
  };

  it('writes what is asked for while the disk is busy into one object', async () => {
    const audit = trail();
    slow.close();
    const first = audit.append([entry(1)]);
    const others = [2, 3, 4].map((n) => audit.append([entry(n)]));
    slow.open();
    await Promise.all([first, ...others]);
    expect(slow.puts).toHaveLength(2);
    expect((await readAll(place.archive, idKey)).map(({ id }) => id)).toEqual(
      [1, 2, 3, 4].map((n) => entry(n).id),
    );
    expect(await findings()).toEqual([]);
  });

  it('splits a long list, so that no object is larger than a reader wants to hold', async () => {
    await trail().append(Array.from({ length: 2_500 }, (_, n) => entry(n)));
    expect(slow.puts).toHaveLength(3);
    expect(await findings()).toEqual([]);
  });

  it('is on the disk when append resolves', async () => {
    await trail().append([entry(1)]);
    expect(await readAll(place.archive, idKey)).toHaveLength(1);
  });

  it.each(['before', 'after'] as const)(
    'rejects what failed %s the put, goes on in a new chain, and still verifies',
    async (when) => {
      const audit = trail();
      await audit.append([entry(1)]);
      at += 1_000;
      slow.failNext = when;
      await expect(audit.append([entry(2)])).rejects.toThrow(when === 'before' ? 'ENOSPC' : 'EIO');
      await audit.append([entry(2)]);
      await audit.append([entry(3)]);
      expect(await findings()).toEqual([]);
      const read = await readAll(place.archive, idKey);
      expect(read.map(({ id }) => id)).toEqual([entry(1).id, entry(2).id, entry(3).id]);
      expect(new Set(read.map(({ chain }) => chain)).size).toBe(2);
    },
  );

  it('never writes over an object of somebody else', async () => {
    const audit = trail();
    await audit.append([entry(1)]);
    const [first = ''] = slow.puts;
    const chain = first.slice(first.lastIndexOf('/') + 1).replace('.jsonl', '');
    const key = `audit/segments/${chain}/00000002.jsonl`;
    await place.archive.putIfAbsent(key, 'not ours');
    await expect(audit.append([entry(2)])).rejects.toThrow('written by somebody else');
    expect((await place.archive.get(key))?.toString()).toBe('not ours');
  });

  it('begins a new chain after a day', async () => {
    const audit = trail();
    await audit.append([entry(1)]);
    at += 25 * 3_600_000;
    await audit.append([entry(2)]);
    const read = await readAll(place.archive, idKey);
    expect(new Set(read.map(({ chain }) => chain)).size).toBe(2);
    expect(await findings()).toEqual([]);
  });

  it('reads the records of several writers in the order of their writing, each happening once', async () => {
    const [one, other] = [trail(), trail()];
    const told: AuditEntry[] = [];
    for (let n = 0; n < 40; n += 1) {
      at += 1_000;
      await (n % 3 === 0 ? other : one).append([entry(n)]);
      if (n % 5 === 0) await trail('command').append([entry(n)]);
      told.push(entry(n));
    }
    const read = await readAll(place.archive, idKey);
    expect(read.map(({ id }) => id)).toEqual(told.map(({ id }) => id));
  });

  it('shows what was learned later of the same happening', async () => {
    const audit = trail();
    await audit.append([{ ...entry(1), result: 'unknown' }]);
    at += 1_000;
    await audit.append([{ ...entry(1), result: 'accepted' }]);
    await audit.append([{ ...entry(1), result: 'accepted' }]);
    const read = await readAll(place.archive, idKey);
    expect(read.map(({ result }) => result)).toEqual(['unknown', 'accepted']);
  });

  it('reads a span by the instants of writing, and leaves out what was told before it', async () => {
    const audit = trail();
    const began = at;
    for (let n = 0; n < 10; n += 1) {
      await audit.append([entry(n), entry(0)]);
      at += 1_000;
    }
    const span = { from: began + 3_000, to: began + 6_000 };
    const read = await readAll(place.archive, idKey, span);
    expect(read.map(({ id }) => id)).toEqual([3, 4, 5].map((n) => entry(n).id));
  });

  describe('with a record that was altered', () => {
    const began = Date.parse('2026-11-21T10:00:00Z');
    const secondAt = '2026-11-21T10:00:01.000Z';

    /** Five records, a second apart, of which the second was altered; one of another writer between. */
    async function alter(from: string, to: string): Promise<void> {
      const audit = trail();
      for (let n = 1; n <= 5; n += 1) {
        await audit.append([entry(n)]);
        if (n === 3) await trail().append([entry(9)]);
        at += 1_000;
      }
      const key = slow.puts[1] ?? '';
      const text = (await place.archive.get(key))?.toString() ?? '';
      expect(text).toContain(from);
      await place.archive.replace(key, text.replace(from, to));
    }
    const itemsRead = async (span = {}): Promise<unknown[]> =>
      (await readAll(place.archive, idKey, span)).map(({ item, intact }) => [item, intact]);
    const inOrder = [
      [1, true],
      [2, false],
      [3, true],
      [9, true],
      [4, true],
      [5, true],
    ];

    it.each([
      ['in the far future', `"at":"${secondAt}"`, '"at":"2099-01-01T00:00:00.000Z"'],
      ['long ago', `"at":"${secondAt}"`, '"at":"1999-01-01T00:00:00.000Z"'],
      ['that nobody can read', `"at":"${secondAt}"`, '"at":"soon"'],
      ['that is a number', `"at":"${secondAt}"`, '"at":7'],
    ])('shows it in its place when it gives an instant %s', async (_, from, to) => {
      await alter(from, to);
      expect(await itemsRead()).toEqual(inOrder);
      expect(await itemsRead({ to: began + 3_600_000 })).toEqual(inOrder);
    });

    it('shows it in every span: nobody knows any more when it was written', async () => {
      await alter('"accepted"', '"refused"');
      expect(await itemsRead({ from: began + 3_000 })).toEqual([
        [2, false],
        [4, true],
        [5, true],
      ]);
      expect(await itemsRead({ to: began + 1_000 })).toEqual([
        [1, true],
        [2, false],
      ]);
    });
  });

  describe('anchors', () => {
    it('name the heads of all writers, and afterwards those that moved', async () => {
      const [one, other] = [trail(), trail()];
      await one.append([entry(1)]);
      await other.append([entry(2), entry(3)]);
      expect(await one.anchor()).toMatch(/^1-[0-9a-f]{32}$/);
      await trail('command').append([entry(4)]);
      await other.append([entry(5)]);
      expect(await other.anchor()).toMatch(/^2-/);
      const heads = await anchoredHeads(2);
      expect(new Set(heads.map(([, number]) => number))).toEqual(new Set([1, 3]));
      expect(heads).toHaveLength(2);
    });

    it('are not written again while nothing has moved', async () => {
      await trail().append([entry(1)]);
      const head = await trail().anchor();
      expect(await trail().anchor()).toBe(head);
      expect(await trail('command').anchor()).toBe(head);
    });

    it('of writers that anchor at once stand one after the other', async () => {
      const writers = Array.from({ length: 6 }, () => trail());
      const heads = await Promise.all(
        writers.map(async (audit, n) => {
          await audit.append([entry(n)]);
          return audit.anchor();
        }),
      );
      expect(await findings()).toEqual([]);
      for (const head of heads) expect(await findings(head)).toEqual([]);
    });

    it('find chains that began days before, and those of clocks that differ', async () => {
      const old = trail();
      await old.append([entry(1)]);
      await old.anchor();
      at += 20 * 3_600_000;
      await old.append([entry(2)]);
      at += 40 * 86_400_000;
      const ahead = new AuditTrail(place.archive, idKey, 'worker', () => at + 3_600_000);
      await ahead.append([entry(3)]);
      await trail().anchor();
      const heads = await anchoredHeads(2);
      expect(new Set(heads.map(([, number]) => number))).toEqual(new Set([1, 2]));
    });

    it('of a trail with a spoilt anchor are still written: work goes on', async () => {
      const audit = trail();
      await audit.append([entry(1)]);
      await audit.anchor();
      await place.archive.replace('audit/anchors/00000001.json', '{}');
      await audit.append([entry(2)]);
      expect(await trail().anchor()).toMatch(/^2-/);
    });

    it('go by nothing that an anchor of somebody else says', async () => {
      await trail().append([entry(1)]);
      await trail().anchor();
      const stranger = new AuditTrail(place.archive, IdKey.parse('cd'.repeat(32)), 'worker', () =>
        Date.parse('2099-01-01T00:00:00Z'),
      );
      await trail().append([entry(2)]);
      // Names the head of the second chain, so that ours might leave it out.
      expect(await stranger.anchor()).toMatch(/^2-/);
      const head = await trail().anchor();
      expect(head).toMatch(/^3-/);
      expect(await anchoredHeads(3)).toHaveLength(1);
      expect(await trail().anchor()).toBe(head);
      expect((await findings(head)).map(({ problem, record }) => [problem, record])).toEqual([
        ['foreign', 2],
      ]);
    });

    it('are never the head that is given when they are not ours', async () => {
      await trail().append([entry(1)]);
      await trail().anchor();
      const key = 'audit/anchors/00000001.json';
      const ours = (await place.archive.get(key))?.toString() ?? '';
      const mac = /"mac":"(\w+)"/.exec(ours)?.[1] ?? '';
      await place.archive.putIfAbsent(
        'audit/anchors/00000002.json',
        ours.replace(mac, 'f'.repeat(32)),
      );
      expect(await trail().anchor()).toMatch(/^3-/);
    });

    it('find what was written since, when the last anchor is of a clock far ahead', async () => {
      await trail().append([entry(1)]);
      const ahead = at + 400 * 86_400_000;
      await new AuditTrail(place.archive, idKey, 'worker', () => ahead).anchor();
      await trail('command').append([entry(2)]);
      expect(await trail().anchor()).toMatch(/^2-/);
      expect(await anchoredHeads(2)).toHaveLength(1);
    });

    async function anchoredHeads(number: number): Promise<[string, number, string][]> {
      const key = `audit/anchors/${String(number).padStart(8, '0')}.json`;
      const text = (await place.archive.get(key))?.toString() ?? '{}';
      return (JSON.parse(text) as { heads: [string, number, string][] }).heads;
    }
  });
});
