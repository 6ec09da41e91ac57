import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { AddressGuard } from '../../src/protection/address-guard';
import { assumptionTable } from '../../src/apis/assumption-table';
import { assumptionSections } from '../../src/apis/assumptions';
import { readEnvironment, type ConfigError } from '../../src/environment';
import { parseConfig, readConfigFile } from '../../src/environment/config-file';
import { settingsTable } from '../../src/environment/variables';

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

const lists = {
  pageSizeParam: 'limit',
  cursorParam: 'cursor',
  statusParam: 'status',
  severityParam: 'severity',
  typeParam: 'type',
};

it('has a default for everything', () => {
  expect(readEnvironment({})).toEqual({
    variables: {},
    guard: expect.any(AddressGuard),
    investigation: null,
    credit: null,
    dataDir: resolve('data'),
    storeUrl: resolve('data/store'),
    blobsUrl: null,
    idKey: null,
    payloadKeys: null,
    aadNamespace: null,
    codecServer: { token: null, oidc: null },
    language: 'en',
    actor: userInfo().username,
    metricsAddress: { host: '127.0.0.1', port: 9464 },
    resendOn503: true,
    certificates: { pdf: 'optional', pdfAuth: 'query', timeoutSeconds: 30 },
    creditNames: {
      filePart: null,
      enginePart: null,
      idField: null,
      statusField: null,
      failedStatuses: null,
      timeoutSeconds: 120,
    },
    lens: {
      readPath: '/lente/analyses/{id}',
      modeField: 'mode',
      submitPath: null,
      maxFileBytes: 50 * 1024 * 1024,
    },
    traceNames: { ...lists, read: 'auto' },
    dossierNames: { ...lists, readPath: null },
    monitorNames: { ...lists, readPath: '/monitors/{id}', escalateAfter: 5 },
    monitorSinks: { sinks: [{ name: 'file', required: true }], webhook: null },
    monitorEscalateAfter: 5,
    retention: [],
  });
});

