import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { CreditAssumptions } from '../../src/apis/assumptions';
import { creditApi, type CreditApi } from '../../src/apis/credit/credit';
import { UnsendableUploadError, type Upload } from '../../src/apis/credit/operations';
import { operationFromWire } from '../../src/apis/credit/operations.wire';
import { readAnalysis } from '../../src/apis/credit/result.wire';
import { SpecificationApi } from '../../src/apis/credit/specification';
import {
  ConnectionError,
  ContractError,
  StatusError,
  TimeoutError,
} from '../../src/apis/http/errors';
import { Service } from '../../src/apis/http/service';
import { Token } from '../../src/apis/http/token';
import type { ResultFilter } from '../../src/domain/credit/job';
import type { SandboxOptions } from '../../src/sandbox';
import { examineCredit, namesFinding } from '../../src/doctor/credit';
import { readEnvironment } from '../../src/environment';
import { cnabFile, writeCnabFile } from '../support/cnab-files';
import { invoiceXml, testInvoice } from '../support/invoice-files';
import { LoopbackServer, sendJson } from '../support/loopback-server';
import { zipFile } from '../support/zip-files';
import {
  soundFile,
  startCreditCaller,
  untilDoneMs,
  type CreditCaller,
  type Issue,
  type Tree,
} from '../unit/sandbox/credit-caller';
import { sized } from '../support/full-size';

const token = 'credit-sandbox-token';
const nothingConfigured: CreditAssumptions = {
  filePart: null,
  enginePart: null,
  idField: null,
  statusField: null,
  failedStatuses: null,
};
const renamed: SandboxOptions['creditNames'] = {
  filePart: 'remessa',
  enginePart: 'motor',
  idField: 'protocolo',
  statusField: 'situacao',
  words: {
    queued: 'na_fila',
    processing: 'em_analise',
    completed: 'concluida',
    failed: 'quebrada',
  },
  engineList: 'itens',
};

let caller: CreditCaller;
let service: Service;
let api: CreditApi;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'diligence-credit-'));
});
afterAll(() => rm(folder, { recursive: true }));
afterEach(() => stop());

async function start(
  options: SandboxOptions = {},
  configured: Partial<CreditAssumptions> = {},
  timeoutMs = 10_000,
): Promise<void> {
  caller = await startCreditCaller(options);
  service = new Service({
    baseUrl: caller.sandbox.creditBaseUrl,
    token: Token.of(token),
    ratePerSecond: 10_000,
  });
  api = creditApi(service, { ...nothingConfigured, ...configured }, timeoutMs);
}

async function stop(): Promise<void> {
  await service.close();
  await caller.close();
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const held = (bytes: Buffer, name = 'remessa.rem') => ({
  name,
  bytes: bytes.length,
  read: () => Readable.from([bytes]),
});
const onDisk = (path: string, name: string) => ({
  name,
  bytes: statSync(path).size,
  read: () => createReadStream(path),
});
const upload = (more: Partial<Upload> = {}): Upload => ({
  cnab: held(soundFile()),
  xmls: null,
  engineId: null,
  ...more,
});

async function begin(more: Partial<Upload> = {}): Promise<string> {
  return api.operations.startOperation(
    await api.operations.prepareUpload(upload(more)),
    async () => {},
  );
}

const failureOf = async (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error: unknown) => error,
  );
const received = (path: string) =>
  caller.sandbox.credit.received().filter((entry) => entry.path.endsWith(path));
const uploads = () => received('/v1/operations');
const status = async (id: string) => (await api.operations.readOperation(id, 'poll')).operation;
const result = (id: string, filter: ResultFilter) =>
  api.operations.takeResult(id, filter, wholeTree, 'interactive');

async function wholeTree(body: AsyncIterable<Buffer>) {
  const receivables: string[] = [];
  const call = { method: 'GET', pathTemplate: 'the test' };
  const analysis = await readAnalysis(call, body, {
    receivable: ({ number, status: word }) => receivables.push(`${number} ${word}`),
  });
  return { analysis, receivables };
}

