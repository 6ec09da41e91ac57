import { Installation, eventually } from '../support/diligence-process';
import { readinessAt, servedOrigins } from '../support/served-endpoints';

let place: Installation;

beforeAll(async () => {
  place = await Installation.startAlone();
  await place.startWorkerHere({ DILIGENCE_METRICS_ADDRESS: '127.0.0.1:0' });
}, 60_000);
afterAll(() => place.stop(), 60_000);

test('a worker is ready while its server answers', async () => {
  const [origin = 'told nowhere'] = await servedOrigins(place);
  expect(await readinessAt(origin)).toMatchObject({ status: 200, told: { ready: true } });

  process.kill(place.server.pid, 'SIGKILL');
  await eventually('not ready', async () => (await readinessAt(origin)).status === 503);
  expect((await readinessAt(origin)).told.checks).toEqual({
    workers: 'ok',
    engine: expect.stringMatching(/^the Temporal server does not answer/) as string,
    store: 'ok',
  });
  expect((await fetch(`${origin}/healthz`)).status).toBe(200);
  await place.restartServer();
  await eventually('ready again', async () => (await readinessAt(origin)).status === 200);
}, 180_000);