it('reads every variable, and every key of the file', () => {
  const otherLists = {
    pageSizeParam: 'page[size]',
    cursorParam: 'after',
    statusParam: 'situacao',
    severityParam: 'gravidade',
    typeParam: 'tipo',
  };
  const creditNames = {
    filePart: 'remessa',
    enginePart: 'motor',
    idField: 'protocolo',
    statusField: 'situacao',
    failedStatuses: ['quebrada', 'Recusada'],
    timeoutSeconds: 600,
  };
  const lens = {
    readPath: '/lens/{id}',
    modeField: 'kind',
    submitPath: '/lens/{id}/go',
    maxFileBytes: 1_000,
  };
  const config = {
    $schema: './node_modules/diligence/dist/schemas/config.json',
    services: { resendOn503: false },
    investigation: { timeoutSeconds: 11 },
    certificates: { pdf: 'required', pdfAuth: 'bearer', timeoutSeconds: 12 },
    credit: creditNames,
    lists: otherLists,
    monitors: { readPath: '/v2/monitors/{id}/state', escalateAfter: 9 },
    lens,
    traces: { read: 'list' },
    dossiers: { readPath: '/dossies/{id}' },
    webhook: { timeoutSeconds: 7 },
    codecServer: { oidc: { issuer: 'https://login.test', audience: 'diligence' } },
    payloads: { namespace: 'elsewhere' },
  };
  const source = {
    ...configured,
    CERTIFICATES_TOKEN_FILE: '/run/secrets/token',
    CERTIFICATES_RPS: '7.5',
    INVESTIGATION_RPS: '3',
    CREDIT_BASE_URL: 'https://credit.test/api/v1',
    CREDIT_TOKEN_FILE: '/run/secrets/credit',
    CREDIT_RPS: '2',
    DILIGENCE_DATA_DIR: join(homedir(), 'd'),
    DILIGENCE_STORE_URL: 'file:///srv/store',
    DILIGENCE_BLOBS_URL: '/srv/blobs',
    DILIGENCE_ID_KEY: 'aB'.repeat(32),
    DILIGENCE_PAYLOAD_KEYS: `k-1:${'a1'.repeat(32)}`,
    DILIGENCE_CODEC_TOKEN_FILE: '/run/secrets/codec',
    DILIGENCE_LANG: 'pt',
    DILIGENCE_ACTOR: 'ana',
    DILIGENCE_METRICS_ADDRESS: '[::1]:0',
    MONITOR_SINKS: 'file?,webhook',
    DILIGENCE_RETENTION: 'certificate-batch=5y, trace=90d',
    MONITOR_WEBHOOK_URL: 'http://receiver.test/changes?key=1',
    MONITOR_WEBHOOK_SECRET: `${webhookSecret}, ${webhookSecret}`,
    DILIGENCE_ALLOWED_HOSTS: 'receiver.test, 10.1.0.0/16',
    USER: 'root',
    PATH: '/bin',
    TEMPORAL_ADDRESS: 'localhost:7233',
  };
  const { payloadKeys, ...environment } = readEnvironment(source, parseConfig(config));
  expect(payloadKeys?.ids).toEqual(['k-1']);
  expect(environment).toEqual({
    variables: expect.any(Object),
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
    aadNamespace: 'elsewhere',
    codecServer: {
      token: { file: '/run/secrets/codec' },
      oidc: { issuer: 'https://login.test', audience: 'diligence' },
    },
    language: 'pt',
    actor: 'ana',
    metricsAddress: { host: '::1', port: 0 },
    resendOn503: false,
    certificates: { pdf: 'required', pdfAuth: 'bearer', timeoutSeconds: 12 },
    creditNames,
    lens,
    traceNames: { ...otherLists, read: 'list' },
    dossierNames: { ...otherLists, readPath: '/dossies/{id}' },
    monitorNames: { ...otherLists, readPath: '/v2/monitors/{id}/state', escalateAfter: 9 },
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
  const environment = readEnvironment({ CREDIT_RPS: '', INVESTIGATION_TOKEN: '' });
  expect(environment).toMatchObject({ credit: null, investigation: null });
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

it.each([
  [{ DILIGENCE_LANG: 'en', LC_ALL: 'pt_BR.UTF-8' }, 'en'],
  [{ LC_ALL: 'pt_BR.UTF-8', LANG: 'en_US.UTF-8' }, 'pt'],
  [{ LC_ALL: 'C', LANG: 'pt_BR' }, 'en'],
  [{ LANG: 'pt_PT.UTF-8' }, 'pt'],
  [{ LANG: 'ptx' }, 'en'],
  [{}, 'en'],
])('of %j the language is %s', (own, language) => {
  expect(readEnvironment(own).language).toBe(language);
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
  ['DILIGENCE_ACTOR', 'x'.repeat(201)],
  ['DILIGENCE_METRICS_ADDRESS', '9464'],
  ['DILIGENCE_METRICS_ADDRESS', ':9464'],
  ['DILIGENCE_METRICS_ADDRESS', 'localhost:65536'],
  ['DILIGENCE_METRICS_ADDRESS', 'http://localhost:9464'],
  ['DILIGENCE_ID_KEY', 'abc'],
  ['DILIGENCE_ID_KEY', 'g'.repeat(64)],
  ['DILIGENCE_CODEC_TOKEN', 'short'],
  ['MONITOR_SINKS', 'webhook'.repeat(2)],
  ['MONITOR_SINKS', 'file?'],
  ['MONITOR_SINKS', 'file,file'],
  ['MONITOR_WEBHOOK_URL', 'https://ana:pw@receiver.test'],
  ['MONITOR_WEBHOOK_URL', 'http://receiver.test'],
  ['DILIGENCE_ALLOWED_HOSTS', 'http://receiver.test'],
])('names %s when it is %j', (variable, value) => {
  const error = faultOf({ [variable]: value });
  expect(error).toMatchObject({ name: 'ConfigError', variable });
  expect(error.message).toMatch(new RegExp(`^${variable}: .`));
});

it.each([
  ['INVESTIGATION_TOKN', 'INVESTIGATION_TOKEN'],
  ['DILIGENCE_ACTORS', 'DILIGENCE_ACTOR'],
  ['CERTIFICATES_TOKENFILE', 'CERTIFICATES_TOKEN_FILE'],
  ['CERTIFICATE_RPS', 'CERTIFICATES_RPS'],
  ['MONITOR_SINK', 'MONITOR_SINKS'],
  ['DILIGENCE_DATADIR', 'DILIGENCE_DATA_DIR'],
])('refuses the unknown variable %s and names %s among those alike', (unknown, meant) => {
  const error = faultOf({ [unknown]: secret });
  expect(error).toMatchObject({ name: 'ConfigError', variable: unknown });
  expect(error.message).toMatch(new RegExp(`: no such variable: expected one of .*${meant}\\b`));
  expect(error.message).not.toContain(secret);
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
  expect(payloadKeys?.ids).toEqual(['k-2', 'k-1']);
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
    { ...configured, CREDIT_RPS: 'x' },
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

it.each([
  'CERTIFICATE_PDF',
  'CREDIT_FILE_PART',
  'CERTIFICATES_TIMEOUT_SECONDS',
  'DILIGENCE_ACCEPT_PLAINTEXT',
])('knows no variable %s: it is a key of the file, or gone', (name) => {
  expect(faultOf({ [name]: '1' })).toMatchObject({ name: 'ConfigError', variable: name });
});

describe('diligence.config.json', () => {
  let folder: string;
  const pathOf = () => join(folder, 'd.json');
  const read = async (text: string) => {
    await writeFile(pathOf(), text);
    return () => readEnvironment({ DILIGENCE_CONFIG: pathOf() });
  };
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'diligence-config-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('is read where DILIGENCE_CONFIG names it, and each key that it leaves out has its default', async () => {
    const { lens } = (await read('{"lens": {"modeField": "kind"}}'))();
    expect(lens).toMatchObject({ modeField: 'kind', readPath: '/lente/analyses/{id}' });
  });

  it('is read in the working directory, where it need not be', async () => {
    const before = process.cwd();
    process.chdir(folder);
    try {
      expect(readConfigFile(undefined).path).toBeNull();
      await writeFile('diligence.config.json', '{"traces": {"read": "id"}}');
      expect(readEnvironment({}).traceNames.read).toBe('id');
    } finally {
      process.chdir(before);
    }
  });

  it.each([
    ['{', /is not JSON/],
    ['[]', /expected object/],
    ['{"lense": {}}', /^lense: no such key: expected one of/],
    ['{"lens": {"mode": "x"}}', /^lens\.mode: no such key.*readPath, modeField/],
    ['{"lens": {"readPath": "/lente/analyses"}}', /^lens\.readPath: expected a path/],
    ['{"lens": {"readPath": "https://other.test/{id}"}}', /^lens\.readPath: expected a path/],
    ['{"lens": {"modeField": "file"}}', /^lens\.modeField: expected another name/],
    ['{"lens": {"maxFileBytes": 0}}', /^lens\.maxFileBytes: expected a number/],
    [
      '{"lists": {"statusParam": "limit"}}',
      /^lists\.statusParam: expected another name than lists/,
    ],
    ['{"lists": {"cursorParam": "a b"}}', /^lists\.cursorParam: expected a name/],
    ['{"services": {"resendOn503": "on"}}', /^services\.resendOn503: expected true or false/],
    ['{"traces": {"read": "both"}}', /^traces\.read: expected auto, id or list/],
    ['{"dossiers": {"readPath": "/dossies"}}', /^dossiers\.readPath: expected a path/],
    ['{"certificates": {"timeoutSeconds": 36}}', /^certificates\.timeoutSeconds: .* 1 to 35/],
    ['{"certificates": {"timeoutSeconds": "9"}}', /^certificates\.timeoutSeconds: expected/],
    ['{"credit": {"failedStatuses": "failed"}}', /^credit\.failedStatuses: expected a list/],
    ['{"codecServer": {"oidc": {"issuer": "login.test"}}}', /^codecServer\.oidc\.issuer: expected/],
    ['{"codecServer": {"oidc": {"issuer": "https://l.test"}}}', /^codecServer\.oidc\.audience: /],
  ])('%s is refused, with key, expectation and file', async (text, told) => {
    const reading = await read(text);
    expect(reading).toThrow(
      expect.objectContaining({ name: 'ConfigError', message: expect.stringMatching(told) }),
    );
    expect(reading).toThrow(pathOf());
  });

  it('that is named must be there', () => {
    const missing = () => readEnvironment({ DILIGENCE_CONFIG: pathOf() });
    expect(missing).toThrow(/^DILIGENCE_CONFIG: .*d\.json cannot be read \(ENOENT\)/);
  });
});

describe('the tables for documentation', () => {
  it('name every setting once, with its meaning', () => {
    const names = settingsTable.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(settingsTable.filter(({ meaning }) => meaning === '')).toEqual([]);
    expect(settingsTable).toContainEqual({
      name: 'lens.readPath',
      from: 'file',
      default: '"/lente/analyses/{id}"',
      meaning: 'Where an analysis is read.',
    });
    expect(settingsTable.filter(({ from }) => from === 'environment').length).toBeLessThan(30);
  });

  it('explain every key that takes the place of an assumption, and no other', () => {
    const sections = Object.entries(assumptionSections).flatMap(([section, { shape }]) =>
      Object.keys(shape).map((key) => `${section}.${key}`),
    );
    expect(new Set(assumptionTable.flatMap(({ keys }) => keys))).toEqual(new Set(sections));
  });
});
