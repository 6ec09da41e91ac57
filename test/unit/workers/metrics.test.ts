import { assert, asyncProperty, constantFrom, nat, stringMatching } from 'fast-check';
import { Service } from '../../../src/apis/http/service';
import { Token } from '../../../src/apis/http/token';
import { CertificatesApi } from '../../../src/apis/investigation/certificates';
import type { Store } from '../../../src/store/store';
import { WorkerMetrics } from '../../../src/workers/metrics';
import { cnpj } from '../../support/documents';
import { LoopbackServer, sendJson } from '../../support/loopback-server';
import { samplesOf, sumOf } from '../../support/prometheus-text';

const token = 'tok-9f8e7d6c5b4a';
let server: LoopbackServer;
let service: Service;
let metrics: WorkerMetrics;
let clock = 1_000_000;

beforeEach(async () => {
  clock = 1_000_000;
  metrics = new WorkerMetrics('1.2.3', () => clock);
  server = await LoopbackServer.start();
  service = new Service({
    baseUrl: `${server.origin}/api/v1`,
    token: Token.of(token),
    ratePerSecond: 10_000,
    observer: metrics.observerOf('investigation'),
  });
});

afterEach(async () => {
  await service.close();
  await server.close();
});

function api(): CertificatesApi {
  return new CertificatesApi(service, { pdf: 'optional', pdfAuth: 'query' }, 2_000);
}

async function samples() {
  return samplesOf(await metrics.page());
}

it('says what is zero before anything happened, so that an increase can be seen', async () => {
  const found = await samples();
  const zeroes = found.filter(({ value }) => value === 0).map(({ name }) => name);
  expect(zeroes).toEqual(
    expect.arrayContaining([
      'diligence_outcomes_total',
      'diligence_http_throttled_total',
      'diligence_http_credentials_refused_total',
      'diligence_http_calls_in_flight',
      'diligence_outstanding_rows',
      'diligence_oldest_outstanding_seconds',
    ]),
  );
  expect(sumOf(found, 'diligence_build_info', { version: '1.2.3', node: process.version })).toBe(1);
  expect(sumOf(found, 'process_resident_memory_bytes')).toBeGreaterThan(0);
});

