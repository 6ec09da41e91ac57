import { namesFrom, type CreditNames } from '../../../../src/apis/credit/names';
import { operationFromWire } from '../../../../src/apis/credit/operations.wire';
import { specificationFacts } from '../../../../src/apis/credit/specification.wire';
import type { CreditAssumptions } from '../../../../src/apis/assumptions';

const nothingConfigured: CreditAssumptions = {
  filePart: null,
  enginePart: null,
  idField: null,
  statusField: null,
  failedStatuses: null,
};

const binary = { type: 'string', format: 'binary' };
const uuid = { type: 'string', format: 'uuid' };
const text = { type: 'string' };

interface Described {
  upload?: object;
  answer?: object;
  operation?: object;
  parameters?: object[];
  components?: object;
}

function documentOf({ upload, answer, operation, parameters, components = {} }: Described) {
  const answered = (schema: object | undefined) =>
    schema === undefined
      ? { responses: { default: { description: '' } } }
      : { responses: { '201': { content: { 'application/json': { schema } } } } };
  return {
    openapi: '3.1.0',
    paths: {
      '/v1/engines/{id}/operations': { post: {} },
      '/v1/operations': {
        post: {
          ...(parameters !== undefined && { parameters }),
          ...(upload !== undefined && {
            requestBody: { content: { 'multipart/form-data': { schema: upload } } },
          }),
          ...answered(answer),
        },
      },
      '/v1/operations/{operationId}': { get: answered(operation) },
    },
    components,
  };
}

function namesOf(described: Described, configured: Partial<CreditAssumptions> = {}): CreditNames {
  const facts = specificationFacts(documentOf(described));
  return namesFrom(facts, { ...nothingConfigured, ...configured });
}

const parts = (properties: object, required: string[] = []) => ({ properties, required });

describe('the parts of an upload', () => {
  test.each<[string, object, string, string | null]>([
    ['the only binary one', parts({ a: binary, xmls: binary, b: uuid }), 'a', null],
    [
      'renamed, told by what is said of them',
      parts({ remessa: binary, motor: uuid }),
      'remessa',
      'motor',
    ],
    [
      'two files, one of them CNAB',
      parts({ contrato: binary, lote: { ...binary, description: 'Arquivo CNAB 400' } }),
      'lote',
      null,
    ],
    [
      'as OpenAPI 3.1 marks bytes',
      parts({ lote: { type: 'string', contentMediaType: 'text/plain' }, engine_id: text }),
      'lote',
      'engine_id',
    ],
    [
      'rules chosen by an id',
      parts({ file: binary, conjunto: { ...uuid, description: 'Conjunto de regras' } }),
      'file',
      'conjunto',
    ],
    ['two files alike: nobody can say', parts({ um: binary, dois: binary }), 'file', null],
  ])('%s', (_, upload, file, engine) => {
    const names = namesOf({ upload });
    expect(names.filePart.name).toBe(file);
    expect(names.enginePart?.name ?? null).toBe(engine);
  });

  test('are read through references, allOf and alternatives', () => {
    const names = namesOf({
      upload: { $ref: '#/components/schemas/Up~1load' },
      components: {
        schemas: {
          'Up/load': {
            allOf: [
              { $ref: '#/components/schemas/Base' },
              {
                oneOf: [
                  parts({ motor: uuid, z: text }, ['motor', 'z']),
                  parts({ motor: uuid }, ['motor']),
                ],
              },
            ],
          },
          Base: {
            ...parts({ arquivo: binary }, ['arquivo']),
            allOf: [{ $ref: '#/components/schemas/Up~1load' }],
          },
        },
      },
    });
    expect(names).toMatchObject({
      filePart: { name: 'arquivo', source: 'document' },
      enginePart: { name: 'motor', source: 'document' },
      engineRequired: true,
      unknownRequired: [],
    });
  });

  test('that are required and not ours are told, and so are parameters', () => {
    const names = namesOf({
      upload: parts({ file: binary, contrato: text, xmls: binary }, ['file', 'contrato', 'xmls']),
      parameters: [
        { name: 'tenant', in: 'query', required: true },
        { name: 'Authorization', in: 'header', required: true },
        { name: 'trace', in: 'header' },
      ],
    });
    expect(names).toMatchObject({
      unknownRequired: ['contrato', 'tenant'],
      xmlsRequired: true,
      engineRequired: false,
    });
  });

  test('as configured go before the document, which then requires no other file', () => {
    const upload = parts({ arquivo: binary, motor: uuid }, ['arquivo', 'motor']);
    const names = namesOf({ upload }, { filePart: 'meu', enginePart: 'seu' });
    expect(names).toMatchObject({
      filePart: { name: 'meu', source: 'configured' },
      enginePart: { name: 'seu', source: 'configured' },
      unknownRequired: [],
    });
  });
});

