import {
  serveEndpoints,
  type Endpoints,
  type EndpointSources,
} from '../../../src/workers/endpoints';
import { EventLoopLag } from '../../../src/workers/event-loop-lag';
import { WorkerMetrics } from '../../../src/workers/metrics';
import { samplesOf } from '../../support/prometheus-text';

const anyPort = { host: '127.0.0.1', port: 0 };
const ok = { workers: 'ok', engine: 'ok', store: 'ok' };
let endpoints: Endpoints | null = null;

afterEach(async () => {
  endpoints?.close();
  endpoints = null;
});

async function serve(sources: Partial<EndpointSources> = {}): Promise<string> {
  endpoints = await serveEndpoints(anyPort, {
    metrics: new WorkerMetrics('1.2.3'),
    lagSeconds: () => 0.01,
    readiness: () => Promise.resolve({ ready: true, state: 'running', checks: ok }),
    ...sources,
  });
  return `http://${endpoints.address}`;
}

test('/metrics is a page of Prometheus text', async () => {
  const answer = await fetch(`${await serve()}/metrics`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  expect(samplesOf(await answer.text()).length).toBeGreaterThan(20);
});

test.each([
  [0.02, 200],
  [4.9, 200],
  [5.1, 503],
])('/healthz with an event loop that stood still for %d s answers %i', async (lag, status) => {
  const answer = await fetch(`${await serve({ lagSeconds: () => lag })}/healthz`);
  expect(answer.status).toBe(status);
  expect(await answer.json()).toEqual({ healthy: status === 200, eventLoopLagSeconds: lag });
});

test('/readyz answers 503 and says what is missing', async () => {
  const told = {
    ready: false,
    state: 'running',
    checks: { ...ok, engine: 'the Temporal server does not answer' },
  } as const;
  const answer = await fetch(`${await serve({ readiness: () => Promise.resolve(told) })}/readyz`);
  expect(answer.status).toBe(503);
  expect(await answer.json()).toEqual(told);
});

test('another path is 404', async () => {
  expect((await fetch(`${await serve()}/`)).status).toBe(404);
});

test('a host that is not ours is an error', async () => {
  const elsewhere = { host: '192.0.2.1', port: 0 };
  const sources = {
    metrics: new WorkerMetrics('1.2.3'),
    lagSeconds: () => 0,
    readiness: () => Promise.reject(new Error('not asked')),
  };
  await expect(serveEndpoints(elsewhere, sources)).rejects.toMatchObject({ code: 'EADDRNOTAVAIL' });
});

test('a standstill of the event loop is seen, and forgotten after two windows', async () => {
  const lag = new EventLoopLag(400);
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  await pause(50);
  const until = performance.now() + 300;
  while (performance.now() < until);
  // The timer of the measurement comes late on a busy machine.
  while (lag.seconds() <= 0.25) await pause(5);
  const seen = lag.seconds();
  while (lag.seconds() > 0.25) await pause(50);
  lag.stop();
  expect(seen).toBeGreaterThan(0.25);
});
