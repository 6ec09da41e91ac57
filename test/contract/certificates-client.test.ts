import pino from 'pino';
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EvidenceCollector } from '../../src/activities/certificates/evidence';
import type { CertificateAssumptions } from '../../src/apis/assumptions';
import { ConnectionError, ContractError, StatusError } from '../../src/apis/http/errors';
import { Service } from '../../src/apis/http/service';
import { Token } from '../../src/apis/http/token';
import { CertificatesApi } from '../../src/apis/investigation/certificates';
import { newStore } from '../support/new-store';
import { TemporaryStore } from '../support/temporary-store';
import type { CertificateType } from '../../src/domain/certificates/certificates';
import { readEnvironment } from '../../src/environment';
import {
  startSandbox,
  type CertificateEnding,
  type FaultKind,
  type Sandbox,
} from '../../src/sandbox';
import { Happenings } from '../../src/workers/happened';
import { WorkerMetrics } from '../../src/workers/metrics';
import { certificateDependencies } from '../../src/workers/roles';
import { Standstill } from '../../src/workers/stalls';
import { company, person, steadyIssuance, untilSettledMs } from '../unit/sandbox/raw-caller';
import { inOurWords, type Told } from './issuance-in-our-words';
import { houseGuard } from '../support/loopback-server';

const token = 'sandbox-token';