describe('an operation', () => {
  test('goes from upload to both results', async () => {
    await start();
    const engine = await api.engines.create({ name: 'Motor', rules: {} });
    const id = await begin({ engineId: engine.id });
    expect(await status(id)).toEqual({
      operationId: id,
      state: 'unsettled',
      statusWord: 'queued',
      isUnknownWord: false,
      failure: null,
    });
    expect(await result(id, 'all')).toEqual({ notYet: 409 });
    caller.sandbox.clock.advance(untilDoneMs);
    const all = await result(id, 'all');
    expect(all).toMatchObject({
      taken: {
        analysis: { operationId: id, engineId: engine.id, engineName: 'Motor' },
        receivables: [/approved/, /approved/, /approved/, /approved/].map((word) =>
          expect.stringMatching(word),
        ),
      },
    });
    expect(await result(id, 'issues')).toMatchObject({ taken: { receivables: [] } });
    const asked = received('/result').map(({ query }) => query);
    expect(asked).toEqual([{ filter: 'all' }, { filter: 'all' }, { filter: 'issues' }]);
  });

  test('carries the bytes of both files as they are, streamed from the disk', async () => {
    await start();
    const path = join(folder, 'large.rem');
    await writeCnabFile(path, { receivables: 5_000 });
    const zip = zipFile([{ name: 'nfe.xml', content: invoiceXml(testInvoice()) }]);
    const zipPath = join(folder, 'notas.zip');
    await writeFile(zipPath, zip);
    await begin({
      cnab: onDisk(path, 'remessa ação.rem'),
      xmls: onDisk(zipPath, 'notas.zip'),
    });
    expect(uploads()[0]?.parts).toEqual([
      expect.objectContaining({
        name: 'file',
        fileName: 'remessa ação.rem',
        sha256: sha256(await readFile(path)),
      }),
      expect.objectContaining({ name: 'xmls', fileName: 'notas.zip', sha256: sha256(zip) }),
    ]);
  });

  test('carries bytes that are held, and the engine as a field', async () => {
    await start();
    const file = soundFile();
    const [engine] = await api.engines.list();
    await begin({ cnab: held(file), engineId: engine?.id ?? '' });
    expect(uploads()[0]?.parts).toMatchObject([
      { name: 'file', sha256: sha256(file) },
      { name: 'engineId', fileName: null, sha256: sha256(Buffer.from(engine?.id ?? '')) },
    ]);
  });

  test('sends the bearer token with everything but the document', async () => {
    await start();
    const id = await begin();
    await status(id);
    await result(id, 'all');
    await api.engines.list();
    const sent = caller.sandbox.credit
      .received()
      .map(({ method, path, hasAuthorization }) => [
        method,
        path.split('/v1/v1')[1],
        hasAuthorization,
      ]);
    expect(sent).toEqual([
      ['GET', '/openapi.json', false],
      ['POST', '/operations', true],
      ['GET', `/operations/${id}`, true],
      ['GET', `/operations/${id}/result`, true],
      ['GET', '/engines', true],
    ]);
  });

  test('that failed says so, with its reason', async () => {
    await start({ scenario: { credit: { files: { '*': { end: 'failed' } } } } });
    const id = await begin();
    caller.sandbox.clock.advance(untilDoneMs);
    expect(await status(id)).toMatchObject({
      state: 'failed',
      statusWord: 'failed',
      failure: { code: 'analysis_failed', message: expect.any(String) },
    });
  });

  test('with a status word nobody knows is unsettled, and says that it is unknown', async () => {
    await start({ scenario: { credit: { files: { '*': { status: ['unknown_status'] } } } } });
    expect(await status(await begin())).toMatchObject({
      state: 'unsettled',
      statusWord: 'aguardando_revisao',
      isUnknownWord: true,
    });
  });

  test.each([202, 204, 404, 409, 425] as const)(
    'whose result answers %i is not ready yet',
    async (notReadyStatus) => {
      await start({ scenario: { credit: { notReadyStatus } } });
      expect(await result(await begin(), 'all')).toEqual({ notYet: notReadyStatus });
    },
  );

  test.each([200, 201, 202] as const)('is accepted by %i', async (successStatus) => {
    await start({ scenario: { credit: { successStatus } } });
    expect(caller.sandbox.credit.state().operations).toHaveLength(0);
    const id = await begin();
    expect(caller.sandbox.credit.state().operations[0]?.operation['id']).toBe(id);
  });

  test('with tens of thousands of titulos is read without being held', async () => {
    const titulos = sized(6_000, 50_000);
    await start({}, {}, 60_000);
    const path = join(folder, 'fifty.rem');
    await writeCnabFile(path, { receivables: titulos });
    const id = await begin({ cnab: onDisk(path, 'fifty.rem') });
    caller.sandbox.clock.advance(untilDoneMs);
    let largest = 0;
    let bytes = 0;
    let receivables = 0;
    async function* measured(body: AsyncIterable<Buffer>) {
      for await (const chunk of body) {
        largest = Math.max(largest, chunk.length);
        bytes += chunk.length;
        yield chunk;
      }
    }
    const told = await api.operations.takeResult(
      id,
      'all',
      (body) =>
        readAnalysis({ method: 'GET', pathTemplate: 'the test' }, measured(body), {
          receivable: () => (receivables += 1),
        }),
      'poll',
    );
    expect(receivables).toBe(titulos);
    expect(told).toMatchObject({ taken: { summary: { receivables: titulos } } });
    expect(bytes).toBeGreaterThan(titulos * 100);
    expect(largest).toBeLessThan(bytes / 5);
  }, 120_000);
});

