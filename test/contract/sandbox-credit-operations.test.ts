import { createHash } from 'node:crypto';
import { cnabFile, testAssignor } from '../support/cnab-files';
import {
  rulesThatSpoke,
  soundFile,
  startCreditCaller,
  untilDoneMs,
  type CreditCaller,
  type Tree,
} from '../unit/sandbox/credit-caller';

const uuidV4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe('operations of the credit sandbox', () => {
  let caller: CreditCaller;
  beforeEach(async () => {
    caller = await startCreditCaller();
  });
  afterEach(() => caller.close());

  test('the base address ends in /api/v1 and the paths begin with /v1 again', async () => {
    const { creditBaseUrl } = caller.sandbox;
    expect(creditBaseUrl).toMatch(/\/credit\/api\/v1$/);
    const { status } = await caller.call('GET', '/engines');
    expect(status).toBe(404);
    expect((await caller.call('GET', '/v1/engines')).status).toBe(200);
    expect(caller.sandbox.credit.received()).toMatchObject([
      { path: '/credit/api/v1/engines', status: 404 },
      { path: '/credit/api/v1/v1/engines', status: 200 },
    ]);
  });

  test('an operation waits, is worked on, and completes as the clock moves', async () => {
    const { status, json } = await caller.upload();
    expect(status).toBe(202);
    expect(json).toEqual({
      id: expect.stringMatching(uuidV4),
      status: 'queued',
      engine: { name: 'Padrao', ref: expect.stringMatching(uuidV4) },
      arquivo: 'remessa.rem',
      createdAt: '2026-01-05T12:00:00.000Z',
    });
    const id = String(json['id']);
    caller.sandbox.clock.advance(1000);
    expect((await caller.operation(id)).json).toMatchObject({
      id,
      status: 'processing',
      startedAt: '2026-01-05T12:00:01.000Z',
    });
    caller.sandbox.clock.advance(2000);
    expect((await caller.operation(id)).json).toMatchObject({
      status: 'completed',
      finishedAt: '2026-01-05T12:00:03.000Z',
    });
  });

  test.each([200, 201, 202] as const)('answers an upload with %i when told to', async (status) => {
    caller.configure({ successStatus: status });
    expect((await caller.upload()).status).toBe(status);
  });

  test('the bytes uploaded are told by their sum, and an operation begun twice shows', async () => {
    const file = cnabFile({ lineEnd: '\r\n' });
    await caller.upload({ file: { bytes: file, fileName: 'a b.rem' } });
    await caller.operation(await caller.analysed({ file: { bytes: file, fileName: 'again.rem' } }));
    expect(caller.sandbox.credit.received()[0]).toMatchObject({
      parts: [{ name: 'file', fileName: 'a b.rem', bytes: file.length, sha256: sha256(file) }],
      accepted: true,
    });
    expect(caller.sandbox.credit.counts()).toEqual([
      {
        fileSha256: sha256(file),
        fileName: 'a b.rem',
        xmlsSha256: null,
        engineId: expect.any(String),
        requested: 2,
        started: 2,
        polls: 1,
        results: 0,
      },
    ]);
  });

  test.each([409, 404, 425, 202, 204] as const)(
    'a result that is not ready answers %i when told to',
    async (status) => {
      caller.configure({ notReadyStatus: status });
      const { json } = await caller.upload();
      expect((await caller.result(String(json['id']))).status).toBe(status);
    },
  );

  test('a result may be late after the status is done', async () => {
    caller.configure({ resultDelayMs: [500, 500] });
    const id = await caller.analysed();
    expect((await caller.operation(id)).json['status']).toBe('completed');
    expect((await caller.result(id)).json).toMatchObject({
      status: 409,
      title: 'result not ready',
    });
    caller.sandbox.clock.advance(500);
    expect((await caller.result(id)).status).toBe(200);
  });

  test('every entity of the tree has the fields of the document', async () => {
    const id = await caller.analysed({ file: soundFile({ receivables: 10 }) });
    const tree = (await caller.result(id, '?filter=all')).json as unknown as Tree;
    expect(Object.keys(tree)).toEqual([
      'operationId',
      'engineId',
      'engineName',
      'timestamp',
      'cedente',
      'summary',
    ]);
    expect(tree).toMatchObject({
      operationId: id,
      engineName: 'Padrao',
      timestamp: '2026-01-05T12:00:03.000Z',
    });
    const { sacados, ...cedente } = tree.cedente;
    expect(cedente).toEqual({
      id: expect.stringMatching(uuidV4),
      cnpj: testAssignor.document,
      razaoSocial: testAssignor.name,
      status: 'approved',
      issues: [],
    });
    const [first, ...rest] = sacados;
    expect(first).toEqual({
      id: expect.stringMatching(uuidV4),
      cnpjCpf: expect.stringMatching(/^\d{14}$/),
      razaoSocial: 'COMPRADORA INVENTADA 500 SA',
      tipo: 'PJ',
      status: 'approved',
      issues: [],
      titulos: [
        {
          id: expect.stringMatching(uuidV4),
          numero: '0000001/1',
          valor: 1000,
          dataVencimento: '2031-01-01',
          nfeChave: expect.stringMatching(/^\d{44}$/),
          status: 'approved',
          issues: [],
        },
      ],
    });
    expect(rest.at(-1)).toMatchObject({ tipo: 'PF', cnpjCpf: expect.stringMatching(/^\d{11}$/) });
    const ids = [
      tree.cedente.id,
      ...sacados.flatMap(({ id: each, titulos }) => [each, ...titulos.map((titulo) => titulo.id)]),
    ];
    expect(new Set(ids).size).toBe(21);
  });

  test('an issue has the fields of the document, all of its detail as text', async () => {
    const file = soundFile();
    const tree = await caller.treeOf({ file }, { valor_maximo: { threshold: 1000 } });
    const [issue] = tree.cedente.sacados[1]?.titulos[0]?.issues ?? [];
    expect(issue).toEqual({
      ruleId: 'valor_maximo',
      ruleName: 'Valor maximo',
      category: 'blocking',
      status: 'blocked',
      message: expect.any(String),
      detail: { field: 'valor', actual: '1079.19', expected: '<= 1000', threshold: '1000' },
      dataSource: 'cnab',
    });
  });

  test('statuses roll up, and the summary counts and adds the titulos', async () => {
    const tree = await caller.treeOf(
      { file: soundFile({ receivables: 3 }) },
      {
        valor_maximo: { threshold: 1100 },
        valor_minimo: { threshold: 1050, severity: 'alert' },
      },
    );
    expect(tree.cedente.sacados.map(({ status }) => status)).toEqual([
      'alerted',
      'approved',
      'blocked',
    ]);
    expect(tree.cedente.status).toBe('blocked');
    expect(tree.summary).toEqual({
      totalTitulos: 3,
      approved: 1,
      blocked: 1,
      alerted: 1,
      totalValue: 3237.57,
      approvedValue: 1079.19,
      blockedValue: 1158.38,
      alertedValue: 1000,
      sacados: { total: 3, withIssues: 2 },
      cedente: { status: 'blocked' },
    });
  });

  test('filter=issues, also when it is left out, shows blocked and alerted entities alone', async () => {
    const engineId = await caller.createEngine({ valor_maximo: { threshold: 1100 } });
    const id = await caller.analysed({ file: soundFile({ receivables: 3 }), engineId });
    const issues = (await caller.result(id, '?filter=issues')).json as unknown as Tree;
    expect((await caller.result(id)).json).toEqual(issues);
    expect(issues.cedente.sacados).toHaveLength(1);
    expect(issues.cedente.sacados[0]?.titulos).toMatchObject([{ status: 'blocked' }]);
    const all = (await caller.result(id, '?filter=all')).json as unknown as Tree;
    expect(all.cedente.sacados).toHaveLength(3);
    expect(all.summary).toEqual(issues.summary);
    expect(all.cedente.sacados).toContainEqual(issues.cedente.sacados[0]);
  });

  test('include=evidence is accepted and changes nothing', async () => {
    const id = await caller.analysed();
    const plain = await caller.result(id, '?filter=all');
    const evidence = await caller.result(id, '?filter=all&include=evidence');
    expect(evidence.status).toBe(200);
    expect(evidence.json).toEqual(plain.json);
  });

  test.each(['?filter=none', '?filter=', '?include=all', '?filter=all&filter=all', '?page=2'])(
    'refuses a result asked for with %s',
    async (query) => {
      const { status, headers } = await caller.result(await caller.analysed(), query);
      expect(status).toBe(400);
      expect(headers['content-type']).toMatch(/^application\/problem\+json/);
    },
  );

  test.each([
    ['not-a-uuid', 400],
    ['8e3d0a52-93a5-4b0c-a3b8-1b9c1d1a7a11', 404],
  ])('an operation %s is refused with %i', async (id, status) => {
    expect((await caller.operation(id)).status).toBe(status);
    expect((await caller.result(id)).status).toBe(status);
  });

  test('an engine that is changed or removed later does not change what began under it', async () => {
    const engineId = await caller.createEngine({ valor_maximo: { threshold: 1 } });
    const id = await caller.analysed({ engineId });
    await caller.call('PUT', `/v1/engines/${engineId}`, { body: { rules: {} } });
    await caller.call('DELETE', `/v1/engines/${engineId}`);
    const tree = (await caller.result(id)).json as unknown as Tree;
    expect(new Set(rulesThatSpoke(tree))).toEqual(new Set(['valor_maximo']));
  });

  test.each([
    ['failed', 'failed', 409],
    ['never_settles', 'processing', 409],
    ['no_result', 'completed', 409],
    ['completed', 'completed', 200],
  ] as const)('ending %s shows %s, and its result answers %i', async (end, word, status) => {
    caller.configure({ files: { 'remessa.rem': { end } } });
    const id = await caller.analysed();
    caller.sandbox.clock.advance(86_400_000);
    expect((await caller.operation(id)).json['status']).toBe(word);
    expect((await caller.result(id)).status).toBe(status);
  });

  test('a failed operation tells why, in the words of the scenario', async () => {
    const failure = { code: 'layout', message: 'Ilegivel.' };
    caller.configure({ files: { '*': { end: [{ kind: 'failed', times: 1 }], failure } } });
    expect((await caller.operation(await caller.analysed())).json['error']).toEqual(failure);
    expect((await caller.operation(await caller.analysed())).json).not.toHaveProperty('error');
  });

  test('the same seed gives the same ids and bytes again', async () => {
    const id = await caller.analysed();
    const other = await startCreditCaller();
    try {
      expect(await other.analysed()).toBe(id);
      const bytes = (await other.result(id, '?filter=all')).bytes;
      expect(bytes.equals((await caller.result(id, '?filter=all')).bytes)).toBe(true);
    } finally {
      await other.close();
    }
  });

  test('beyond its capacity it refuses rather than forgets', async () => {
    const small = await startCreditCaller({ capacity: 1 });
    try {
      await small.upload();
      expect((await small.upload()).status).toBe(507);
    } finally {
      await small.close();
    }
  });

  test('lets through as many calls a second as the scenario says', async () => {
    caller.configure({ rateLimitPerSecond: 1 });
    expect((await caller.upload()).status).toBe(202);
    const refused = await caller.upload();
    expect(refused.status).toBe(429);
    expect(refused.headers['retry-after']).toBe('1');
    caller.sandbox.clock.advance(1000);
    expect((await caller.upload()).status).toBe(202);
  });
});

