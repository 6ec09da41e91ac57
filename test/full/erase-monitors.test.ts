import { impersonalKeys, kindOf } from '../../src/store/erasure/catalog';
import { ChangeQueries } from '../../src/store/monitors/change-queries';
import { ChangeRepository } from '../../src/store/monitors/changes';
import { MonitorRepository } from '../../src/store/monitors/monitors';
import { UnreadableItemRepository } from '../../src/store/monitors/unreadable-items';
import { statement } from '../../src/store/statement';
import type { Monitor } from '../../src/domain/monitors/change';
import { FileSink } from '../../src/sinks/file-sink';
import { cnpj } from '../support/documents';
import { toldChange } from '../support/monitor-changes';
import { changedKeys, cutShortAnywhere, erased, nameOf, ofAge, planned } from '../support/erasures';
import { Store } from '../../src/store/store';
import { TemporaryStore } from '../support/temporary-store';
import { jsonLinesOf } from '../support/stored-bodies';

const person = cnpj(1);
const partner = cnpj(2);
const at = '2026-05-04T10:00:00.000Z';
const sweep = 'monitor-sweep/m/run-1';

let place: TemporaryStore;
let changes: ChangeRepository;
let monitors: MonitorRepository;
let items: UnreadableItemRepository;

function start(): void {
  place = new TemporaryStore();
  const { store } = place;
  changes = new ChangeRepository(store, nameOf);
  monitors = new MonitorRepository(store, nameOf);
  items = new UnreadableItemRepository(store, nameOf);
}

beforeEach(async () => {
  start();
  await putMonitor('of-person', person);
  await putMonitor('of-another', cnpj(3));
  await fileChanges('of-person', { a1: 'a debt', a2: `partner ${partner}` });
  await fileChanges('of-another', { b1: 'a debt', b2: { cnpj: person }, b3: `of ${partner}` });
  const listed = [{ listed: person }, { x: 1 }].map((answer) => ({ answer, issues: [] }));
  await items.put('of-another', listed, { sweep, at });
  const note = `the same as ${person}`;
  await changes.putReview('of-another', 'b1', { at, by: 'ana', note });
});
afterEach(() => place.remove());

async function putMonitor(monitorId: string, identifier: string): Promise<void> {
  const monitor = { monitorId, identifier, name: 'Watched' } as Monitor;
  const answer = { id: monitorId, identifier };
  await monitors.putAnswer(monitorId, { at, by: 'read', monitor, answer });
}

async function fileChanges(monitorId: string, afters: Record<string, unknown>): Promise<void> {
  const told = Object.entries(afters).map(([id, after]) => {
    const { change, answer } = toldChange(id);
    return { change, answer: { ...(answer as object), after } };
  });
  const files = await changes.file(monitorId, told, { sweep, at, foundAs: 'open' });
  const deliveries = files.map(({ stored }) => ({
    kind: 'change' as const,
    id: stored.change.changeId,
    stored,
  }));
  const sink = new FileSink(place.store);
  await sink.deliver({ monitorId, sweep, at: Date.parse(at), cooldownMs: null, deliveries });
  const marks = deliveries.map(({ id }) => ({ changeId: id, mark: { sweep, at, attempt: 1 } }));
  await changes.putDelivered(monitorId, 'file', marks);
  for (const { id } of deliveries) {
    const mark = { sweep, at, by: 'us' as const, acknowledgedAt: null, required: ['file'] };
    await changes.putAcknowledged(monitorId, [{ changeId: id, mark }]);
  }
}

async function everything(): Promise<string> {
  const bodies: string[] = [];
  for (const key of await place.store.records.list('')) {
    if (key.startsWith('erasures/')) continue;
    bodies.push(`${key} ${(await place.store.records.get(key))?.toString() ?? ''}`);
  }
  const tables = place.database.readNow(
    statement(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('record', 'event')",
    ),
  ) as { name: string }[];
  for (const { name } of tables) {
    for (const row of place.database.readNow(statement(`SELECT * FROM ${name}`)) as object[]) {
      const cells = Object.values(row).map((cell: unknown) =>
        cell instanceof Uint8Array ? Buffer.from(cell).toString() : String(cell),
      );
      bodies.push(`${name} ${cells.join(' ')}`);
    }
  }
  return bodies.join('\n');
}