describe('names', () => {
  test('that are changed are found, with nothing configured', async () => {
    await start({
      creditNames: renamed,
      scenario: {
        credit: { files: { '*': { end: [{ kind: 'failed', times: 1 }, 'completed'] } } },
      },
    });
    const { document, names } = await api.specification.names();
    expect(document).toBe('read');
    expect(names).toMatchObject({
      filePart: { name: 'remessa', source: 'document' },
      enginePart: { name: 'motor', source: 'document' },
      idFields: [{ name: 'protocolo', source: 'document' }],
      statusField: { name: 'situacao', source: 'document' },
      unknownRequired: [],
    });
    const engine = await api.engines.create({ name: 'Motor', rules: {} });
    expect((await api.engines.list()).map(({ name }) => name)).toContain('Motor');
    const failing = await begin({ engineId: engine.id });
    expect(await status(failing)).toMatchObject({ statusWord: 'na_fila', isUnknownWord: false });
    const good = await begin({ engineId: engine.id });
    caller.sandbox.clock.advance(untilDoneMs);
    expect(await status(failing)).toMatchObject({ state: 'failed', statusWord: 'quebrada' });
    expect(await status(good)).toMatchObject({ state: 'unsettled', statusWord: 'concluida' });
    expect(await result(good, 'all')).toMatchObject({
      taken: { analysis: { engineId: engine.id } },
    });
  });

  test.each(['silent', 'none'] as const)(
    'are assumed where the document is %s',
    async (document) => {
      await start({ creditNames: { document } });
      expect((await api.specification.names()).document).toBe(
        document === 'none' ? 'absent' : 'silent',
      );
      const id = await begin();
      caller.sandbox.clock.advance(untilDoneMs);
      expect(await status(id)).toMatchObject({ statusWord: 'completed', isUnknownWord: false });
      expect(await result(id, 'all')).toHaveProperty('taken');
    },
  );

  test('that are configured serve where a silent document leaves them open', async () => {
    await start(
      { creditNames: { ...renamed, document: 'silent' } },
      {
        filePart: 'remessa',
        enginePart: 'motor',
        idField: 'protocolo',
        statusField: 'situacao',
        failedStatuses: ['Quebrada'],
      },
    );
    caller.configure({ files: { '*': { end: 'failed' } } });
    const [engine] = await api.engines.list();
    const id = await begin({ engineId: engine?.id ?? '' });
    caller.sandbox.clock.advance(untilDoneMs);
    expect(await status(id)).toMatchObject({ state: 'failed', statusWord: 'quebrada' });
  });

  test.each<[string, SandboxOptions['creditNames'], Partial<Upload>, string, RegExp]>([
    [
      'a part that we do not know',
      { requiredPart: 'contrato' },
      {},
      'unknown_part',
      /"contrato".*nothing was sent/,
    ],
    ['an engine', { engineRequired: true }, {}, 'engine_required', /"engineId".*nothing was sent/],
  ])(
    '%s that is required and not there is told before anything is sent',
    async (_, creditNames, more, code, says) => {
      await start({ creditNames });
      const error = await failureOf(begin(more));
      expect(error).toBeInstanceOf(UnsendableUploadError);
      expect(error).toMatchObject({ code, message: expect.stringMatching(says) });
      expect(uploads()).toEqual([]);
    },
  );

  test('are read once, and then asked for by their ETag', async () => {
    await start();
    let now = 0;
    const specification = new SpecificationApi(service, nothingConfigured, 5_000, () => now);
    const first = await specification.names();
    expect(await specification.names()).toBe(first);
    expect(received('/openapi.json')).toHaveLength(1);
    now += 3_600_000;
    expect(await specification.names()).toBe(first);
    specification.distrust();
    expect(await specification.names()).toBe(first);
    expect(received('/openapi.json').map(({ status: answered }) => answered)).toEqual([
      200, 304, 304,
    ]);
  });

  test.each(['503', '500_html', 'reset_after', 'cut_answer'] as const)(
    'are not guessed when the document is struck by %s: nothing is sent until it can be had',
    async (fault) => {
      await start({ creditNames: renamed });
      caller.configure({ calls: { specification: [{ kind: fault, retryAfterSeconds: 0 }] } });
      expect(await failureOf(begin())).not.toBeNull();
      expect(uploads()).toEqual([]);
      await begin();
      expect(uploads()).toHaveLength(1);
    },
  );

  test('are read again after a page that stood in place of the document once', async () => {
    await start({ creditNames: renamed });
    caller.configure({ calls: { specification: ['unreadable_2xx'] } });
    await begin();
    expect(uploads()).toHaveLength(1);
  });

  test('are assumed where a page stands in place of the document for good', async () => {
    await start();
    caller.configure({ calls: { specification: [{ kind: 'unreadable_2xx', times: 'forever' }] } });
    await begin();
    expect(uploads()).toHaveLength(1);
    const { state, detail } = namesFinding(await api.specification.names());
    expect(state).toBe('warn');
    expect(detail).toMatch(/what it publishes as its OpenAPI document is none.*"file" \(assumed\)/);
  });

  test('are not guessed while every address answers with a page', async () => {
    await start();
    const page = { kind: 'unreadable_2xx', times: 'forever' } as const;
    caller.configure({ calls: { specification: [page], engine_list: [page] } });
    expect(await failureOf(begin())).toBeInstanceOf(ContractError);
    expect(uploads()).toEqual([]);
  });

  test.each<[401 | 404, RegExp]>([
    [401, /refuses us its OpenAPI document/],
    [404, /publishes no OpenAPI document/],
  ])(
    'are assumed where the document is answered with %i, and the doctor tells',
    async (answered, words) => {
      await start();
      const server = await LoopbackServer.start((_, response) => sendJson(response, answered, {}));
      const only = new Service({
        baseUrl: server.origin,
        token: Token.of('t'),
        ratePerSecond: 100,
      });
      const names = await new SpecificationApi(only, nothingConfigured, 5_000).names();
      expect(namesFinding(names)).toMatchObject({
        state: 'warn',
        detail: expect.stringMatching(words),
      });
      await only.close();
      await server.close();
    },
  );

  test('read before serve while the document cannot be had', async () => {
    await start({ creditNames: renamed });
    const first = await api.specification.names();
    api.specification.distrust();
    caller.configure({ calls: { specification: ['reset_before'] } });
    expect(await api.specification.names()).toBe(first);
  });

  test('all configured, a document that cannot be had stops nothing', async () => {
    const configured = {
      filePart: 'file',
      enginePart: 'engineId',
      idField: 'id',
      statusField: 'status',
    };
    await start({}, configured);
    caller.configure({ calls: { specification: [{ kind: '500_html', times: 'forever' }] } });
    expect(await api.specification.names()).toMatchObject({ document: 'unreachable' });
    await begin();
    expect(uploads()).toHaveLength(1);
  });
});

