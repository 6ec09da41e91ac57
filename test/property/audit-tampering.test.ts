import * as fc from 'fast-check';
import { AuditTrail } from '../../src/store/audit/trail';
import { verifyAudit } from '../../src/store/audit/verify';
import type { SealedDatabase } from '../../src/store/sealed/sealed-database';
import { sized } from '../support/full-size';
import { TemporaryStore, testIdKey } from '../support/temporary-store';

const tables = ['event', 'anchor', 'anchor_head'] as const;
const place = new TemporaryStore();
place.openTrail();
afterAll(() => place.remove());

/** Three writers and a few anchors: a trail as a day leaves it, and its head. */
async function trailOf(
  appends: readonly number[],
): Promise<{ store: SealedDatabase; head: string }> {
  for (const table of tables.toReversed()) place.tamper(`DELETE FROM ${table}`);
  const writers = Array.from({ length: 3 }, () => new AuditTrail(place.writer(), testIdKey));
  let head = '';
  for (const [turn, size] of appends.entries()) {
    const writer = writers[turn % writers.length];
    await writer?.append(
      Array.from({ length: size }, (_, n) => ({
        kind: 'outcome' as const,
        id: `outcome/work/${turn}/${n}`,
        result: 'issued',
        by: 'joão',
        happenedAt: '2026-11-21T10:00:00.000Z',
      })),
    );
    if (turn % 3 === 2 || turn === appends.length - 1) head = (await writer?.anchor()) ?? '';
  }
  return { store: place.store, head };
}

type Row = Record<string, string | number | Uint8Array>;
type Choice = (below: number) => number;

const rowsOf = (table: string): Row[] => place.tamper(`SELECT * FROM ${table}`) as Row[];

const tamperings: Record<string, (rows: Row[], at: Choice) => Row[]> = {
  change: (rows, at) => {
    const row = rows[at(rows.length)] ?? {};
    const column = Object.keys(row)[at(Object.keys(row).length)] ?? '';
    row[column] = changed(row[column], at);
    return rows;
  },
  remove: (rows, at) => rows.toSpliced(at(rows.length), 1),
  cutEnd: (rows, at) => rows.slice(0, at(rows.length)),
  swap: (rows, at) => {
    const one = rows[at(rows.length)] ?? {};
    const other = rows[at(rows.length)] ?? {};
    const column = Object.keys(one)[at(Object.keys(one).length)] ?? '';
    [one[column], other[column]] = [other[column] ?? '', one[column] ?? ''];
    return rows;
  },
};

function changed(value: Row[string] | undefined, at: Choice): Row[string] {
  if (typeof value === 'number') return value + 1 + at(9);
  if (typeof value === 'string') return `${value.slice(0, at(value.length))}~`;
  const bytes = Buffer.from(value ?? []);
  const index = at(bytes.length);
  bytes[index] = ((bytes[index] ?? 0) + 1 + at(255)) % 256;
  return bytes;
}

/** False when the tables do not take it. */
function putBack(table: string, rows: readonly Row[]): boolean {
  place.tamper('PRAGMA foreign_keys = OFF');
  place.tamper(`DELETE FROM ${table}`);
  try {
    for (const row of rows) {
      const columns = Object.keys(row);
      place.tamper(
        `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
        ...Object.values(row),
      );
    }
    return true;
  } catch {
    return false;
  } finally {
    place.tamper('PRAGMA foreign_keys = ON');
  }
}

const appends = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 12 });

it('verifies, whoever wrote how much of it', async () => {
  await fc.assert(
    fc.asyncProperty(appends, async (sizes) => {
      const { store, head } = await trailOf(sizes);
      const onFinding = (): void => {};
      expect(await verifyAudit(store, testIdKey, { head, onFinding })).toMatchObject({
        records: sizes.reduce((sum, size) => sum + size, 0),
        findings: 0,
        head,
      });
    }),
    { numRuns: 30 },
  );
});

it('shows whatever is done to it, to whoever kept its head', async () => {
  const how = fc.constantFrom(...Object.keys(tamperings));
  const chances = fc.infiniteStream(fc.nat());
  await fc.assert(
    fc.asyncProperty(
      appends,
      fc.constantFrom(...tables),
      how,
      chances,
      async (sizes, table, name, stream) => {
        const { store, head } = await trailOf(sizes);
        const before = snapshotOf(rowsOf(table));
        const at: Choice = (below) => Number(stream.next().value) % Math.max(1, below);
        const rows = tamperings[name]?.(rowsOf(table), at) ?? [];
        fc.pre(snapshotOf(rows) !== before && putBack(table, rows));
        const onFinding = (): void => {};
        const { findings } = await verifyAudit(store, testIdKey, { head, onFinding });
        expect(findings).toBeGreaterThan(0);
      },
    ),
    { numRuns: sized(200, 2_000) },
  );
});

function snapshotOf(rows: readonly Row[]): string {
  return rows
    .map((row) => Object.values(row).map(String).join('\n'))
    .toSorted((one, other) => (one < other ? -1 : 1))
    .join('\n\n');
}
