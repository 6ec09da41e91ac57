import * as fc from 'fast-check';
import type { Delivery } from '../../src/domain/monitors/delivery';
import type { Severity } from '../../src/domain/monitors/change';
import { CooldownSink } from '../../src/sinks/cooldown-sink';
import type { DeliveryBatch, DeliveryOutcome, Sink } from '../../src/sinks/sink';
import { ChangeRepository } from '../../src/store/monitors/changes';
import { CooldownRepository } from '../../src/store/monitors/cooldowns';
import { statement } from '../../src/store/statement';
import { toldChange } from '../support/monitor-changes';
import { casesOf } from '../support/full-size';
import { TemporaryStore } from '../support/temporary-store';

const hourMs = 3_600_000;
const startedAt = Date.parse('2026-05-04T10:00:00Z');

/** A receiver that takes or fails as it is told, and remembers what it took. */
class Receiver implements Sink {
  readonly name = 'webhook';
  readonly alone: string[] = [];
  readonly digests = new Map<string, string[]>();
  fails = false;
  /** Changes of a digest that it takes at most, and the one that it takes in none. */
  most = Infinity;
  bad: string | null = null;

  async deliver({ deliveries }: DeliveryBatch): Promise<DeliveryOutcome[]> {
    if (this.fails) {
      return deliveries.map(() => ({ kind: 'failed', why: 'scripted', againInMs: null }));
    }
    return deliveries.map((delivery) => this.#take(delivery));
  }

  #take(delivery: Delivery): DeliveryOutcome {
    if (delivery.kind === 'change') {
      this.alone.push(delivery.id);
      return { kind: 'taken' };
    }
    const ids = delivery.digest.changes.map(({ change }) => change.changeId);
    if (ids.length > this.most) return { kind: 'refused', why: 'too long' };
    if (this.bad !== null && ids.includes(this.bad)) return { kind: 'refused', why: 'bad' };
    const before = this.digests.get(delivery.id);
    if (before !== undefined) expect(ids).toEqual(before);
    this.digests.set(delivery.id, ids);
    return { kind: 'taken' };
  }

  /** Every change that it was told, alone or in a digest. */
  get told(): Set<string> {
    return new Set([...this.alone, ...[...this.digests.values()].flat()]);
  }

  async close(): Promise<void> {
    // Nothing is held open.
  }
}

const place = new TemporaryStore();
afterAll(() => place.remove());
/** A worker dies at the n-th commit, before it or right after it. */
const dies = { in: Infinity, after: false };
const commit = place.database.commit.bind(place.database);
place.database.commit = async (statements) => {
  dies.in -= 1;
  if (dies.in < 0 && !dies.after) throw new Error('killed');
  const results = await commit(statements);
  if (dies.in < 0) throw new Error('killed');
  return results;
};
const cooldownMs = 24 * hourMs;
let installations = 0;

class Installation {
  /** Each has the store for itself: nothing else is of this monitor. */
  readonly monitorId = `monitor-${(installations += 1)}`;
  readonly changes = new ChangeRepository(place.store, () => '0'.repeat(32));
  readonly cooldowns = new CooldownRepository(place.store);
  readonly receiver = new Receiver();
  readonly sink = new CooldownSink(this.receiver, this.cooldowns, this.changes);
  at = startedAt;
  sweeps = 0;
  /** Those that the sink says it has. */
  readonly taken = new Set<string>();
  readonly arrived = new Map<string, ReturnType<typeof toldChange>>();

  arrive(severity: Severity, count: number): void {
    for (let more = 0; more < count; more += 1) {
      const changeId = `c${this.arrived.size}`;
      this.arrived.set(changeId, toldChange(changeId, { severity, severityWord: severity }));
    }
  }

  /** One pass: what is due, then what is open. */
  async sweep(diesIn = Infinity, diesAfter = false): Promise<void> {
    Object.assign(dies, { in: diesIn, after: diesAfter });
    const { monitorId } = this;
    this.sweeps += 1;
    const sweep = `s${this.sweeps}`;
    try {
      const by = { monitorId, sweep, at: this.at, cooldownMs };
      await this.sink.deliverDue(by);
      const open = [...this.arrived.values()].filter(
        ({ change }) => !this.taken.has(change.changeId),
      );
      const seen = { sweep, at: new Date(this.at).toISOString(), foundAs: 'open' as const };
      const files = await this.changes.file(monitorId, open, seen);
      const deliveries = files.map(({ stored }) => ({
        kind: 'change' as const,
        id: stored.change.changeId,
        stored,
      }));
      const outcomes = await this.sink.deliver({ ...by, deliveries });
      for (const [at, outcome] of outcomes.entries()) {
        if (outcome.kind === 'taken') this.taken.add(deliveries[at]?.id ?? '');
      }
    } catch (error) {
      if ((error as Error).message !== 'killed') throw error;
    } finally {
      dies.in = Infinity;
    }
  }
}