describe('an upload that goes wrong', () => {
  test.each<[string, string, object, boolean]>([
    ['429', 'StatusError', { status: 429, retryAfterMs: 1_000 }, false],
    ['503', 'StatusError', { status: 503 }, false],
    ['413', 'StatusError', { status: 413, code: 'file_too_large' }, false],
    ['400_refused', 'StatusError', { status: 400, hasProblem: true }, false],
    ['401', 'StatusError', { status: 401, meansCredentials: true }, false],
    ['redirect', 'StatusError', { status: 302 }, false],
    ['504_after', 'StatusError', { status: 504, hasProblem: false }, true],
    ['reset_before', 'ConnectionError', { sent: 'maybe' }, false],
    ['reset_after', 'ConnectionError', { sent: 'maybe' }, true],
    ['cut_answer', 'ConnectionError', { sent: 'maybe' }, true],
    ['no_answer', 'TimeoutError', { sent: 'maybe' }, true],
    ['unreadable_2xx', 'ContractError', {}, true],
    ['missing_id', 'ContractError', { issues: [{ path: 'id', code: 'missing_id' }] }, true],
  ])('%s is told as a %s, and it is sent once', async (fault, name, fields, started) => {
    await start({}, {}, fault === 'no_answer' ? 600 : 5_000);
    caller.configure({ files: { '*': { upload: [fault as '429'] } } });
    const error = await failureOf(begin());
    expect(error).toMatchObject({ ...fields, name });
    expect(uploads()).toHaveLength(1);
    expect(caller.sandbox.credit.state().operations).toHaveLength(started ? 1 : 0);
  });

  test('nothing is sent when the caller says no at the last moment', async () => {
    await start();
    const prepared = await api.operations.prepareUpload(upload());
    const late = new Error('too late');
    const error = await failureOf(
      api.operations.startOperation(prepared, () => {
        throw late;
      }),
    );
    expect(error).toBe(late);
    expect(uploads()).toEqual([]);
  });

  test('a refused connection is surely not sent', async () => {
    await start();
    const prepared = await api.operations.prepareUpload(upload());
    await stop();
    const error = await failureOf(api.operations.startOperation(prepared, async () => {}));
    expect(error).toBeInstanceOf(ConnectionError);
    await start();
  });
});

