import { statement } from '../../../src/store/statement';
import { AuditTrail } from '../../../src/store/audit/trail';
import { entry, readAll } from '../../support/audit-entries';
import { TemporaryStore, testIdKey } from '../../support/temporary-store';

const tables = ['event', 'anchor', 'anchor_head'];
const { onPostgres } = globalThis as { onPostgres?: true };
const place = new TemporaryStore();
afterAll(() => place.remove());

test.each([
  ...tables.map((table) => `UPDATE ${table} SET number = number`),
  ...tables.map((table) => `DELETE FROM ${table}`),
  ...(onPostgres ? tables.map((table) => `TRUNCATE ${table} CASCADE`) : []),
])('the database refuses %s: the trail stays as it was written', async (sql) => {
  await new AuditTrail(place.store, testIdKey).appendAndAnchor([entry(1)]);
  const before = await readAll(place.store);
  await expect(place.store.commit([statement(sql)])).rejects.toMatchObject({ code: 'constraint' });
  expect(await readAll(place.store)).toEqual(before);
});
