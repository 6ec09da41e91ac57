import { SwitchedSink } from '../../../src/sinks/switched-sink';
import type { DeliveryBatch, DeliveryOutcome, Sink } from '../../../src/sinks/sink';
import { SinkRepository } from '../../../src/store/monitors/sinks';
import { filedChange } from '../../support/monitor-changes';
import { TemporaryStore } from '../../support/temporary-store';

let place: TemporaryStore;
beforeEach(() => (place = new TemporaryStore()));
afterEach(() => place.remove());

const batch: DeliveryBatch = {
  monitorId: 'monitor-1',
  sweep: 's',
  at: Date.parse('2026-05-04T10:00:00Z'),
  cooldownMs: null,
  deliveries: ['c1', 'c2'].map((id) => ({ kind: 'change', id, stored: filedChange(id) })),
};

class ScriptedSink implements Sink {
  readonly name = 'webhook';
  asked = 0;
  outcome: DeliveryOutcome = { kind: 'disabled', why: 'answered 410' };

  async deliver({ deliveries }: DeliveryBatch): Promise<DeliveryOutcome[]> {
    this.asked += 1;
    return deliveries.map(() => this.outcome);
  }

  async close(): Promise<void> {
    // Nothing is held open.
  }
}

it('asks a sink no more that wants nothing, until a person enables it or it is another one', async () => {
  const sinks = new SinkRepository(place.store);
  const inner = new ScriptedSink();
  const told: string[] = [];
  const sink = new SwitchedSink(inner, sinks, 'address-1', (name, why) => {
    told.push(`${name}: ${why}`);
  });
  const disabled = { kind: 'disabled', why: 'answered 410' };
  expect(await sink.deliver(batch)).toEqual([disabled, disabled]);
  inner.outcome = { kind: 'taken' };
  expect(await sink.deliver(batch)).toEqual([disabled, disabled]);
  expect(inner.asked).toBe(1);
  expect(told).toEqual(['webhook: answered 410']);
  expect(await sinks.disabled('webhook')).toMatchObject({ at: '2026-05-04T10:00:00.000Z' });

  const taken = { kind: 'taken' };
  expect(await new SwitchedSink(inner, sinks, 'address-2').deliver(batch)).toEqual([taken, taken]);
  await sinks.enable('webhook');
  expect(await sink.deliver(batch)).toEqual([taken, taken]);
});