describe('a read that goes wrong', () => {
  test('an answer about another operation is not taken', async () => {
    await start();
    const [one, other] = [
      await begin(),
      await begin({ cnab: held(soundFile({ receivables: 3 })) }),
    ];
    const { names } = await api.specification.names();
    const { answer } = await api.operations.readOperation(other, 'poll');
    const call = { method: 'GET', pathTemplate: '/v1/operations/{id}' };
    const reading = () => operationFromWire(call, names, one, Buffer.from(JSON.stringify(answer)));
    expect(reading).toThrow(ContractError);
  });

  test('an unknown operation is 404', async () => {
    await start();
    const error = await failureOf(status('00000000-0000-4000-8000-000000000000'));
    expect(error).toBeInstanceOf(StatusError);
    expect(error).toMatchObject({ status: 404, code: 'operation_not_found' });
  });

  test.each<[string, new (...args: never[]) => Error]>([
    ['cut_answer', ConnectionError],
    ['reset_after', ConnectionError],
    ['unreadable_2xx', ContractError],
    ['no_answer', TimeoutError],
    ['500_html', StatusError],
  ])('a result struck by %s is no result, and comes whole the next time', async (fault, type) => {
    await start();
    const patient = api;
    const id = await begin();
    caller.sandbox.clock.advance(untilDoneMs);
    caller.configure({ files: { '*': { result: [fault as '503'] } } });
    if (fault === 'no_answer') api = creditApi(service, nothingConfigured, 200);
    expect(await failureOf(result(id, 'all'))).toBeInstanceOf(type);
    api = patient;
    expect(await result(id, 'all')).toMatchObject({ taken: { receivables: { length: 4 } } });
  });
});

describe('what the doctor tells of the names', () => {
  const finding = async () => namesFinding(await api.specification.names());

  test('those that the document has', async () => {
    await start({ creditNames: { ...renamed, engineRequired: true } });
    const { state, detail } = await finding();
    expect(state).toBe('ok');
    expect(detail).toContain(
      'file part "remessa" (from the document), engine part "motor" (from the document), required',
    );
    expect(detail).toContain('id "protocolo" (from the document), status "situacao"');
  });

  test('those that are assumed, with the variables that set them', async () => {
    await start({ creditNames: { document: 'silent' } }, { idField: 'id' });
    expect(await finding()).toEqual({
      check: 'credit names',
      state: 'warn',
      detail: expect.stringMatching(
        /tells no names; file part "file" \(assumed\).*id "id" \(configured\)/,
      ),
      fix: expect.stringMatching(/credit\.filePart, credit\.enginePart, credit\.statusField$/),
    });
  });

  test('a part that we do not know is a failure', async () => {
    await start({ creditNames: { requiredPart: 'contrato' } });
    expect(await finding()).toMatchObject({
      state: 'fail',
      detail: expect.stringContaining('"contrato"'),
    });
  });

  test('the service, its token, and a base address that is not the documented one', async () => {
    await start();
    const settings = { rps: 1, timeoutMs: 5_000, baseUrl: caller.sandbox.creditBaseUrl };
    const examined = (credit: object) =>
      examineCredit({
        ...readEnvironment({}),
        credit: { ...settings, token: { value: token }, ...credit },
      });
    expect(await examined({})).toMatchObject([{ state: 'ok' }, { state: 'ok' }]);
    const [refused] = await examined({ token: { value: 'another-token' } });
    expect(refused).toMatchObject({ state: 'fail', fix: expect.stringContaining('CREDIT_TOKEN') });
    const [astray] = await examined({ baseUrl: settings.baseUrl.replace('/api/v1', '') });
    expect(astray).toMatchObject({
      state: 'fail',
      fix: expect.stringContaining('ends in /api/v1'),
    });
    expect(await examineCredit(readEnvironment({}))).toMatchObject([{ state: 'ok' }]);
  });
});

