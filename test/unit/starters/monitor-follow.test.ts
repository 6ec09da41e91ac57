import { IdKey } from '../../../src/protection/id-key';
import { Feed } from '../../../src/starters/monitors/follow';
import { ChangeRepository } from '../../../src/store/monitors/changes';
import { toldChange } from '../../support/monitor-changes';
import { TemporaryStore } from '../../support/temporary-store';

const idKey = IdKey.parse('cd'.repeat(32));
const minute = 60_000;

let place: TemporaryStore;
beforeEach(() => (place = new TemporaryStore()));
afterEach(() => place.remove());

async function file(changeId: string, at: string): Promise<void> {
  const changes = new ChangeRepository(place.store, (text) => idKey.nameOf('document', text));
  const by = { sweep: 's', at, foundAs: 'open' } as const;
  await changes.file('monitor-1', [toldChange(changeId)], by);
}

async function idsOf(feed: Feed): Promise<string[]> {
  const ids: string[] = [];
  for await (const line of feed.next()) {
    ids.push((JSON.parse(line) as { change_id: string }).change_id);
  }
  return ids;
}

it('goes on without a gap: what was seen before the last line may be filed after it', async () => {
  const now = Date.now();
  const at = (minutes: number) => new Date(now + minutes * minute).toISOString();
  await file('c1', at(-30));
  await file('c2', at(-5));
  const feed = new Feed({ store: place.store }, { since: at(-60) });
  expect(await idsOf(feed)).toEqual(['c1', 'c2']);
  await file('late', at(-14));
  const next = new Feed({ store: place.store }, { since: feed.resumePoint() });
  expect(await idsOf(next)).toEqual(['late', 'c2']);
});

it('goes on where it began when nothing was told', () => {
  const since = new Date().toISOString();
  expect(new Feed({ store: place.store }, { since }).resumePoint()).toBe(since);
});
