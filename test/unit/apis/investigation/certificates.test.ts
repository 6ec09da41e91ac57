import { inspect } from 'node:util';
import { Service } from '../../../../src/apis/http/service';
import { Token } from '../../../../src/apis/http/token';
import { CertificatesApi } from '../../../../src/apis/investigation/certificates';
import { LoopbackServer, sendJson } from '../../../support/loopback-server';

let server: LoopbackServer;
let api: CertificatesApi;

beforeEach(async () => {
  server = await LoopbackServer.start((_request, response) =>
    sendJson(response, 202, { certidao_id: 'c-1', status: 'queued' }),
  );
  const service = new Service({
    baseUrl: `${server.origin}/api/v1`,
    token: Token.of('secret'),
    ratePerSecond: 1_000,
  });
  api = new CertificatesApi(service, { pdf: 'optional', pdfAuth: 'query' });
});

afterEach(async () => {
  await api.service.close();
  await server.close();
});

const nothing = async (): Promise<void> => {};
const failureOf = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => {
      throw new Error('the call succeeded');
    },
    (error: unknown) => error as Error,
  );

it.each([
  ['cnpj', '11222333000181', '/api/v1/certidoes/cnpj', { cnpj: '11222333000181' }],
  ['trabalhista', '11144477735', '/api/v1/certidoes/trabalhista', { documento: '11144477735' }],
] as const)('asks for a certificate of type %s', async (type, document, path, body) => {
  expect(await api.requestCertificate(type, document, nothing)).toBe('c-1');
  const [request] = server.received;
  expect(request).toMatchObject({ method: 'POST', path });
  expect(JSON.parse(request?.body ?? '')).toEqual(body);
  expect(Object.fromEntries(request?.query ?? [])).toEqual({ token: 'secret' });
  expect(request?.headers.authorization).toBeUndefined();
});

it('runs the check of the caller before anything leaves', async () => {
  const late = new Error('late');
  const request = api.requestCertificate('cnpj', '11222333000181', () => {
    throw late;
  });
  await expect(request).rejects.toBe(late);
  expect(server.received).toEqual([]);
});

it('sends two requests over two connections', async () => {
  await api.requestCertificate('cnpj', '11222333000181', nothing);
  await api.requestCertificate('cnpj', '11222333000181', nothing);
  expect(server.received.map(({ connection }) => connection)).toEqual([1, 2]);
});

it.each([
  ['without a status', { certidao_id: 'c-9' }],
  ['that is a JSON:API document', { data: { id: 'c-9', attributes: { status: 'queued' } } }],
  ['that stands under data', { data: { certidao_id: 'c-9', status: 'queued' } }],
])('takes the id from an acceptance %s', async (_, body) => {
  server.reply = (_request, response) => sendJson(response, 201, body);
  expect(await api.requestCertificate('cnpj', '11222333000181', nothing)).toBe('c-9');
});

it.each<[string, unknown]>([
  ['without an id', { status: 'queued', documento: '11222333000181' }],
  ['with an empty id', { certidao_id: '' }],
  ['with a number that lost digits as id', { certidao_id: 11222333000181 * 1e6 }],
  ['with an endless id', { certidao_id: '11222333000181'.repeat(40) }],
  ['that is a list', ['11222333000181']],
])('throws ContractError without any value for an acceptance %s', async (_words, body) => {
  server.reply = (_request, response) => sendJson(response, 202, body);
  const error = await failureOf(api.requestCertificate('cnpj', '11222333000181', nothing));
  expect(error.name).toBe('ContractError');
  expect(error.message).toMatch(/^POST \/certidoes\/cnpj: the answer cannot be read/);
  expect(error.message + error.stack).not.toContain('11222333000181');
  expect(inspect((error as Error & { issues: unknown }).issues)).not.toContain('1122233');
});

it.each<[string, () => void]>([
  ['an answer of 500', () => (server.reply = (_request, response) => sendJson(response, 500, {}))],
  [
    'an answer without an id',
    () => (server.reply = (_request, response) => sendJson(response, 202, {})),
  ],
  [
    'a reset',
    () => (server.reply = (_request, response) => void response.socket?.resetAndDestroy()),
  ],
])('shows neither the document nor the body in the error of %s', async (_words, arrange) => {
  arrange();
  const error = await failureOf(api.requestCertificate('cnpj', '11222333000181', nothing));
  expect(error).toMatchObject({ call: { method: 'POST', pathTemplate: '/certidoes/cnpj' } });
  expect(Object.keys((error as Error & { call: object }).call)).toEqual(['method', 'pathTemplate']);
  const shown = `${error.stack}${JSON.stringify(error)}${inspect(error, { depth: 9 })}`;
  expect(shown).not.toContain('11222333000181');
});