describe('sandbox and client agree', () => {
  const issueInOurWords = (issue: Issue) => ({
    ruleId: issue.ruleId,
    ruleName: issue.ruleName,
    category: issue.category,
    status: issue.status,
    message: issue.message,
    field: issue.detail.field,
    actual: issue.detail.actual || null,
    expected: issue.detail.expected,
    threshold: issue.detail.threshold || null,
    source: issue.dataSource,
  });

  test('on every field of the tree', async () => {
    await start();
    const id = await begin({ cnab: held(cnabFile({ receivables: 30 })) });
    caller.sandbox.clock.advance(untilDoneMs);
    const tree = (await caller.result(id, '?filter=all')).json as unknown as Tree;
    const payers: unknown[] = [];
    const receivables: unknown[] = [];
    const told = await api.operations.takeResult(
      id,
      'all',
      (body) =>
        readAnalysis({ method: 'GET', pathTemplate: 'the test' }, body, {
          payer: (payer) => payers.push(payer),
          receivable: (receivable) => receivables.push(receivable),
        }),
      'poll',
    );
    const { cedente, summary } = tree;
    const titulos = cedente.sacados.flatMap((sacado) => sacado.titulos);
    expect(titulos.flatMap(({ issues }) => issues).length).toBeGreaterThan(0);
    expect(payers).toEqual(
      cedente.sacados.map((sacado) => ({
        id: sacado.id,
        document: sacado.cnpjCpf,
        name: sacado.razaoSocial,
        kind: sacado.tipo,
        status: sacado.status,
        issues: sacado.issues.map(issueInOurWords),
      })),
    );
    expect(receivables).toEqual(
      titulos.map((titulo) => ({
        id: titulo.id,
        number: titulo.numero,
        value: titulo.valor,
        dueOn: titulo.dataVencimento,
        invoiceKey: titulo.nfeChave || null,
        status: titulo.status,
        issues: titulo.issues.map(issueInOurWords),
      })),
    );
    expect(told).toEqual({
      taken: {
        operationId: tree.operationId,
        engineId: tree.engineId,
        engineName: tree.engineName,
        timestamp: tree.timestamp,
        assignor: {
          id: cedente.id,
          document: cedente.cnpj || null,
          name: cedente.razaoSocial,
          status: cedente.status,
          issues: cedente.issues.map(issueInOurWords),
        },
        summary: {
          receivables: summary['totalTitulos'],
          approved: summary['approved'],
          blocked: summary['blocked'],
          alerted: summary['alerted'],
          totalValue: summary['totalValue'],
          approvedValue: summary['approvedValue'],
          blockedValue: summary['blockedValue'],
          alertedValue: summary['alertedValue'],
          payers: (summary['sacados'] as { total: number }).total,
          payersWithIssues: (summary['sacados'] as { withIssues: number }).withIssues,
          assignorStatus: (summary['cedente'] as { status: string }).status,
        },
      },
    });
  });

  test('on every field of an engine', async () => {
    await start();
    const [first] = await api.engines.list();
    const { rulesText, ...engine } = await api.engines.read(first?.id ?? '');
    expect(engine).toEqual(caller.sandbox.credit.state().engines[0]);
    expect(JSON.parse(rulesText?.text ?? '')).toEqual(engine.rules);
    const list = caller.sandbox.credit.state().engines.map((one) => ({ ...one, rules: null }));
    expect(await api.engines.list()).toEqual(list);
  });
});