const steps = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('arrive' as const),
      severity: fc.constantFrom<Severity>('critical', 'info'),
      count: fc.integer({ min: 1, max: 4 }),
    }),
    fc.record({ kind: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 30 }) }),
    fc.record({ kind: fc.constant('fails' as const), fails: fc.boolean() }),
    fc.record({ kind: fc.constant('most' as const), most: fc.constantFrom(1, 2, Infinity) }),
    fc.record({
      kind: fc.constant('sweep' as const),
      diesIn: fc.option(fc.integer({ min: 0, max: 6 }), { nil: Infinity }),
      diesAfter: fc.boolean(),
    }),
  ),
  { maxLength: 25 },
);

it('loses no change by a cooldown, whatever fails and whenever a worker dies', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (plan) => {
      const here = new Installation();
      for (const step of plan) {
        if (step.kind === 'arrive') here.arrive(step.severity, step.count);
        else if (step.kind === 'wait') here.at += step.hours * hourMs;
        else if (step.kind === 'fails') here.receiver.fails = step.fails;
        else if (step.kind === 'most') here.receiver.most = step.most;
        else await here.sweep(step.diesIn, step.diesAfter);
      }
      here.receiver.fails = false;
      for (let round = 0; round < 3; round += 1) {
        await here.sweep();
        here.at += 25 * hourMs;
      }
      await here.sweep();
      const all = new Set(here.arrived.keys());
      expect(here.taken).toEqual(all);
      expect(here.receiver.told).toEqual(all);
      const left = await here.cooldowns.of(here.monitorId);
      expect(left.filter(({ isHeld }) => isHeld)).toEqual([]);
    }),
    { numRuns: casesOf(400) },
  );
});

it('tells what a cooldown held back when there is none any more', async () => {
  const here = new Installation();
  here.arrive('critical', 3);
  await here.sweep();
  const { monitorId, at } = here;
  const done = await here.sink.deliverDue({ monitorId, sweep: 's', at, cooldownMs: null });
  expect(done).toEqual({ failures: [], isWaiting: false, isDisabled: false });
  expect(here.receiver.told).toEqual(new Set(['c0', 'c1', 'c2']));
});

it('tells the first at once and its repeats in one digest, by kind', async () => {
  const here = new Installation();
  here.arrive('critical', 3);
  here.arrive('info', 1);
  await here.sweep();
  expect(here.receiver.alone).toEqual(['c0', 'c3']);
  here.at += 23 * hourMs;
  here.arrive('critical', 2);
  await here.sweep();
  expect(here.receiver.alone).toEqual(['c0', 'c3']);
  expect(here.receiver.digests.size).toBe(0);
  expect(here.taken.size).toBe(6);
  here.at += hourMs;
  await here.sweep();
  expect([...here.receiver.digests.values()]).toEqual([['c1', 'c2', 'c4', 'c5']]);
  here.arrive('critical', 1);
  await here.sweep();
  expect(here.receiver.alone).toEqual(['c0', 'c3', 'c6']);
});

it('tells all others when one change of a digest is refused, and counts that one', async () => {
  const here = new Installation();
  here.arrive('critical', 21);
  await here.sweep();
  here.receiver.bad = 'c7';
  here.at += 25 * hourMs;
  await here.sweep();
  const others = [...here.arrived.keys()].filter((id) => id !== 'c7');
  expect(here.receiver.told).toEqual(new Set(others));
  const { monitorId } = here;
  const by = { monitorId, sweep: 'later', at: here.at, cooldownMs };
  expect(await here.sink.hasDue(by)).toBe(true);
  expect(await here.sink.deliverDue(by)).toMatchObject({
    isWaiting: true,
    failures: [{ count: 2 }],
  });
  // Once a sweep, and not counted twice.
  expect(await here.sink.deliverDue(by)).toMatchObject({ isWaiting: true, failures: [] });
  expect(await here.sink.undelivered(monitorId)).toMatchObject([{ count: 2 }]);
  here.receiver.bad = null;
  const next = { ...by, sweep: 'the next' };
  expect(await here.sink.deliverDue(next)).toMatchObject({ isWaiting: false, failures: [] });
  expect(here.receiver.told).toEqual(new Set(here.arrived.keys()));
  expect(await here.sink.hasDue(by)).toBe(false);
  expect(await here.cooldowns.of(monitorId)).toEqual([]);
  const troubles = statement('SELECT change_id FROM trouble WHERE monitor_id = ?', [monitorId]);
  expect(await place.store.read(troubles)).toEqual([]);
});