describe('the token of the credit sandbox', () => {
  const secret = 'very-secret-credit-token';
  let caller: CreditCaller;
  beforeEach(async () => {
    caller = await startCreditCaller({ creditToken: secret });
  });
  afterEach(() => caller.close());

  const id = '8e3d0a52-93a5-4b0c-a3b8-1b9c1d1a7a11';
  test.each([
    ['POST', '/v1/operations'],
    ['GET', `/v1/operations/${id}`],
    ['GET', `/v1/operations/${id}/result`],
    ['GET', '/v1/engines'],
    ['POST', '/v1/engines'],
    ['GET', `/v1/engines/${id}`],
    ['PUT', `/v1/engines/${id}`],
    ['DELETE', `/v1/engines/${id}`],
  ])('%s %s needs a bearer token', async (method, path) => {
    for (const token of [null, 'sandbox-token']) {
      const { status, headers, json } = await caller.call(method, path, { token });
      expect(status).toBe(401);
      expect(headers['content-type']).toMatch(/^application\/problem\+json/);
      expect(json).toEqual({
        type: expect.stringMatching(/\/unauthorized$/),
        title: 'unauthorized',
        status: 401,
        detail: expect.any(String),
        instance: `/credit/api/v1${path}`,
      });
    }
  });

  test('a token in the query is refused and kept nowhere', async () => {
    const reply = await caller.call('GET', `/v1/engines?token=${secret}`, { token: null });
    expect(reply.status).toBe(401);
    expect(JSON.stringify(caller.sandbox.credit.received())).not.toContain(secret);
  });

  test('the specification is served without a token', async () => {
    expect((await caller.call('GET', '/v1/openapi.json', { token: null })).status).toBe(200);
    expect(caller.sandbox.credit.received()).toMatchObject([{ hasAuthorization: false }]);
  });

  test('can be revoked and restored while running, apart from the other one', async () => {
    caller.sandbox.credit.setToken(secret, false);
    expect((await caller.upload({}, { token: secret })).status).toBe(401);
    expect(caller.sandbox.credit.counts()).toEqual([]);
    caller.sandbox.credit.setToken(secret, true);
    expect((await caller.upload({}, { token: secret })).status).toBe(202);
  });
});