it('explains every figure in a line of help', async () => {
  const page = await metrics.page();
  const ours = [...page.matchAll(/^# TYPE (diligence_\w+) /gm)].map(([, name]) => name);
  expect(ours.length).toBeGreaterThan(15);
  for (const name of ours) expect(page).toMatch(new RegExp(`^# HELP ${name} \\S.{30,}`, 'm'));
});

it('counts calls by route template and class of status, and 429 and 401 by themselves', async () => {
  const statuses = [200, 404, 429, 503, 401];
  for (const status of statuses) {
    server.reply = (_request, response) =>
      sendJson(
        response,
        status,
        { certidao_id: 'a', status: 'processing' },
        { 'retry-after': '0' },
      );
    await api()
      .readCertificate('0a1b', 'poll')
      .catch(() => {});
  }
  server.reply = (_request, response) => void response.socket?.resetAndDestroy();
  await api()
    .requestCertificate('cnpj', cnpj(1), async () => {})
    .catch(() => {});

  const found = await samples();
  const calls = (route: string, status: string) =>
    sumOf(found, 'diligence_http_calls_total', { service: 'investigation', route, status });
  const read = '/certidoes/{certidaoId}';
  expect([calls(read, '2xx'), calls(read, '4xx'), calls(read, '5xx')]).toEqual([1, 3, 1]);
  expect(calls('/certidoes/cnpj', 'no_answer')).toBe(1);
  expect(sumOf(found, 'diligence_http_call_duration_seconds_count')).toBe(6);
  expect(sumOf(found, 'diligence_http_throttled_total')).toBe(1);
  expect(sumOf(found, 'diligence_http_credentials_refused_total')).toBe(1);
  expect(sumOf(found, 'diligence_http_calls_in_flight')).toBe(0);
  expect(sumOf(found, 'diligence_limiter_wait_seconds_count', { priority: 'poll' })).toBe(5);
});

it('tells how fast a service is called, and why', async () => {
  const { rate } = service.limiter;
  metrics.watch({ inbox: { backlog: async () => [] } } as unknown as Store, () => 0, [
    { name: 'certificates', rate },
  ]);
  const found = async (reason: string) =>
    sumOf(await samples(), 'diligence_service_rate', { service: 'certificates', reason });
  const before = rate.perSecond;
  expect(await found(rate.reason)).toBe(before);
  rate.share(null);
  expect([await found('no_lease'), await found('growing')]).toEqual([1, 0]);
});

it('shows a call that is under way', async () => {
  const during: number[] = [];
  server.reply = async (_request, response) => {
    during.push(sumOf(await samples(), 'diligence_http_calls_in_flight'));
    sendJson(response, 404, {});
  };
  await api().proveAccess();
  expect(during).toEqual([1]);
});

it('counts outcomes by kind and status', async () => {
  for (const status of ['issued', 'unknown_outcome', 'issued'])
    metrics.count('diligence_outcomes_total', { kind: 'certificate', status });
  const found = await samples();
  const issued = { kind: 'certificate', status: 'issued' };
  expect(sumOf(found, 'diligence_outcomes_total', issued)).toBe(2);
  expect(sumOf(found, 'diligence_outcomes_total')).toBe(3);
});

it('tells how many rows are under its watches and how old the oldest is', async () => {
  const rows = [clock - 90_000, clock - 5_000];
  const endFirst = metrics.pollStarted(() => rows);
  const endSecond = metrics.pollStarted(() => [clock - 7_000]);
  const told = async () => {
    const found = await samples();
    const oldest = sumOf(found, 'diligence_oldest_outstanding_seconds');
    return [sumOf(found, 'diligence_outstanding_rows'), oldest];
  };
  expect(await told()).toEqual([3, 90]);
  rows.shift();
  expect(await told()).toEqual([2, 7]);
  endSecond();
  clock += 60_000;
  expect(await told()).toEqual([1, 65]);
  endFirst();
  expect(await told()).toEqual([0, 0]);
});

it('has no document, id, token or address in it, whatever is called and answered', async () => {
  const anyId = stringMatching(/^[\w-]{8,36}$/);
  const anyStatus = constantFrom(200, 202, 302, 400, 401, 403, 404, 422, 429, 500, 503);
  const pages: string[] = [];
  await assert(
    asyncProperty(nat(9_999_999), anyId, anyStatus, async (number, id, status) => {
      const document = cnpj(number);
      const secrets = [document, `id-${id}`, token];
      server.reply = (_request, response) =>
        sendJson(
          response,
          status,
          { certidao_id: `id-${id}`, status: 'processing', code: `code-${document}` },
          { 'retry-after': '0', location: `/other/id-${id}?token=${token}` },
        );
      const one = api();
      const url = `${server.origin}/pdf/id-${id}/${document}.pdf?token=${token}`;
      await Promise.allSettled([
        one.requestCertificate('trabalhista', document, async () => {}),
        one.readCertificate(`id-${id}`, 'interactive'),
        one.fetchPdf(url, 'interactive'),
      ]);
      const page = await metrics.page();
      pages.push(page);
      for (const secret of secrets) expect(page).not.toContain(secret);
      expect(page).not.toContain(server.origin);
    }),
    { numRuns: 40, interruptAfterTimeLimit: 20_000 },
  );
  const routes = new Set(samplesOf(pages.at(-1) ?? '').map(({ labels }) => labels['route']));
  expect(routes).toEqual(
    new Set([undefined, '/certidoes/trabalhista', '/certidoes/{certidaoId}', '{pdf_url}']),
  );
});
