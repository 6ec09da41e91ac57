import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { TemporaryStore } from '../../support/temporary-store';

it('an item is looked up by an index, and by nothing else', async () => {
  const place = new TemporaryStore();
  const read = jest.spyOn(place.database, 'read');
  await place.store.rows.item('works/1', 1);
  const database = new DatabaseSync(join(place.root, 'store.db'), { readOnly: true });
  const asked = read.mock.calls[0]?.[0].sql ?? '';
  const plan = database.prepare(`EXPLAIN QUERY PLAN ${asked}`).all('works/1', 1);
  database.close();
  place.remove();
  expect(plan).toMatchObject([
    { detail: 'SEARCH batch_row USING INDEX batch_row_item (job=? AND item=?)' },
  ]);
});
