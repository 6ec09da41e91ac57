import { IdKey } from '../../../src/protection/id-key';
import { KeyRing } from '../../../src/protection/key-ring';
import { parseHead } from '../../../src/store/audit/anchors';
import { beginningOf, forgeLink } from '../../../src/store/audit/link';
import { AuditTrail } from '../../../src/store/audit/trail';
import { verifyAudit, type AuditFinding } from '../../../src/store/audit/verify';
import { KeySeal } from '../../../src/store/sealed/seal';
import { SealedDatabase } from '../../../src/store/sealed/sealed-database';
import { entry } from '../../support/audit-entries';
import { TemporaryStore, testIdKey } from '../../support/temporary-store';

const strangersKey = IdKey.parse('cd'.repeat(32));
let place: TemporaryStore;
let store: SealedDatabase;
let audit: AuditTrail;
/** Of twelve records. */
let chain: string;

beforeEach(async () => {
  place = new TemporaryStore();
  ({ store } = place);
  place.openTrail();
  audit = new AuditTrail(store, testIdKey);
  for (let n = 0; n < 12; n += 3) await audit.append([entry(n), entry(n + 1), entry(n + 2)]);
  [{ chain }] = place.tamper('SELECT chain FROM event LIMIT 1') as [{ chain: string }];
});
afterEach(() => place.remove());

async function findings(head?: string): Promise<AuditFinding[]> {
  const found: AuditFinding[] = [];
  const onFinding = (finding: AuditFinding): void => void found.push(finding);
  await verifyAudit(store, testIdKey, { onFinding, ...(head !== undefined && { head }) });
  return found;
}

/** Problem, and the records of the chain that it names. */
const named = async (head?: string): Promise<string[]> =>
  (await findings(head)).map(
    ({ problem, chain: where, record, toRecord }) =>
      `${problem} ${where === chain ? '' : `${where} `}${record}-${toRecord}`,
  );

it('finds nothing where nothing was done', async () => {
  const head = await audit.anchor();
  const onFinding = (): never => {
    throw new Error('a finding');
  };
  expect(await verifyAudit(store, testIdKey, { head, onFinding })).toEqual({
    chains: 1,
    records: 12,
    anchors: 1,
    findings: 0,
    head,
  });
});

it.each(['at', 'name', 'body', 'hash', 'prev'])(
  'names the record whose %s was changed',
  async (column) => {
    place.tamper(
      `UPDATE event SET ${column} = (SELECT ${column} FROM event WHERE number = 1) || 'x' WHERE number = 5`.replace(
        "(SELECT body FROM event WHERE number = 1) || 'x'",
        "CAST('{}' AS BLOB)",
      ),
    );
    expect(await named()).toEqual(['changed 5-5']);
  },
);

it('names a record whose hash was made to fit the change', async () => {
  const [row] = place.tamper('SELECT prev, number, at, body FROM event WHERE number = 5') as [
    { prev: string; number: number; at: string; body: Uint8Array },
  ];
  const text = Buffer.from(row.body).toString().replace('maria', 'mario');
  const beginning = beginningOf(store.id, chain);
  const { hash } = forgeLink(strangersKey.auditKey, beginning, row, text);
  place.tamper('UPDATE event SET body = ?, hash = ? WHERE number = 5', Buffer.from(text), hash);
  expect(await named()).toEqual(['foreign 5-5']);
});

it.each([
  { which: '= 1', expected: ['removed 1-1'] },
  { which: '= 5', expected: ['removed 5-5'] },
  { which: 'IN (7, 8)', expected: ['removed 7-8'] },
  { which: '< 4', expected: ['removed 1-3'] },
])('names what was removed: $expected', async ({ which, expected }) => {
  place.tamper(`DELETE FROM event WHERE number ${which}`);
  expect(await named()).toEqual(expected);
});

it('names records that changed places', async () => {
  for (const [from, to] of [
    [5, 99],
    [6, 5],
    [99, 6],
  ]) {
    place.tamper('UPDATE event SET number = ? WHERE number = ?', to, from);
  }
  expect(await named()).toEqual(['changed 5-5', 'changed 6-6']);
});

it('names a record moved here from another chain', async () => {
  await place.writer().commit([], [entry(99)]);
  place.tamper('DELETE FROM event WHERE chain = ? AND number = 1', chain);
  place.tamper('UPDATE event SET chain = ? WHERE chain <> ?', chain, chain);
  expect(await named()).toEqual(['foreign 1-1']);
});