const tombstones = async (monitorId: string): Promise<Record<string, boolean>> => {
  const found: Record<string, boolean> = {};
  const queries = new ChangeQueries(place.store);
  for await (const { stored } of queries.files({ since: null, monitors: [monitorId] })) {
    found[stored.change.changeId] = stored.erased === true;
  }
  return found;
};

it('takes a monitor of the document as a whole, and of others the changes that name it', async () => {
  const plan = await planned(place.store, (one) => one.ofDocument(person));
  const jobs = plan.jobs.map(({ id, whole }) => [id, whole] as const);
  expect(jobs.toSorted(([a], [b]) => a.localeCompare(b))).toEqual([
    ['monitor/of-another', false],
    ['monitor/of-person', true],
  ]);
  expect(plan.rows).toBe(3);
  await erased(place.store, (one) => one.ofDocument(person));
  expect(await tombstones('of-person')).toEqual({ a1: true, a2: true });
  expect(await tombstones('of-another')).toEqual({ b1: false, b2: true, b3: false });
  const left = await everything();
  expect(left).not.toContain(person);
  expect(left).not.toContain(nameOf(person));
  expect(left).toContain(cnpj(3));
  const notes: string[] = [];
  for await (const { reviews } of new ChangeQueries(place.store).files({
    since: null,
    monitors: ['of-another'],
  }))
    notes.push(...reviews.map(({ note }) => note));
  expect(notes).toEqual(['the same as [erased]']);
  expect(await items.of('of-another')).toHaveLength(1);
  const [day = ''] = await place.store.records.list('changes/');
  expect(await jsonLinesOf(place.store, day)).toMatchObject([
    { change_id: 'b1' },
    { change_id: 'b3' },
  ]);
  const again = await planned(place.store, (one) => one.ofDocument(person));
  expect(changedKeys(again)).toEqual([]);
});

it('files no change again that was erased', async () => {
  await erased(place.store, (one) => one.ofDocument(person));
  const told = [toldChange('a1')];
  const by = { sweep, at, foundAs: 'elsewhere' as const };
  const [file] = await changes.file('of-person', told, by);
  expect(file).toMatchObject({ isNew: false, stored: { answer: null, erased: true } });
  expect(file?.acknowledged?.by).toBe('us');
});

it('takes a monitor by its id, whomever it is about', async () => {
  await erased(place.store, (one) => one.ofJob('monitor/of-another'));
  expect(await tombstones('of-another')).toEqual({ b1: true, b2: true, b3: true });
  expect(await tombstones('of-person')).toEqual({ a1: false, a2: false });
  expect(await everything()).not.toContain(cnpj(3));
});

it('takes by age what was told of changes that were acknowledged before', async () => {
  const later = Date.parse(at) + 1;

  expect(changedKeys(await ofAge(place.store, 'results', Date.parse(at)))).toEqual([]);
  expect(changedKeys(await ofAge(place.store, 'inputs', later))).toEqual([]);
  expect(await ofAge(place.store, 'results', later)).toMatchObject({ rows: 5 });
  await erased(place.store, () => ofAge(place.store, 'results', later));
  expect(await place.store.records.list('changes/')).toEqual([]);
  expect(await tombstones('of-person')).toEqual({ a1: true, a2: true });
  expect(changedKeys(await ofAge(place.store, 'results', later))).toEqual([]);
});

it('finishes what was cut short anywhere', async () => {
  const open = async (): Promise<Store> => {
    place.remove();
    start();
    await putMonitor('of-person', person);
    await putMonitor('of-another', cnpj(3));
    await fileChanges('of-person', { a1: 'a debt', a2: `partner ${partner}` });
    await fileChanges('of-another', { b1: 'a debt', b2: { cnpj: person } });
    return new Store(place.database);
  };
  const steps = await cutShortAnywhere(
    open,
    (one) => one.ofDocument(person),
    async () => {
      expect(await everything()).not.toContain(person);
      expect(await tombstones('of-person')).toEqual({ a1: true, a2: true });
    },
  );
  expect(steps).toHaveLength(4);
});

it('has a kind for everything that is kept about monitors', async () => {
  const keys = await place.store.records.list('');
  expect(keys.filter((key) => kindOf('record', key) === null && !impersonalKeys.test(key))).toEqual(
    [],
  );
});
