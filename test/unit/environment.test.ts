import { homedir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { AddressGuard } from '../../src/protection/address-guard';
import { readEnvironment, type ConfigError } from '../../src/environment';
import type { KeyRing } from '../../src/protection/key-ring';

const address = 'https://service.test/api/v1';
const secret = 'tok-9f8e7d6c5b4a';
const webhookSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const configured = { INVESTIGATION_BASE_URL: address, INVESTIGATION_TOKEN: secret };

function faultOf(source: NodeJS.ProcessEnv): ConfigError {
  try {
    readEnvironment(source);
  } catch (error) {
    return error as ConfigError;
  }
  throw new Error('the environment was taken');
}

it('has a default for everything', () => {
  expect(readEnvironment({})).toEqual({
    guard: expect.any(AddressGuard),
    investigation: null,
    credit: null,
    dataDir: resolve('data'),
    storeUrl: resolve('data/store'),
    blobsUrl: null,
    idKey: null,
    payloadKeys: null,
    acceptPlaintext: false,
    aadNamespace: null,
    codecServer: { token: null, oidc: null },
    workers: 1,
    actor: userInfo().username,
    metricsAddress: { host: '127.0.0.1', port: 9464 },
    sdkMetricsAddress: null,
    resendOn503: true,
    certificates: { pdf: 'optional', pdfAuth: 'query' },
    creditNames: {
      filePart: null,
      enginePart: null,
      idField: null,
      statusField: null,
      failedStatuses: null,
    },
    lens: {
      readPath: '/lente/analyses/{id}',
      modeField: 'mode',
      submitPath: null,
      maxFileBytes: 50 * 1024 * 1024,
    },
    traceNames: {
      pageSizeParam: 'limit',
      cursorParam: 'cursor',
      statusParam: 'status',
      typeParam: 'type',
      traceRead: 'auto',
    },
    dossierNames: {
      pageSizeParam: 'limit',
      cursorParam: 'cursor',
      statusParam: 'status',
      typeParam: 'type',
      dossierReadPath: null,
    },
    monitorNames: {
      pageSizeParam: 'limit',
      cursorParam: 'cursor',
      statusParam: 'status',
      severityParam: 'severity',
      readPath: '/monitors/{monitor_id}',
    },
    monitorSinks: { sinks: [{ name: 'file', required: true }], webhook: null },
    monitorEscalateAfter: 5,
    retention: [],
  });
});

it('reads every variable', () => {
  const environment = readEnvironment({
    ...configured,
    CERTIFICATES_TOKEN_FILE: '/run/secrets/token',
    CERTIFICATES_RPS: '7.5',
    CERTIFICATES_TIMEOUT_SECONDS: '12',
    INVESTIGATION_RPS: '3',
    CREDIT_BASE_URL: 'https://credit.test/api/v1',
    CREDIT_TOKEN_FILE: '/run/secrets/credit',
    CREDIT_RPS: '2',
    CREDIT_TIMEOUT_SECONDS: '600',
    CREDIT_FILE_PART: 'remessa',
    CREDIT_ENGINE_PART: 'motor',
    CREDIT_ID_FIELD: 'protocolo',
    CREDIT_STATUS_FIELD: 'situacao',
    CREDIT_FAILED_STATUSES: 'quebrada, Recusada',
    DILIGENCE_DATA_DIR: join(homedir(), 'd'),
    DILIGENCE_STORE_URL: 'file:///srv/store',
    DILIGENCE_BLOBS_URL: '/srv/blobs',
    DILIGENCE_ID_KEY: 'aB'.repeat(32),
    DILIGENCE_PAYLOAD_KEYS: 'off',
    DILIGENCE_ACCEPT_PLAINTEXT: 'on',
    DILIGENCE_AAD_NAMESPACE: 'elsewhere',
    DILIGENCE_CODEC_TOKEN_FILE: '/run/secrets/codec',
    DILIGENCE_CODEC_ISSUER: 'https://login.test',
    DILIGENCE_CODEC_AUDIENCE: 'diligence',
    DILIGENCE_WORKERS: '4',
    DILIGENCE_ACTOR: 'ana',
    DILIGENCE_METRICS_ADDRESS: '[::1]:0',
    DILIGENCE_SDK_METRICS_ADDRESS: '127.0.0.1:9465',
    RESEND_ON_503: 'off',
    CERTIFICATE_PDF: 'required',
    CERTIFICATE_PDF_AUTH: 'bearer',
    PAGE_SIZE_PARAM: 'page[size]',
    CURSOR_PARAM: 'after',
    STATUS_PARAM: 'situacao',
    SEVERITY_PARAM: 'gravidade',
    MONITOR_READ_PATH: '/v2/monitors/{id}/state',
    TYPE_PARAM: 'tipo',
    LENS_READ_PATH: '/lens/{id}',
    LENS_MODE_FIELD: 'kind',
    LENS_SUBMIT_PATH: '/lens/{id}/go',
    LENS_MAX_BYTES: '1000',
    TRACE_READ: 'list',
    DOSSIER_READ_PATH: '/dossies/{id}',
    MONITOR_SINKS: 'file?,webhook',
    MONITOR_ESCALATE_AFTER: '9',
    DILIGENCE_RETENTION: 'certificate-batch=5y, trace=90d',
    INVESTIGATION_TIMEOUT_SECONDS: '11',
    MONITOR_WEBHOOK_URL: 'http://receiver.test/changes?key=1',
    MONITOR_WEBHOOK_SECRET: `${webhookSecret}, ${webhookSecret}`,
    DILIGENCE_ALLOWED_HOSTS: 'receiver.test, 10.1.0.0/16',
    MONITOR_WEBHOOK_TIMEOUT_SECONDS: '7',
    USER: 'root',
    PATH: '/bin',
    TEMPORAL_ADDRESS: 'localhost:7233',
  });
  expect(environment).toEqual({
    guard: expect.any(AddressGuard),
    investigation: {
      baseUrl: address,
      token: { value: secret },
      rps: 3,
      timeoutMs: 11_000,
      certificatesToken: { file: '/run/secrets/token' },
      certificatesRps: 7.5,
      certificatesTimeoutMs: 12_000,
    },
    credit: {
      baseUrl: 'https://credit.test/api/v1',
      token: { file: '/run/secrets/credit' },
      rps: 2,
      timeoutMs: 600_000,
    },
    dataDir: join(homedir(), 'd'),
    storeUrl: 'file:///srv/store',
    blobsUrl: '/srv/blobs',
    idKey: 'aB'.repeat(32),
    payloadKeys: 'off',
    acceptPlaintext: true,
    aadNamespace: 'elsewhere',
    codecServer: {
      token: { file: '/run/secrets/codec' },
      oidc: { issuer: 'https://login.test', audience: 'diligence' },
    },
    workers: 4,
    actor: 'ana',
    metricsAddress: { host: '::1', port: 0 },
    sdkMetricsAddress: { host: '127.0.0.1', port: 9465 },
    resendOn503: false,
    certificates: { pdf: 'required', pdfAuth: 'bearer' },
    creditNames: {
      filePart: 'remessa',
      enginePart: 'motor',
      idField: 'protocolo',
      statusField: 'situacao',
      failedStatuses: ['quebrada', 'Recusada'],
    },
    lens: {
      readPath: '/lens/{id}',
      modeField: 'kind',
      submitPath: '/lens/{id}/go',
      maxFileBytes: 1_000,
    },
    traceNames: {
      pageSizeParam: 'page[size]',
      cursorParam: 'after',
      statusParam: 'situacao',
      typeParam: 'tipo',
      traceRead: 'list',
    },
    dossierNames: {
      pageSizeParam: 'page[size]',
      cursorParam: 'after',
      statusParam: 'situacao',
      typeParam: 'tipo',
      dossierReadPath: '/dossies/{dossie_id}',
    },
    monitorNames: {
      pageSizeParam: 'page[size]',
      cursorParam: 'after',
      statusParam: 'situacao',
      severityParam: 'gravidade',
      readPath: '/v2/monitors/{monitor_id}/state',
    },
    monitorSinks: {
      sinks: [
        { name: 'file', required: false },
        { name: 'webhook', required: true },
      ],
      webhook: {
        url: 'http://receiver.test/changes?key=1',
        secrets: [webhookSecret, webhookSecret],
        guard: expect.any(AddressGuard),
        timeoutMs: 7_000,
      },
    },
    monitorEscalateAfter: 9,
    retention: [
      { kind: 'certificate-batch', count: 5, unit: 'y' },
      { kind: 'trace', count: 90, unit: 'd' },
    ],
  });
});

it('takes an empty variable for one that is not set', () => {
  const environment = readEnvironment({ DILIGENCE_WORKERS: '', INVESTIGATION_TOKEN: '' });
  expect(environment).toMatchObject({ workers: 1, investigation: null });
});

it('puts the store into the data directory unless it is told another place', () => {
  const { storeUrl } = readEnvironment({ DILIGENCE_DATA_DIR: '/srv/d' });
  expect(storeUrl).toBe('/srv/d/store');
});

it.each([
  ['trace', 'trace: expected a kind and its term, like trace=90d'],
  ['trace=90d,', ': expected a kind'],
  ['traces=90d', 'of certificate, certificate-batch, credit-analysis'],
  ['decision=90d', 'decision=90d: expected a kind'],
  ['trace=0d', 'trace=0d: expected a kind'],
  ['trace=3m', 'trace=3m: expected a kind'],
  ['trace=101y', '(at most 100y)'],
  ['trace=90d,dossier=1y,trace=2y', 'trace=2y: expected its kind once'],
])('tells which entry of DILIGENCE_RETENTION=%s is wrong, and what was expected', (text, told) => {
  const read = () => readEnvironment({ DILIGENCE_RETENTION: text });
  expect(read).toThrow(expect.objectContaining({ variable: 'DILIGENCE_RETENTION' }));
  expect(read).toThrow(told);
});

it('keeps jobs of every kind for ever where no term is set', () => {
  expect(readEnvironment({}).retention).toEqual([]);
});

it('takes `off` for a worker without endpoints', () => {
  expect(readEnvironment({ DILIGENCE_METRICS_ADDRESS: 'off' }).metricsAddress).toBeNull();
});

it('names the person who is logged in when no actor is set', () => {
  expect(readEnvironment({ LOGNAME: 'bia' }).actor).toBe('bia');
  expect(readEnvironment({ LOGNAME: 'bia', USER: 'ana' }).actor).toBe('ana');
});

it.each([
  ['INVESTIGATION_BASE_URL', 'service.test'],
  ['INVESTIGATION_BASE_URL', 'ftp://service.test'],
  ['INVESTIGATION_BASE_URL', 'https://ana@service.test'],
  ['INVESTIGATION_BASE_URL', 'https://:pw@service.test'],
  ['INVESTIGATION_BASE_URL', 'https://service.test/v1?key=1'],
  ['INVESTIGATION_BASE_URL', 'https://service.test/v1#top'],
  ['INVESTIGATION_RPS', '0'],
  ['INVESTIGATION_RPS', 'fast'],
  ['CERTIFICATES_RPS', '-1'],
  ['CERTIFICATES_RPS', '100001'],
  ['CERTIFICATES_RPS', ' '],
  ['CERTIFICATES_TIMEOUT_SECONDS', '0'],
  ['CERTIFICATES_TIMEOUT_SECONDS', '36'],
  ['DILIGENCE_WORKERS', '0'],
  ['DILIGENCE_WORKERS', '1.5'],
  ['DILIGENCE_WORKERS', 'many'],
  ['DILIGENCE_ACTOR', 'x'.repeat(201)],
  ['DILIGENCE_METRICS_ADDRESS', '9464'],
  ['DILIGENCE_METRICS_ADDRESS', ':9464'],
  ['DILIGENCE_METRICS_ADDRESS', 'localhost:65536'],
  ['DILIGENCE_METRICS_ADDRESS', 'http://localhost:9464'],
  ['DILIGENCE_ID_KEY', 'abc'],
  ['DILIGENCE_ID_KEY', 'g'.repeat(64)],
  ['DILIGENCE_ACCEPT_PLAINTEXT', 'yes'],
  ['DILIGENCE_CODEC_TOKEN', 'short'],
  ['DILIGENCE_CODEC_ISSUER', 'login.test'],
  ['RESEND_ON_503', 'yes'],
  ['CURSOR_PARAM', 'a b'],
  ['STATUS_PARAM', 'limit'],
  ['SEVERITY_PARAM', 'cursor'],
  ['TYPE_PARAM', 'status'],
  ['MONITOR_READ_PATH', '/monitors'],
  ['LENS_READ_PATH', '/lente/analyses'],
  ['LENS_SUBMIT_PATH', 'https://elsewhere.test/{id}'],
  ['LENS_MODE_FIELD', 'file'],
  ['LENS_MAX_BYTES', '0'],
  ['TRACE_READ', 'both'],
  ['DOSSIER_READ_PATH', '/dossies'],
  ['LENS_MAXBYTES', '1'],
  ['MONITOR_READ_PATH', 'https://elsewhere.test/{id}'],
  ['MONITOR_SINKS', 'webhook'.repeat(2)],
  ['MONITOR_SINKS', 'file?'],
  ['MONITOR_SINKS', 'file,file'],
  ['MONITOR_WEBHOOK_URL', 'https://ana:pw@receiver.test'],
  ['MONITOR_WEBHOOK_URL', 'http://receiver.test'],
  ['DILIGENCE_ALLOWED_HOSTS', 'http://receiver.test'],
  ['MONITOR_WEBHOOK_TIMEOUT_SECONDS', '0'],
  ['CERTIFICATE_PDF', 'maybe'],
  ['CERTIFICATE_PDF_AUTH', 'header'],
])('names %s when it is %j', (variable, value) => {
  const error = faultOf({ [variable]: value });
  expect(error).toMatchObject({ name: 'ConfigError', variable });
  expect(error.message).toMatch(new RegExp(`^${variable}: .`));
});

it.each([
  ['INVESTIGATION_TOKN', 'INVESTIGATION_TOKEN'],
  ['DILIGENCE_WORKER', 'DILIGENCE_WORKERS'],
  ['CERTIFICATES_TOKENFILE', 'CERTIFICATES_TOKEN_FILE'],
  ['CERTIFICATE_RPS', 'CERTIFICATES_RPS'],
  // Both CERTIFICATES_RPS and CERTIFICATE_PDF are near; the nearest is meant.
  ['CERTIFICATES_PDF', 'CERTIFICATE_PDF'],
  ['MONITOR_SINK', 'MONITOR_SINKS'],
  ['DILIGENCE_DATADIR', 'DILIGENCE_DATA_DIR'],
])('refuses the unknown variable %s and asks whether %s was meant', (unknown, meant) => {
  const error = faultOf({ [unknown]: secret });
  expect(error).toMatchObject({ name: 'ConfigError', variable: unknown });
  expect(error.message).toContain(`did you mean ${meant}?`);
  expect(error.message).not.toContain(secret);
});

it('suggests nothing when nothing is near', () => {
  expect(faultOf({ DILIGENCE_FAVOURITE_COLOUR: 'red' }).message).toBe(
    'DILIGENCE_FAVOURITE_COLOUR: no such variable',
  );
});

it.each(['TEMPORAL_ADDRESS', 'MY_DILIGENCE_X', 'CERTIFICATION_X', 'MONITOR_HOST', 'NODE_ENV'])(
  'leaves %s alone, which is not ours',
  (name) => {
    expect(() => readEnvironment({ [name]: 'x' })).not.toThrow();
  },
);

it('reads a list of payload keys, and shows none that it refuses', () => {
  const list = `k-2:${'c3'.repeat(32)},k-1:${'a1'.repeat(32)}`;
  const { payloadKeys } = readEnvironment({ DILIGENCE_PAYLOAD_KEYS: list });
  expect((payloadKeys as KeyRing).ids).toEqual(['k-2', 'k-1']);
  const error = faultOf({ DILIGENCE_PAYLOAD_KEYS: `k-1:${'a1'.repeat(31)}` });
  expect(error.variable).toBe('DILIGENCE_PAYLOAD_KEYS');
  expect(error.message).toMatch(/keys generate/);
  expect(error.message).not.toMatch(/a1a1/);
});

it.each<[string, NodeJS.ProcessEnv, string]>([
  ['an address without a token', { INVESTIGATION_BASE_URL: address }, 'INVESTIGATION_TOKEN'],
  ['a token without an address', { INVESTIGATION_TOKEN: secret }, 'INVESTIGATION_BASE_URL'],
  ['a token twice over', { ...configured, INVESTIGATION_TOKEN_FILE: '/x' }, 'INVESTIGATION_TOKEN'],
  [
    'an issuer of codec tokens without its audience',
    { DILIGENCE_CODEC_ISSUER: address },
    'DILIGENCE_CODEC_AUDIENCE',
  ],
  [
    'a certificate token twice over',
    { ...configured, CERTIFICATES_TOKEN: secret, CERTIFICATES_TOKEN_FILE: '/x' },
    'CERTIFICATES_TOKEN',
  ],
])('refuses %s', (_words, source, variable) => {
  const error = faultOf(source);
  expect(error).toMatchObject({ name: 'ConfigError', variable });
  expect(error.message).not.toContain(secret);
});

it.each([
  ['MONITOR_WEBHOOK_URL', { MONITOR_SINKS: 'file,webhook' }],
  ['MONITOR_WEBHOOK_SECRET', { MONITOR_WEBHOOK_URL: 'https://receiver.test' }],
  [
    'MONITOR_WEBHOOK_SECRET',
    { MONITOR_WEBHOOK_URL: 'https://receiver.test', MONITOR_WEBHOOK_SECRET: 'whsec_dG9vc2hvcnQ=' },
  ],
])('names %s of a webhook that is half configured', (variable, source) => {
  expect(faultOf(source)).toMatchObject({ name: 'ConfigError', variable });
});

it('never quotes the value of a secret', () => {
  const sources = [
    { DILIGENCE_ID_KEY: secret },
    { ...configured, DILIGENCE_WORKERS: 'x' },
    { ...configured, DILIGENCE_ID_KEY: `${'0'.repeat(63)}${secret}` },
    { ...configured, INVESTIGATION_BASE_URL: `https//${secret}` },
    { ...configured, INVESTIGATION_BASE_URL: `https://ana:${secret}@service.test` },
    { ...configured, INVESTIGATION_BASE_URL: `${address}?token=${secret}` },
  ];
  for (const source of sources) {
    const { message, stack } = faultOf(source);
    expect(`${message}${stack}`).not.toContain(secret);
  }
});

it('resolves token files against the working directory', () => {
  const { investigation } = readEnvironment({
    INVESTIGATION_BASE_URL: address,
    INVESTIGATION_TOKEN_FILE: 'token',
  });
  expect(investigation).toMatchObject({
    token: { file: resolve('token') },
    certificatesToken: null,
  });
});
