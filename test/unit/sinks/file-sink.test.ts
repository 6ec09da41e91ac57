import { FileSink } from '../../../src/sinks/file-sink';
import { filedChange } from '../../support/monitor-changes';
import { TemporaryStore } from '../../support/temporary-store';
import { jsonLinesOf } from '../../support/stored-bodies';

let place: TemporaryStore;
beforeEach(() => {
  place = new TemporaryStore();
});
afterEach(() => place.remove());

it('files a batch under its day, the same batch once', async () => {
  const sink = new FileSink(place.store);
  const deliveries = ['c1', 'c2'].map((id) => ({
    kind: 'change' as const,
    id,
    stored: filedChange(id),
  }));
  const at = Date.parse('2026-05-04T10:05:00Z');
  const batch = { monitorId: 'monitor-1', sweep: 's', at, cooldownMs: null };
  const outcomes = await sink.deliver({ ...batch, deliveries });
  await sink.deliver({ ...batch, at: at + 1, deliveries });
  expect(outcomes).toEqual([{ kind: 'taken' }, { kind: 'taken' }]);
  const keys = await place.store.records.list('changes/');
  expect(keys).toHaveLength(1);
  expect(keys[0]).toMatch(/^changes\/2026-05-04\/monitor-1-[0-9a-f]{16}\.ndjson$/);
  expect(await jsonLinesOf(place.store, keys[0] ?? '')).toMatchObject([
    { change_id: 'c1', monitor_id: 'monitor-1', change: { id: 'c1' }, sweep: 's' },
    { change_id: 'c2' },
  ]);
});

it('files nothing for an empty batch', async () => {
  const sink = new FileSink(place.store);
  expect(
    await sink.deliver({ monitorId: 'm', sweep: 's', at: 0, cooldownMs: null, deliveries: [] }),
  ).toEqual([]);
  expect(await place.store.records.list('')).toEqual([]);
});