describe('the fields of an operation', () => {
  const words = (...all: string[]) => ({ type: 'string', enum: all });

  test.each<[string, object, string[]]>([
    ['id', parts({ engineId: uuid, id: text }), ['id']],
    ['operationId', parts({ engineId: uuid, operationId: uuid }), ['operationId']],
    ['the only uuid', parts({ protocolo: uuid, motor: uuid, nome: text }), ['protocolo']],
    ['an id without a format', parts({ analise_id: text, nome: text }), ['id', 'operationId']],
    [
      'told in words',
      parts({ ticket: { ...uuid, description: 'Identificador da operação' }, lote: uuid }),
      ['ticket'],
    ],
    ['two alike', parts({ um: uuid, dois: uuid }), ['id', 'operationId']],
  ])('its id: %s', (_, answer, fields) => {
    expect(namesOf({ answer }).idFields.map(({ name }) => name)).toEqual(fields);
  });

  test.each<[string, object, string]>([
    ['status', parts({ status: text, estado: words('a', 'b') }), 'status'],
    ['renamed', parts({ situacao: text, nome: text }), 'situacao'],
    ['the only enumeration', parts({ fim: words('a', 'b'), nome: text }), 'fim'],
    ['nothing like it', parts({ nome: text }), 'status'],
  ])('its status: %s', (_, operation, field) => {
    expect(namesOf({ operation }).statusField.name).toBe(field);
  });

  test.each<[word: string, more: object, state: string, isUnknown: boolean]>([
    ['na_fila', {}, 'unsettled', false],
    ['Falhou', {}, 'failed', false],
    ['REJEITADA', {}, 'failed', false],
    // "quebrada" is on no list of ours.
    ['quebrada', {}, 'unsettled', false],
    ['quebrada', { error: { code: 'x' } }, 'failed', false],
    ['em_analise', { error: { code: 'aviso' } }, 'unsettled', false],
    ['aguardando_revisao', { erro: 'x' }, 'unsettled', true],
  ])('the word %s with %j is %s', (word, more, state, isUnknownWord) => {
    const status = words('na_fila', 'em_analise', 'concluida', 'quebrada', 'falhou');
    const names = namesOf({ operation: parts({ status }) });
    const body = Buffer.from(JSON.stringify({ id: 'o-1', status: word, ...more }));
    const call = { method: 'GET', pathTemplate: '/v1/operations/{id}' };
    expect(operationFromWire(call, names, 'o-1', body)).toMatchObject({
      state,
      statusWord: word,
      isUnknownWord,
    });
  });

  test('words that are configured are all that fail', () => {
    const operation = parts({ status: words('failed', 'ruim', 'bom') });
    const names = namesOf({ operation }, { failedStatuses: ['Ruim'] });
    expect(names).toMatchObject({ failedStatuses: ['ruim'], failedStatusesSource: 'configured' });
  });
});

test.each([null, 7, 'x', [], {}, { paths: 'none' }])('%j is no OpenAPI document', (document) => {
  expect(specificationFacts(document)).toBeNull();
});

test('a document that says nothing leaves every name assumed', () => {
  expect(namesOf({})).toMatchObject({
    filePart: { name: 'file', source: 'assumed' },
    enginePart: { name: 'engineId', source: 'assumed' },
    idFields: [{ name: 'id' }, { name: 'operationId' }],
    statusField: { name: 'status', source: 'assumed' },
    failedStatusesSource: 'assumed',
    unknownRequired: [],
  });
});