describe('the certificates client against the sandbox', () => {
  let sandbox: Sandbox;
  let service: Service;
  let api: CertificatesApi;

  const client = (assumptions: Partial<CertificateAssumptions> = {}) =>
    new CertificatesApi(service, { pdf: 'optional', pdfAuth: 'query', ...assumptions });

  /** Milliseconds that the clock of the service is ahead of the real one. */
  let ahead: number;

  beforeEach(async () => {
    ahead = 0;
    sandbox = await startSandbox({ clock: 'manual', scenario: { issuance: steadyIssuance } });
    service = new Service({
      baseUrl: sandbox.baseUrl,
      token: Token.of(token),
      ratePerSecond: 10_000,
      guard: houseGuard,
      now: () => Date.now() + ahead,
    });
    api = client();
  });
  afterEach(async () => {
    await service.close();
    await sandbox.close();
  });

  const request = (type: CertificateType, document: string) =>
    api.requestCertificate(type, document, async () => {});
  const read = (id: string) => api.readCertificate(id, 'poll');

  /** What the sandbox holds under the id, as a poll would show it now. */
  function told(id: string): Told {
    const { certificates } = sandbox.state();
    const held = certificates.find(({ certificate }) => certificate['certidao_id'] === id);
    if (held === undefined) throw new Error('the sandbox does not hold the issuance');
    return held.certificate as unknown as Told;
  }

  async function settled(end: CertificateEnding, type: CertificateType = 'trabalhista') {
    sandbox.configure({ documents: { [company]: { end } } });
    const id = await request(type, company);
    sandbox.clock.advance(untilSettledMs);
    return { id, ...(await read(id)) };
  }

  test.each([
    ['trabalhista', person],
    ['trabalhista', company],
    ['cnpj', company],
  ] as const)('a %s certificate goes from request to PDF (%s)', async (type, document) => {
    const id = await request(type, document);
    for (const [ms, state, stage] of [
      [0, 'queued', 'waiting_worker'],
      [1000, 'processing', 'accessing_source'],
      [2000, 'completed', 'completed'],
    ] as const) {
      sandbox.clock.advance(ms);
      const { issuance, answer } = await read(id);
      expect(issuance).toMatchObject({ certidaoId: id, state, statusWord: state, stage });
      expect(issuance).toEqual(inOurWords(told(id)));
      expect(answer).toEqual(told(id));
    }
    const { issuance } = await read(id);
    expect(issuance.result).toMatchObject({ divergent: false, officialName: expect.any(String) });
    expect(issuance.evidence.pdfUrl).toBe(`/api/v1/certidoes/${id}/pdf`);
    const pdf = await api.fetchPdf(issuance.evidence.pdfUrl!, 'pdf');
    expect(createHash('sha256').update(pdf).digest('hex')).toBe(issuance.evidence.sha256);
    expect(sandbox.counts()).toMatchObject([{ document, started: 1, polls: 4, pdfs: 1 }]);
  });

  test.each([
    ['trabalhista', person, 'POST', '/api/v1/certidoes/trabalhista', { documento: person }],
    ['cnpj', company, 'POST', '/api/v1/certidoes/cnpj', { cnpj: company }],
  ] as const)('asks for %s with the one field it knows, token in the query', async (...row) => {
    const [type, document, method, address, body] = row;
    await request(type, document);
    expect(sandbox.received()).toMatchObject([
      { method, path: address, body, query: { token: '***' }, status: 202 },
    ]);
  });

  test('a poll names the issuance in the path and the token in the query', async () => {
    const id = await request('cnpj', company);
    await read(id);
    expect(sandbox.received()[1]).toMatchObject({
      method: 'GET',
      path: `/api/v1/certidoes/${id}`,
      query: { token: '***' },
      body: null,
    });
  });

  test.each([200, 201, 202] as const)('takes %i for an acceptance', async (successStatus) => {
    sandbox.configure({ successStatus });
    const id = await request('cnpj', company);
    expect(told(id).certidao_id).toBe(id);
    expect(sandbox.received()).toMatchObject([{ status: successStatus }]);
  });

  test.each([
    ['trabalhista', '123456789012'],
    ['cnpj', person],
  ] as const)('a %s request with the wrong number of digits is refused', async (type, document) => {
    const error = await failureOf(request(type, document));
    expect(error).toMatchObject({ status: 422, code: 'invalid_document', retryable: false });
    expect(String(error)).not.toContain(document);
    expect(sandbox.state().certificates).toEqual([]);
  });

  test('a retryable failure says why, and when to ask again', async () => {
    const failure = { code: 'fonte_fora', category: 'source', retry_after_seconds: 30 };
    sandbox.configure({ documents: { [company]: { end: 'failure_retryable', failure } } });
    const id = await request('cnpj', company);
    sandbox.clock.advance(untilSettledMs);
    const { issuance } = await read(id);
    expect(issuance).toEqual(inOurWords(told(id)));
    expect(issuance).toMatchObject({
      state: 'failed',
      stage: 'failed',
      result: null,
      error: { code: 'fonte_fora', category: 'source', retryable: true, retryAfterMs: 30_000 },
    });
    expect(issuance.evidence.pdfUrl).toBeNull();
  });

  test('a permanent failure has no instant to ask again at', async () => {
    const { id, issuance } = await settled('failure_permanent');
    expect(issuance).toEqual(inOurWords(told(id)));
    expect(issuance.error).toMatchObject({
      message: told(id).error?.message,
      retryable: false,
      retryAfterMs: null,
    });
  });

  test('a divergent name is told with the official one', async () => {
    const { id, issuance } = await settled('divergente');
    expect(issuance).toEqual(inOurWords(told(id)));
    expect(issuance.result).toMatchObject({
      divergent: true,
      officialName: told(id).result?.nome_oficial,
    });
  });

  test('a classification comes as it is, known or not', async () => {
    const result = { classificacao: 'palavra_nova' };
    sandbox.configure({ documents: { [company]: { result } } });
    const id = await request('trabalhista', company);
    sandbox.clock.advance(untilSettledMs);
    expect((await read(id)).issuance.result?.classification).toBe('palavra_nova');
  });

  test('a company query has no classification', async () => {
    const { id, issuance } = await settled('completed', 'cnpj');
    expect(issuance).toEqual(inOurWords(told(id)));
    expect(issuance.result).toMatchObject({ classification: null, divergent: false });
  });

  test('fields nobody knows are kept out of our words, and kept in the answer', async () => {
    sandbox.configure({
      documents: { [company]: { request: ['extra_fields'], poll: ['extra_fields'] } },
    });
    const id = await request('trabalhista', company);
    sandbox.clock.advance(untilSettledMs);
    const { issuance, answer } = await read(id);
    expect(issuance).toEqual(inOurWords(told(id)));
    expect(answer).toMatchObject({ campo_novo: expect.any(String), evidence: expect.anything() });
    expect(answer).toHaveProperty('result.campo_novo');
  });

  test('an unknown status is unsettled, then the issuance goes on', async () => {
    sandbox.configure({ documents: { [company]: { poll: ['unknown_status'] } } });
    const id = await request('trabalhista', company);
    sandbox.clock.advance(untilSettledMs);
    const { issuance } = await read(id);
    expect(issuance).toMatchObject({
      state: 'unknown',
      statusWord: 'aguardando_revisao',
      stage: 'revisao_manual',
      result: null,
      evidence: { pdfUrl: null, sha256: null },
    });
    await read(id);
    await read(id);
    expect((await read(id)).issuance).toEqual(inOurWords(told(id)));
  });

  test('no evidence: completed, and no PDF address', async () => {
    const { id, issuance } = await settled('no_evidence');
    expect(issuance).toEqual(inOurWords(told(id)));
    expect(issuance.evidence).toMatchObject({ pdfUrl: null, linkedPdf: null, sha256: null });
  });

  test('links only: the PDF is found where the links say', async () => {
    const { id, issuance } = await settled('links_only');
    expect(issuance).toEqual(inOurWords(told(id)));
    const pdf = await api.fetchPdf(issuance.evidence.linkedPdf!, 'pdf');
    expect(createHash('sha256').update(pdf).digest('hex')).toBe(issuance.evidence.sha256);
  });

  test('without evidence nothing is collected, without a sum the PDF is kept unchecked', async () => {
    const place = new TemporaryStore();
    try {
      const collector = new EvidenceCollector(api, place.store);
      const collect = async (end: CertificateEnding) => {
        const { issuance } = await settled(end);
        return collector.collect({
          issuance,
          type: 'trabalhista',
          documentName: 'name',
          priority: 'pdf',
        });
      };
      expect(await collect('no_evidence')).toEqual({ kind: 'none' });
      expect(await collect('no_sha256')).toMatchObject({
        kind: 'stored',
        note: 'sha256 unchecked',
      });
      expect(await collect('completed')).toMatchObject({ kind: 'stored', note: '' });
    } finally {
      place.remove();
    }
  });

  test('a revoked token is refused everywhere, and means the credentials', async () => {
    const { id, issuance } = await settled('completed');
    const address = issuance.evidence.pdfUrl!;
    sandbox.setToken(token, false);
    for (const call of [
      request('cnpj', company),
      read(id),
      api.fetchPdf(address, 'pdf'),
      api.proveAccess(),
    ]) {
      const error = await failureOf(call);
      expect(error).toMatchObject({ status: 401, code: 'unauthorized', meansCredentials: true });
      expect(String(error)).not.toContain(token);
    }
    sandbox.setToken(token, true);
    expect((await read(id)).issuance.state).toBe('completed');
  });

  test('403 with code unauthorized means the credentials, 400 does not', async () => {
    sandbox.configure({
      documents: { [company]: { request: ['403_unauthorized', '400_refused'] } },
    });
    expect(await failureOf(request('cnpj', company))).toMatchObject({
      status: 403,
      meansCredentials: true,
    });
    expect(await failureOf(request('cnpj', company))).toMatchObject({
      status: 400,
      code: 'request_refused',
      retryable: false,
      requestId: 'req_1_2',
      hasProblem: true,
      meansCredentials: false,
      message: 'POST /certidoes/cnpj: answered 400 request_refused (request req_1_2)',
    });
  });

  test('an unknown issuance is 404, and proves the access all the same', async () => {
    expect(await failureOf(read('8e3d0a52-93a5-4b0c-a3b8-1b9c1d1a7a11'))).toMatchObject({
      status: 404,
      code: 'not_found',
      retryable: false,
      hasProblem: true,
    });
    expect(await api.proveAccess()).toMatchObject({ method: 'GET' });
    expect(sandbox.state().certificates).toEqual([]);
  });

  const problem429 = { status: 429, code: 'rate_limited', retryable: true, hasProblem: true };
  const problem503 = { status: 503, code: 'service_unavailable', retryable: true };
  const page500 = { status: 500, code: null, retryable: null, requestId: null, hasProblem: false };
  test.each<[FaultKind, object, boolean]>([
    ['429', { ...problem429, retryAfterMs: 0 }, true],
    ['429_bare', { status: 429, code: null, retryAfterMs: null, hasProblem: false }, true],
    ['503', { ...problem503, retryAfterMs: 0 }, true],
    ['503_bare', { status: 503, code: null, retryAfterMs: null, hasProblem: false }, false],
    ['500_html', page500, false],
  ])('%s says the same of a request, a poll and a download', async (kind, about, refusedBefore) => {
    const step = { kind, retryAfterSeconds: 0 };
    sandbox.configure({
      documents: { [company]: { request: ['ok', step], poll: ['ok', step], pdf: [step] } },
    });
    const id = await request('trabalhista', company);
    sandbox.clock.advance(untilSettledMs);
    const address = (await read(id)).issuance.evidence.pdfUrl!;
    for (const call of [
      () => request('trabalhista', company),
      () => read(id),
      () => api.fetchPdf(address, 'pdf'),
    ]) {
      const error = await failureOf(call());
      expect(error).toBeInstanceOf(StatusError);
      expect(error).toMatchObject(about);
      expect(error).toMatchObject({ wasNotProcessed: refusedBefore });
      // The pause that follows is over.
      ahead += 1_000;
    }
    expect(sandbox.counts()).toMatchObject([{ started: 1 }]);
  });

  test('a refusal says in milliseconds when to come back', async () => {
    sandbox.configure({
      documents: {
        [company]: {
          request: [
            { kind: '429', retryAfterSeconds: 7 },
            { kind: '503', retryAfterSeconds: 9 },
          ],
        },
      },
    });
    for (const retryAfterMs of [7_000, 9_000]) {
      expect(await failureOf(request('cnpj', company))).toMatchObject({ retryAfterMs });
    }
    expect(service.limiter.expectedWaitMs()).toBeGreaterThan(8_000);
  });

  test('the rate limit of the service answers 429, and slows the client down', async () => {
    sandbox.configure({ rateLimitPerSecond: 1 });
    await request('cnpj', company);
    expect(await failureOf(request('cnpj', company))).toMatchObject(problem429);
    expect(sandbox.counts()).toMatchObject([{ requested: 2, started: 1 }]);
  });

  test('services.resendOn503=false leaves a 503 unknown', async () => {
    sandbox.configure({ documents: { [company]: { request: ['503'] } } });
    const cautious = new Service({
      baseUrl: sandbox.baseUrl,
      token: Token.of(token),
      ratePerSecond: 10_000,
      resendOn503: false,
    });
    const careful = new CertificatesApi(cautious, { pdf: 'optional', pdfAuth: 'query' });
    const error = await failureOf(careful.requestCertificate('cnpj', company, async () => {}));
    expect(error).toMatchObject({ status: 503, wasNotProcessed: false });
    await cautious.close();
  });

  test.each([
    ['reset_after', 1],
    ['cut_answer', 1],
    ['reset_before', 0],
  ] as const)('%s: the request may have arrived', async (kind, started) => {
    sandbox.configure({ documents: { [company]: { request: [kind] } } });
    const error = await failureOf(request('cnpj', company));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ sent: 'maybe' });
    expect(sandbox.counts()).toMatchObject([{ requested: 1, started }]);
  });

  test.each([
    ['unreadable_2xx', [{ path: '', code: 'invalid_type' }]],
    ['missing_id', [{ path: 'certidao_id', code: 'invalid_type' }]],
  ] as const)('%s: accepted, and the id cannot be read', async (kind, issues) => {
    sandbox.configure({ documents: { [company]: { request: [kind] } } });
    const error = await failureOf(request('cnpj', company));
    expect(error).toBeInstanceOf(ContractError);
    expect(error).toMatchObject({ issues });
    expect(sandbox.counts()).toMatchObject([{ requested: 1, started: 1 }]);
  });

  test('a redirect of a request is not followed, of a PDF it is', async () => {
    sandbox.configure({ documents: { [company]: { request: ['redirect'], pdf: ['redirect'] } } });
    expect(await failureOf(request('trabalhista', company))).toMatchObject({
      status: 302,
      location: '/manutencao',
    });
    const { issuance } = await settled('completed');
    sandbox.configure({ documents: { [company]: { pdf: ['redirect'] } } });
    const error = await failureOf(api.fetchPdf(issuance.evidence.pdfUrl!, 'pdf'));
    expect(error).toMatchObject({ status: 404, code: 'unknown_route' });
    expect(sandbox.received().map((entry) => entry.path)).toContain('/manutencao');
  });

  test('every call goes below the versioned prefix of the base address', async () => {
    const { issuance } = await settled('completed');
    await api.fetchPdf(issuance.evidence.pdfUrl!, 'pdf');
    await api.proveAccess();
    expect(sandbox.received()).toHaveLength(4);
    for (const entry of sandbox.received()) expect(entry.path).toMatch(/^\/api\/v1\/certidoes\//);
  });

  test('certificates have a token of their own when one is set', async () => {
    sandbox.setToken('for-certificates', true);
    sandbox.setToken(token, false);
    const idOf = async (extra: Record<string, string>) => {
      const environment = readEnvironment({
        INVESTIGATION_BASE_URL: sandbox.baseUrl,
        INVESTIGATION_TOKEN: token,
        ...extra,
      });
      const store = newStore();
      const { certificates } = certificateDependencies({
        environment,
        store,
        idKey: {} as Parameters<typeof certificateDependencies>[0]['idKey'],
        stopping: new AbortController().signal,
        metrics: new WorkerMetrics('0.0.0'),
        happenings: new Happenings(pino({ level: 'silent' })),
        standstill: new Standstill(store, () => {}),
      });
      try {
        return await certificates.requestCertificate('cnpj', company, async () => {});
      } finally {
        await certificates.service.close();
      }
    };
    expect(await idOf({ CERTIFICATES_TOKEN: 'for-certificates' })).toMatch(/^[0-9a-f-]{36}$/);
    expect(await failureOf(idOf({}))).toMatchObject({ status: 401 });
  });

  describe('PDF addresses', () => {
    let elsewhere: Server;
    let origin: string;
    let arrived: IncomingMessage[];
    let respond: (response: ServerResponse) => void;
    beforeEach(async () => {
      arrived = [];
      respond = (response) => response.end('%PDF-');
      elsewhere = createServer((incoming, response) => {
        arrived.push(incoming);
        respond(response);
      });
      await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
      origin = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
    });
    afterEach(() => new Promise((resolve) => elsewhere.close(resolve)));

    test.each(['query', 'bearer'] as const)('another origin gets no %s token', async (pdfAuth) => {
      const address = `${origin}/store/a.pdf?signature=1`;
      await client({ pdfAuth }).fetchPdf(address, 'pdf');
      expect(arrived[0]?.url).toBe('/store/a.pdf?signature=1');
      expect(arrived[0]?.headers).not.toHaveProperty('authorization');
    });

    test('certificates.pdfAuth=bearer puts the token into a header of our own origin', async () => {
      const own = new Service({
        baseUrl: `${origin}/api/v1`,
        token: Token.of(token),
        ratePerSecond: 10_000,
      });
      for (const pdfAuth of ['bearer', 'query'] as const) {
        const certificates = new CertificatesApi(own, { pdf: 'optional', pdfAuth });
        const address = '/api/v1/certidoes/x/pdf';
        await certificates.fetchPdf(address, 'pdf');
      }
      expect(arrived.map((call) => [call.url, call.headers.authorization])).toEqual([
        ['/api/v1/certidoes/x/pdf', `Bearer ${token}`],
        [`/api/v1/certidoes/x/pdf?token=${token}`, undefined],
      ]);
      await own.close();
    });

    // Known faults of src: each becomes an ordinary test with its cure.
    test('the haste of another origin does not hold up the service', async () => {
      respond = (response) => response.writeHead(503, { 'retry-after': '30' }).end();
      const address = `${origin}/a.pdf`;
      expect(await failureOf(api.fetchPdf(address, 'pdf'))).toMatchObject({ status: 503 });
      expect(service.limiter.expectedWaitMs()).toBeLessThan(1_000);
    });

    test('a 401 of another origin does not mean our credentials', async () => {
      respond = (response) => response.writeHead(401).end();
      const address = `${origin}/a.pdf`;
      expect(await failureOf(api.fetchPdf(address, 'pdf'))).toMatchObject({
        status: 401,
        meansCredentials: false,
      });
    });
  });
});

async function failureOf(call: Promise<unknown>): Promise<Error> {
  const nothing = Symbol('nothing');
  const outcome = await call.then(
    () => nothing,
    (error: unknown) => error,
  );
  if (outcome === nothing) throw new Error('the call succeeded');
  return outcome as Error;
}
