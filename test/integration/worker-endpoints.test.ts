import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sandbox } from '../../src/sandbox';
import type { Readiness } from '../../src/workers/readiness';
import {
  Installation,
  eventually,
  readSheetLines,
  sandboxToken,
} from '../support/diligence-process';
import { cnpj, sheetOf } from '../support/documents';
import { refusingOrigin } from '../support/loopback-server';
import { samplesOf, sumOf, type Sample } from '../support/prometheus-text';

const rows = 40;
const trouble = {
  issuance: { waitingMs: [20, 100], processingMs: [100, 800], distribution: 'lognormal' },
  background: {
    rate: 0.25,
    kinds: ['429', '503', '503_bare', '500_html_after', 'reset_after', 'missing_id', '400_refused'],
  },
} as const;
const batch = ['certificate', 'batch', '--input', 'input.csv', '--out', 'out', '--deadline', '5m'];

let place: Installation;

afterEach(() => place.stop(), 60_000);

let worker: Awaited<ReturnType<Installation['startWorker']>>;

async function started(scenario: unknown): Promise<string> {
  place = await Installation.startAlone(scenario as never);
  await writeFile(join(place.folder, 'input.csv'), sheetOf(rows));
  worker = await place.startWorker({ DILIGENCE_METRICS_ADDRESS: '127.0.0.1:0' });
  const [origin] = await origins();
  if (origin === undefined) throw new Error('the worker does not say where its endpoints are');
  return origin;
}

/** Where the workers say that they serve their endpoints, in the order of their starts. */
async function origins(): Promise<string[]> {
  const told = (await place.workerLog()).matchAll(/"address":"([^"]+)","msg":"serving/g);
  return [...told].map(([, address]) => `http://${address}`);
}

async function readiness(origin: string): Promise<{ status: number; told: Readiness }> {
  const answer = await fetch(`${origin}/readyz`);
  return { status: answer.status, told: (await answer.json()) as Readiness };
}

/** What the sandbox received, by method, route and class of the status that it put on the wire. */
function receivedCalls(sandbox: Sandbox): Map<string, number> {
  const calls = new Map<string, number>();
  for (const { method, path, status } of sandbox.received()) {
    const route = /\/certidoes\/(cnpj|trabalhista)$/.test(path)
      ? path.replace('/api/v1', '')
      : path.endsWith('/pdf')
        ? '{pdf_url}'
        : '/certidoes/{certidaoId}';
    const name = `${method} ${route} ${status === null ? 'no_answer' : `${Math.floor(status / 100)}xx`}`;
    calls.set(name, (calls.get(name) ?? 0) + 1);
  }
  return calls;
}

function countedCalls(samples: readonly Sample[]): Map<string, number> {
  const calls = samples.filter(({ name }) => name === 'diligence_http_calls_total');
  return new Map(
    calls.map(({ labels, value }) => [
      `${labels['method']} ${labels['route']} ${labels['status']}`,
      value,
    ]),
  );
}

