import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sandbox, ScenarioInput } from '../../src/sandbox';
import {
  Installation,
  eventually,
  readSheetLines,
  sandboxToken,
} from '../support/diligence-process';
import { cnpj, sheetOf } from '../support/documents';
import { refusingOrigin } from '../support/loopback-server';
import { readinessAt, servedOrigins } from '../support/served-endpoints';
import { samplesOf, sumOf, type Sample } from '../support/prometheus-text';

const rows = 30;
/** Every kind of trouble; that of requests in two waves of runs, each of which is waited out once. */
const trouble: ScenarioInput = {
  issuance: { waitingMs: [20, 100], processingMs: [100, 400], distribution: 'uniform' },
  documents: {
    [cnpj(2)]: { request: ['429'] },
    [cnpj(12)]: { request: ['reset_after'] },
    [cnpj(22)]: { request: ['missing_id'] },
    [cnpj(4)]: { request: ['503'] },
    [cnpj(13)]: { request: ['400_refused'] },
    [cnpj(15)]: { request: ['503_bare'] },
    [cnpj(6)]: { request: ['500_html_after'] },
    [cnpj(1)]: { poll: ['429'] },
    [cnpj(14)]: { poll: ['500_html_after'] },
    [cnpj(21)]: { poll: ['reset_after'] },
    [cnpj(23)]: { pdf: ['503_bare'] },
    [cnpj(24)]: { pdf: ['reset_after'] },
  },
};
const batch = ['certificate', 'batch', '--input', 'input.csv', '--deadline', '5m'];

let place: Installation;
let told: Record<'DILIGENCE_METRICS_ADDRESS', string>;
let worker: ChildProcess;
/** Where that worker serves its endpoints. */
let origin: string;

beforeAll(async () => {
  place = await Installation.start(trouble);
  await writeFile(join(place.folder, 'input.csv'), sheetOf(rows));
  told = { DILIGENCE_METRICS_ADDRESS: new URL(await refusingOrigin()).host };
  worker = await place.startWorker(told);
  origin = `http://${told.DILIGENCE_METRICS_ADDRESS}`;
}, 60_000);
afterAll(() => place.stop(), 60_000);

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

test('a worker counts what the service received', async () => {
  await place.run([...batch, '--out', 'out']);
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
    expect({
      status,
      count: sumOf(samples, 'diligence_outcomes_total', { kind: 'certificate', status }),
    }).toEqual({
      status,
      count: inSheet(status),
    });
  }
  expect(sumOf(samples, 'diligence_http_calls_in_flight')).toBe(0);
  expect(sumOf(samples, 'diligence_outstanding_rows')).toBe(0);
  expect(sumOf(samples, 'diligence_jobs_open')).toBe(0);
  expect(sumOf(samples, 'diligence_jobs_needing_attention', { kind: 'certificate-batch' })).toBe(1);

  for (const secret of [sandboxToken, ...lines.map((line) => line.certidao_id)]) {
    if (secret !== '') expect(page).not.toContain(secret);
  }
  for (let row = 1; row <= rows; row += 1) expect(page).not.toContain(cnpj(row));
}, 120_000);

test('two workers that were told the same address both work: the second without endpoints', async () => {
  const other = await place.startWorker(told);
  expect(await servedOrigins(place)).toEqual([origin]);
  expect((await fetch(`${origin}/readyz`)).status).toBe(200);
  expect(await place.workerLog()).toContain('DILIGENCE_METRICS_ADDRESS: cannot be listened on');
  const exited = once(other, 'exit');
  other.kill('SIGTERM');
  await exited;
}, 60_000);

test('a worker that was told to stop is not ready, until what is on its way has ended', async () => {
  place.sandbox.reset();
  place.sandbox.configure({ latencyMs: [2_000, 2_000] });
  await writeFile(join(place.folder, 'slow.csv'), sheetOf(4, 1_000));
  await place.run(['certificate', 'batch', '--input', 'slow.csv', '--detach']);
  const scraped = async (): Promise<Sample[]> =>
    samplesOf(await (await fetch(`${origin}/metrics`)).text());
  await eventually('a request is in flight', async () =>
    place.sandbox.received().some(({ method }) => method === 'POST'),
  );
  expect(sumOf(await scraped(), 'diligence_http_calls_in_flight')).toBeGreaterThan(0);

  worker.kill('SIGTERM');
  await eventually('not ready', async () => (await readinessAt(origin)).status === 503, 2_000);
  expect((await readinessAt(origin)).told).toMatchObject({ ready: false, state: 'stopping' });
  const [code] = (await once(worker, 'exit')) as [number | null];
  expect(code).toBe(0);
  await expect(fetch(`${origin}/readyz`)).rejects.toMatchObject({ name: 'TypeError' });
  // The next worker need not wait for its share of the rates.
  const { stdout } = await place.run(['doctor']);
  expect(stdout).toMatch(/rate certificates.*no worker uses it now/);
}, 120_000);