it('keeps an accepted id however long it is', async () => {
  const id = 'i'.repeat(450);
  server.reply = (_request, response) => sendJson(response, 202, { certidao_id: id });
  expect(await api.requestCertificate('cnpj', '11222333000181', nothing)).toBe(id);
});

it('encodes an id into the path, so that it cannot climb', async () => {
  const id = '../cnpj?x=1#é/ü';
  server.reply = (_request, response) =>
    sendJson(response, 200, { certidao_id: id, status: 'queued' });
  await api.readCertificate(id, 'poll');
  expect(server.received[0]).toMatchObject({
    method: 'GET',
    path: `/api/v1/certidoes/${encodeURIComponent(id)}`,
  });
  expect(Object.fromEntries(server.received[0]?.query ?? [])).toEqual({ token: 'secret' });
});

it('reads an issuance into our words and hands on the answer as it came', async () => {
  const wire = {
    certidao_id: 'c-1',
    tipo: 'cndt',
    status: 'completed',
    stage: 'done',
    unheard_of: { kept: true },
    result: {
      nome_oficial: 'ACME',
      nome_base: 'ACME LTDA',
      titular: { nome: 'ANA' },
      fonte_nome: 'Receita',
      divergente: false,
      capturado_em: '2026-11-21T10:00:00Z',
      classificacao: 'negativa',
    },
    evidence: { pdf_url: '/api/v1/certidoes/c-1/pdf', sha256: 'ABCDEF' },
    error: null,
    links: { self: '/x', pdf: '/y' },
    created_at: '2026-11-21T09:59:00Z',
    completed_at: '2026-11-21T10:00:01Z',
  };
  server.reply = (_request, response) => sendJson(response, 200, wire);
  const { issuance, answer } = await api.readCertificate('c-1', 'poll');
  expect(answer).toEqual(wire);
  expect(issuance).toEqual({
    certidaoId: 'c-1',
    state: 'completed',
    statusWord: 'completed',
    stage: 'done',
    result: {
      classification: 'negativa',
      divergent: false,
      officialName: 'ACME',
      baseName: 'ACME LTDA',
      holderName: 'ANA',
      sourceName: 'Receita',
      capturedAt: '2026-11-21T10:00:00Z',
    },
    evidence: {
      pdfUrl: '/api/v1/certidoes/c-1/pdf',
      linkedPdf: '/y',
      sha256: 'abcdef',
      isNull: false,
      isPending: false,
    },
    error: null,
    createdAt: '2026-11-21T09:59:00Z',
    completedAt: '2026-11-21T10:00:01Z',
  });
});

it('reads the error of a failed issuance, its delay in milliseconds and never below 0', async () => {
  const error = { code: 'source_down', category: 'source', message: 'x', retryable: true };
  for (const [seconds, expected] of [
    [90, 90_000],
    [-5, 0],
    [null, null],
  ]) {
    server.reply = (_request, response) =>
      sendJson(response, 200, {
        certidao_id: 'c-1',
        status: 'failed',
        error: { ...error, retry_after_seconds: seconds },
      });
    const { issuance } = await api.readCertificate('c-1', 'poll');
    expect(issuance.state).toBe('failed');
    expect(issuance.error).toEqual({ ...error, retryAfterMs: expected });
  }
});

it.each(['em_analise', 'COMPLETE', 'constructor', ''])(
  'takes the unlisted status word %j as unknown and keeps the word',
  async (status) => {
    server.reply = (_request, response) => sendJson(response, 200, { certidao_id: 'c-1', status });
    const { issuance } = await api.readCertificate('c-1', 'poll');
    expect(issuance).toMatchObject({ state: 'unknown', statusWord: status, result: null });
  },
);

it('throws ContractError for an issuance without a status, naming the place only', async () => {
  server.reply = (_request, response) => sendJson(response, 200, { certidao_id: 'c-77' });
  const error = await failureOf(api.readCertificate('c-77', 'poll'));
  expect(error).toMatchObject({
    name: 'ContractError',
    issues: [{ path: 'status', code: 'invalid_type' }],
  });
  expect(error.message).not.toContain('c-77');
});

describe('the proof of access', () => {
  it.each([400, 404, 410, 422])('holds when the service answers %i', async (status) => {
    server.reply = (_request, response) => sendJson(response, status, {});
    await expect(api.proveAccess()).resolves.toMatchObject({ method: 'GET' });
    expect(server.posts()).toEqual([]);
  });

  it.each([401, 403, 500])('fails when the service answers %i', async (status) => {
    server.reply = (_request, response) => sendJson(response, status, {});
    await expect(api.proveAccess()).rejects.toMatchObject({ name: 'StatusError', status });
  });
});