test('a worker counts what the service received, and is ready while its server answers', async () => {
  const origin = await started(trouble);
  expect(await readiness(origin)).toMatchObject({ status: 200, told: { ready: true } });

  await place.run(batch);
  const page = await (await fetch(`${origin}/metrics`)).text();
  const samples = samplesOf(page);
  const lines = await readSheetLines(join(place.folder, 'out', 'results.csv'));
  const inSheet = (status: string): number => lines.filter((line) => line.status === status).length;

  const received = place.sandbox.received();
  // A watch that returns breaks its reads off: these alone may differ by what was on its way.
  const brokenOff = sumOf(samples, 'diligence_http_calls_total', { status: 'broken_off' });
  const counted = countedCalls(samples);
  const off = [...receivedCalls(place.sandbox)].filter(
    ([name, count]) => counted.get(name) !== count,
  );
  expect(off.filter(([name]) => name.startsWith('POST'))).toEqual([]);
  expect(
    off.reduce((sum, [name, n]) => sum + Math.abs(n - (counted.get(name) ?? 0)), 0),
  ).toBeLessThanOrEqual(brokenOff);
  expect(received.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
  expect(sumOf(samples, 'diligence_http_throttled_total')).toBe(
    received.filter(({ status }) => status === 429).length,
  );
  expect(inSheet('unknown_outcome')).toBeGreaterThan(0);
  for (const status of ['issued', 'failed', 'unknown_outcome']) {
    expect({ status, count: sumOf(samples, 'diligence_rows_total', { status }) }).toEqual({
      status,
      count: inSheet(status),
    });
  }
  expect(sumOf(samples, 'diligence_unknown_outcomes_total')).toBe(inSheet('unknown_outcome'));
  expect(sumOf(samples, 'diligence_answers_lost_total')).toBe(inSheet('unknown_outcome'));
  expect(sumOf(samples, 'diligence_http_calls_in_flight')).toBe(0);
  expect(sumOf(samples, 'diligence_outstanding_rows')).toBe(0);

  for (const secret of [sandboxToken, ...lines.map((line) => line.certidao_id)]) {
    if (secret !== '') expect(page).not.toContain(secret);
  }
  for (let row = 1; row <= rows; row += 1) expect(page).not.toContain(cnpj(row));

  place.server.kill('SIGKILL');
  await eventually('not ready', async () => (await readiness(origin)).status === 503);
  expect((await readiness(origin)).told.checks).toEqual({
    workers: 'ok',
    engine: expect.stringMatching(/^the Temporal server does not answer/) as string,
    archive: 'ok',
  });
  expect((await fetch(`${origin}/healthz`)).status).toBe(200);
  await place.restartServer();
  await eventually('ready again', async () => (await readiness(origin)).status === 200);
}, 180_000);

test('a worker that was told to stop is not ready, until what is on its way has ended', async () => {
  const origin = await started({ latencyMs: [2_000, 2_000] });
  const command = place.begin(batch);
  const scraped = async (): Promise<Sample[]> =>
    samplesOf(await (await fetch(`${origin}/metrics`)).text());
  await eventually('a request is in flight', async () =>
    place.sandbox.received().some(({ method }) => method === 'POST'),
  );
  expect(sumOf(await scraped(), 'diligence_http_calls_in_flight')).toBeGreaterThan(0);

  worker.kill('SIGTERM');
  await eventually('not ready', async () => (await readiness(origin)).status === 503, 2_000);
  expect((await readiness(origin)).told).toMatchObject({ ready: false, state: 'stopping' });
  const [code] = (await once(worker, 'exit')) as [number | null];
  expect(code).toBe(0);
  await expect(fetch(`${origin}/readyz`)).rejects.toMatchObject({ name: 'TypeError' });
  command.process.kill('SIGKILL');
  await command.result;
}, 120_000);

test('two workers that were told the same addresses both work: the second serves elsewhere', async () => {
  place = await Installation.start();
  const told = {
    DILIGENCE_METRICS_ADDRESS: new URL(await refusingOrigin()).host,
    DILIGENCE_SDK_METRICS_ADDRESS: new URL(await refusingOrigin()).host,
  };
  await place.startWorker(told);
  await place.startWorker(told);

  const [first, second] = await origins();
  expect(first).toBe(`http://${told.DILIGENCE_METRICS_ADDRESS}`);
  expect(second).not.toBe(first);
  for (const origin of [first, second]) expect((await fetch(`${origin}/readyz`)).status).toBe(200);
  const log = await place.workerLog();
  expect(log).toContain('DILIGENCE_METRICS_ADDRESS: the port is taken, another one is used');
  expect(log).toContain('DILIGENCE_SDK_METRICS_ADDRESS: cannot be listened on');
  const sdk = await fetch(`http://${told.DILIGENCE_SDK_METRICS_ADDRESS}/metrics`);
  expect(await sdk.text()).toContain('temporal_worker_task_slots_available');
}, 60_000);
