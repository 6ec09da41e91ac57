import { WorkerMetrics } from '../../../src/workers/metrics';
import { CancelledFailure } from '@temporalio/common';
import { ActivityEnvironment } from '../../support/activity-environment';
import { createTraceActivities } from '../../../src/activities/traces/traces';
import { Service } from '../../../src/apis/http/service';
import { Token } from '../../../src/apis/http/token';
import { TracesApi } from '../../../src/apis/investigation/traces';
import { TraceRepository } from '../../../src/store/traces/traces';
import { waitBounds } from '../../../src/domain/core/service/poll-timing';
import { readEnvironment } from '../../../src/environment';
import { LoopbackServer, sendJson } from '../../support/loopback-server';
import { TemporaryStore } from '../../support/temporary-store';

/** A request that stands at its permit, since the service has asked all calls for a pause. */

const name = 'ab'.repeat(16);
const ref = { jobId: `trace/${name}/1`, folder: `traces/${name}/1` };
/** Far longer than a slow machine needs to come to the deadline or the cancel. */
const pauseMs = 60_000;

let place: TemporaryStore;
let server: LoopbackServer;
let service: Service;
let stopping: AbortController;
/** Milliseconds that the clock of the service is ahead of the real one. */
let ahead: number;

beforeEach(async () => {
  place = new TemporaryStore();
  stopping = new AbortController();
  ahead = 0;
  server = await LoopbackServer.start((_, response) => sendJson(response, 201, { id: 't' }));
  const baseUrl = `${server.origin}/api/v1`;
  const now = (): number => Date.now() + ahead;
  service = new Service({ baseUrl, token: Token.of('t'), ratePerSecond: 100, now });
  service.limiter.pauseFor(pauseMs);
  const asked = { ...ref, name, targetName: 't', target: 'x@example.com', strategy: null };
  const by = { label: null, createdAt: '', createdBy: 'tester' };
  await new TraceRepository(place.store).putRecord(ref.folder, { ...asked, ...by });
});
afterEach(async () => {
  await service.close();
  await server.close();
  place.remove();
});

function activities() {
  return createTraceActivities({
    traces: new TracesApi(service, readEnvironment({}).traceNames),
    store: place.store,
    metrics: new WorkerMetrics('test'),
    audit: null as never,
    nameOf: (text) => text,
    stopping: stopping.signal,
    warn: () => undefined,
    now: Date.now,
    random: () => 0.5,
    bounds: { ...waitBounds, lastReadMs: 50 },
  });
}

/** Once the request stands at its permit. */
async function atItsPermit(): Promise<void> {
  while (service.limiter.waiting().request === 0) await new Promise(setImmediate);
}

/** Nothing arrives, not even when the pause is over, and nothing is said to have been sent. */
async function expectNothingSent(status: 'cancelled' | 'expired'): Promise<void> {
  expect(service.limiter.waiting().request).toBe(0);
  ahead = pauseMs;
  // What still waited would have its permit before this read.
  const read = { method: 'GET', pathTemplate: '/after', path: '/after', token: 'none' } as const;
  await service.call({ ...read, timeoutMs: 5_000, maxBytes: 1_000 }, 'poll');
  expect(server.received.map(({ path }) => path)).toEqual(['/api/v1/after']);
  const startedAt = new Date().toISOString();
  const outcome = { status, seen: null, error: null, startedAt } as const;
  expect(await activities().finalizeTrace({ ref, outcome })).toMatchObject({ status, error: null });
}

const order = (leftMs: number) => {
  const now = Date.now();
  return { ref, deadlineAt: now + leftMs, since: now, seen: 'requesting' };
};

test('is not sent after its deadline', async () => {
  const asked = new ActivityEnvironment().run(activities().startTrace, order(200));
  expect(await asked).toEqual({ kind: 'expired', value: null });
  await expectNothingSent('expired');
});

test('is not sent after a cancel', async () => {
  const environment = new ActivityEnvironment();
  const asked = environment.run(activities().startTrace, order(60_000));
  await atItsPermit();
  environment.cancel();
  await expect(asked).rejects.toThrow(CancelledFailure);
  await expectNothingSent('cancelled');
});

test('is left to another worker by one that is to end', async () => {
  const asked = new ActivityEnvironment().run(activities().startTrace, order(60_000));
  await atItsPermit();
  stopping.abort();
  await expect(asked).rejects.toMatchObject({ type: 'NotSettledYet' });
  await expectNothingSent('cancelled');
});
