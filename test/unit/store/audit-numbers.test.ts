import { randomBytes } from 'node:crypto';
import type { AuditEntry } from '../../../src/domain/core/audit';
import { statement } from '../../../src/store/statement';
import { verifyAudit } from '../../../src/store/audit/verify';
import type { SealedDatabase } from '../../../src/store/sealed/sealed-database';
import { readAll } from '../../support/audit-entries';
import { TemporaryStore, testIdKey } from '../../support/temporary-store';

let place: TemporaryStore;
beforeEach(() => (place = new TemporaryStore()));
afterEach(() => place.remove());

const nameOf = (): string => randomBytes(16).toString('hex');

function requestOf(subject: string, job: string): AuditEntry {
  return {
    kind: 'request',
    id: `request/certificate/cnpj/${subject}/1`,
    result: 'accepted',
    by: 'maria',
    happenedAt: '2026-11-21T09:59:59.000Z',
    job,
    subject,
    sha256: 'ab'.repeat(32),
  };
}

/** What the table holds, opened: nothing is sealed in a store of a unit test. */
const texts = (): string[] =>
  (place.tamper('SELECT body FROM event ORDER BY rowid') as { body: Uint8Array }[]).map(
    ({ body }) => Buffer.from(body).toString('utf8'),
  );

async function findings(store: SealedDatabase): Promise<unknown[]> {
  const found: unknown[] = [];
  await verifyAudit(store, testIdKey, { onFinding: (one) => found.push(one) });
  return found;
}

test('a line holds a random number in the place of a keyed name, and is read with the name', async () => {
  const [subject, batch] = [nameOf(), nameOf()];
  const entry = requestOf(subject, `certificate-batch/${batch}`);
  await place.store.commit([], [entry]);
  const [text = ''] = texts();
  expect(text).not.toContain(subject);
  expect(text).not.toContain(batch);
  expect(text).toContain(entry.sha256);
  expect(await readAll(place.store)).toEqual([
    expect.objectContaining({ ...entry, intact: true, number: 1 }),
  ]);
});

test('processes have the same number for a name: what one tells again is one line', async () => {
  const entries = Array.from({ length: 20 }, () => requestOf(nameOf(), 'works/a'));
  const writers = [place.writer(), place.writer(), place.store];
  await Promise.all(writers.map((writer) => writer.commit([], entries)));
  const told = (await readAll(place.store)).map(({ subject = '' }) => subject);
  expect(told.toSorted()).toEqual(entries.map(({ subject = '' }) => subject).toSorted());
});

test('once the number was taken from the table nobody can tell whose a line is, and the chain holds', async () => {
  const [gone, other] = [nameOf(), nameOf()];
  await place.store.commit([], [requestOf(gone, `profile/${gone}/1`), requestOf(other, 'works/a')]);
  await place.store.commit([statement('DELETE FROM subject_number WHERE subject = ?', [gone])]);
  const [first, second] = await readAll(place.store);
  expect(second?.subject).toBe(other);
  expect(first?.subject).toMatch(/^[0-9a-f]{32}$/);
  expect(first?.subject).not.toBe(gone);
  expect(first?.job).toBe(`profile/${first?.subject}/1`);
  expect(await findings(place.store)).toEqual([]);
  // Asked for again it is somebody new.
  await place.store.commit([], [requestOf(gone, 'works/b')]);
  const [, , again] = await readAll(place.store);
  expect(again).toMatchObject({ subject: gone, job: 'works/b' });
  expect(texts()[2]).not.toContain(first?.subject);
});