it('names every record of a chain written without the key', async () => {
  await place.writer(undefined, strangersKey).commit([], [entry(50), entry(51)]);
  const found = await findings();
  expect(found.map(({ problem, record }) => [problem, record])).toEqual([
    ['foreign', 1],
    ['foreign', 2],
  ]);
});

it('finds nothing where a writer begins a chain and goes on while it reads', async () => {
  await audit.anchor();
  const late = place.writer();
  let n = 20;
  const read = store.read.bind(store);
  let isWriting = false;
  jest.spyOn(store, 'read').mockImplementation(async (look) => {
    const rows = await read(look);
    // What writes reads as well.
    if (isWriting) return rows as never;
    isWriting = true;
    await late.commit([], [entry(n++)]);
    await audit.append([entry(n++)]);
    isWriting = false;
    return rows as never;
  });
  expect(await named()).toEqual([]);
  expect(n).toBeGreaterThan(25);
});

it('names a record that was sealed and then altered, and goes on anchoring', async () => {
  place.tamper('DELETE FROM event');
  const keys = KeyRing.parse(`a:${'ab'.repeat(32)}`);
  store = new SealedDatabase(place.database, new KeySeal(keys));
  const sealed = new AuditTrail(store, testIdKey);
  await sealed.append([entry(60)]);
  const [{ body }] = place.tamper('SELECT body FROM event') as [{ body: Uint8Array }];
  expect(Buffer.from(body).toString()).not.toContain('maria');
  body[body.length - 1] = (body.at(-1) ?? 0) ^ 1;
  place.tamper('UPDATE event SET body = ?', body);
  expect(await sealed.anchor()).toMatch(/^1-/);
  expect(await findings()).toMatchObject([
    { problem: 'removed', record: 1, toRecord: 12 },
    { problem: 'changed', record: 13 },
  ]);
});

describe('with an anchor', () => {
  let head: string;

  beforeEach(async () => {
    head = await audit.anchor();
  });

  it('names the last records when they were cut off', async () => {
    place.tamper('DELETE FROM event WHERE number > 10');
    expect(await named()).toEqual(['removed 11-12']);
  });

  it('names a chain that was removed as a whole', async () => {
    place.tamper('DELETE FROM event');
    expect(await named()).toEqual(['removed 1-12']);
    expect(await named(head)).toEqual(['removed 1-12']);
  });

  it('names an anchor that was changed, removed or written anew', async () => {
    await audit.appendAndAnchor([entry(12)]);
    await audit.appendAndAnchor([entry(13)]);
    place.tamper('UPDATE anchor_head SET number = 12 WHERE anchor = 2');
    expect(await named()).toEqual(['changed anchors 2-2']);
    place.tamper('UPDATE anchor_head SET number = 13 WHERE anchor = 2');
    expect(await named()).toEqual([]);
    place.tamper("UPDATE anchor SET mac = 'x' WHERE number = 2");
    expect(await named()).toEqual(['foreign anchors 2-2']);
    place.tamper('DELETE FROM anchor_head WHERE anchor = 2');
    place.tamper('DELETE FROM anchor WHERE number = 2');
    expect(await named()).toEqual(['removed anchors 2-2']);
  });

  it('finds the end gone with the anchors that named it, by a head that somebody kept', async () => {
    const kept = await audit.appendAndAnchor([entry(12)]);
    place.tamper('DELETE FROM anchor_head WHERE anchor = 2');
    place.tamper('DELETE FROM anchor WHERE number = 2');
    place.tamper('DELETE FROM event WHERE number = 13');
    expect(await named()).toEqual([]);
    expect(await named(kept)).toEqual(['removed anchors 2-2']);
    expect(await named(head)).toEqual([]);
  });

  it('finds all of it written anew with the key, by a head that somebody kept', async () => {
    for (const table of ['event', 'anchor_head', 'anchor']) place.tamper(`DELETE FROM ${table}`);
    const anew = place.writer();
    await anew.commit([], [entry(1)]);
    await new AuditTrail(anew, testIdKey).anchor();
    expect(await named()).toEqual([]);
    expect(await named(head)).toEqual(['removed anchors 1-1']);
  });
});

it.each(['', '1', '0-00', `1-${'g'.repeat(32)}`, `1-${'a'.repeat(31)}`])(
  'takes %j for no head',
  (text) => expect(parseHead(text)).toBeNull(),
);