describe('the control routes of the credit sandbox', () => {
  test('show what is held, received and counted, and begin again', async () => {
    const caller = await startCreditCaller();
    const control = async (method: string, name: string, body?: unknown) => {
      const answer = await fetch(`${caller.sandbox.origin}/_sandbox/${name}`, {
        method,
        ...(body === undefined
          ? {}
          : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      });
      return answer.json();
    };
    try {
      const id = await caller.analysed();
      caller.sandbox.clock.advance(untilDoneMs);
      expect(await control('GET', 'credit/state')).toMatchObject({
        operations: [{ ending: 'completed', operation: { id } }],
        engines: [{ isTemplate: true }, {}, {}],
      });
      expect(await control('GET', 'credit/received')).toHaveLength(1);
      expect(await control('GET', 'credit/counts')).toMatchObject([{ started: 1 }]);
      await control('DELETE', 'credit/received');
      expect(await control('GET', 'credit/received')).toEqual([]);
      const token = 'credit-sandbox-token';
      await control('PUT', 'credit/token', { token, valid: false });
      expect((await caller.upload()).status).toBe(401);
      await control('PATCH', 'scenario', { credit: { files: { x: { end: 'failed' } } } });
      expect(caller.sandbox.scenario().credit.files).toHaveProperty('x');
      await control('POST', 'reset');
      expect(caller.sandbox.credit.state().operations).toEqual([]);
      expect(caller.sandbox.scenario().credit.files).toEqual({});
      expect((await caller.upload()).status).toBe(202);
    } finally {
      await caller.close();
    }
  });
});
