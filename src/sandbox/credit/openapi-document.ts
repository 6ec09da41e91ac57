/** The OpenAPI 3.1 document of what the credit side serves, in the words of its names. */

import type { CreditNames } from './credit-names';

const json = (schema: object) => ({ 'application/json': { schema } });
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const text = { type: 'string' };
const uuid = { type: 'string', format: 'uuid' };
const instant = { type: 'string', format: 'date-time' };
const amount = { type: 'number' };
const count = { type: 'integer' };
const listOf = (items: object) => ({ type: 'array', items });
const object = (properties: object, required: readonly string[] = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
});

export function openApiDocument(names: CreditNames, serverUrl: string): object {
  const isSilent = names.document === 'silent';
  const paths = isSilent ? silentPaths(names) : pathsOf(names);
  return {
    openapi: '3.1.0',
    info: { title: 'Analise de credito (sandbox)', version: '1.0.0' },
    servers: [{ url: serverUrl }],
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      ...(isSilent ? {} : { schemas: schemasOf(names), responses: { Problem: problemAnswer } }),
    },
  };
}

const answered = (description: string, schema: object) => ({
  description,
  content: json(schema),
});
const problemAnswer = {
  description: 'Recusa (RFC 7807)',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
};
const refused = { $ref: '#/components/responses/Problem' };
const idInPath = [{ name: 'id', in: 'path', required: true, schema: uuid }];

const filterInQuery = {
  name: 'filter',
  in: 'query',
  schema: { type: 'string', enum: ['issues', 'all'], default: 'issues' },
};
const includeInQuery = {
  name: 'include',
  in: 'query',
  schema: { type: 'string', enum: ['evidence'] },
};

/** A call: what it is named, its good answer, and what it takes besides. */
const call = (operationId: string, status: string, answer: object, more: object = {}) => ({
  operationId,
  ...more,
  responses: { [status]: answer, default: refused },
});
const taking = (content: object) => ({ requestBody: { required: true, content } });

function pathsOf(names: CreditNames): Record<string, Record<string, object>> {
  const byId = { parameters: idInPath };
  const engine = answered('Motor', ref('Engine'));
  const list = listOf(ref('Engine'));
  const engines = names.engineList === 'bare' ? list : object({ [names.engineList]: list });
  const form = { 'multipart/form-data': { schema: ref('OperationRequest') } };
  const operation = answered('Situacao da operacao', ref('Operation'));
  const result = answered('Resultado', ref('AnalysisResult'));
  const filtered = { parameters: [...idInPath, filterInQuery, includeInQuery] };
  return {
    '/v1/operations': { post: call('createOperation', '202', operation, taking(form)) },
    '/v1/operations/{id}': { get: call('getOperation', '200', operation, byId) },
    '/v1/operations/{id}/result': { get: call('getResult', '200', result, filtered) },
    '/v1/engines': {
      get: call('listEngines', '200', answered('Motores', engines)),
      post: call('createEngine', '201', engine, taking(json(ref('EngineCreation')))),
    },
    '/v1/engines/{id}': {
      get: call('getEngine', '200', engine, byId),
      put: call('updateEngine', '200', engine, { ...byId, ...taking(json(ref('EngineChange'))) }),
      delete: call('deleteEngine', '204', { description: 'Motor removido' }, byId),
    },
    '/v1/openapi.json': {
      get: call('getSpecification', '200', answered('Este documento', { type: 'object' }), {
        security: [],
      }),
    },
  };
}

function schemasOf(names: CreditNames): object {
  return {
    OperationRequest: operationRequest(names),
    Operation: object(
      {
        [names.idField]: { ...uuid, description: 'Identificador da operacao' },
        [names.statusField]: { ...text, enum: Object.values(names.words) },
        engine: object({ name: text, ref: uuid }),
        arquivo: text,
        createdAt: instant,
        startedAt: instant,
        finishedAt: instant,
        error: object({ code: text, message: text }),
      },
      [names.idField, names.statusField, 'createdAt'],
    ),
    ...engineSchemas,
    ...resultSchemas,
    Problem: object({ type: text, title: text, status: count, detail: text, instance: text }),
  };
}

function operationRequest(names: CreditNames): object {
  const { filePart, enginePart, requiredPart, engineRequired } = names;
  return object(
    {
      [filePart]: { type: 'string', format: 'binary', description: 'Arquivo CNAB 400' },
      xmls: {
        type: 'string',
        contentMediaType: 'application/zip',
        description: 'ZIP com os XML das NF-e',
      },
      [enginePart]: { ...uuid, description: 'Motor de regras (engine)' },
      ...(requiredPart === null ? {} : { [requiredPart]: text }),
    },
    [
      filePart,
      ...(engineRequired ? [enginePart] : []),
      ...(requiredPart === null ? [] : [requiredPart]),
    ],
  );
}

const engineName = { type: 'string', minLength: 1, maxLength: 100 };
const engineDescription = { type: ['string', 'null'], maxLength: 500 };
const ruleSettings = {
  type: 'object',
  additionalProperties: object(
    {
      enabled: { type: 'boolean' },
      severity: { type: 'string', enum: ['blocking', 'alert'] },
      threshold: amount,
    },
    [],
  ),
};

const engineSchemas = {
  EngineCreation: object(
    { name: engineName, description: engineDescription, rules: ruleSettings, cloneFrom: uuid },
    ['name'],
  ),
  EngineChange: object(
    { name: engineName, description: engineDescription, rules: ruleSettings },
    [],
  ),
  Engine: object(
    {
      id: uuid,
      name: engineName,
      description: engineDescription,
      isTemplate: { type: 'boolean' },
      ruleCount: count,
      rules: listOf(object({ id: text, name: text, severity: text, enabled: { type: 'boolean' } })),
    },
    ['id', 'name', 'description', 'isTemplate', 'ruleCount'],
  ),
};

const issues = listOf(ref('Issue'));
const resultSchemas = {
  AnalysisResult: object({
    operationId: uuid,
    engineId: uuid,
    engineName: text,
    timestamp: instant,
    cedente: ref('Cedente'),
    summary: ref('Summary'),
  }),
  Cedente: object({
    id: uuid,
    cnpj: text,
    razaoSocial: text,
    status: text,
    issues,
    sacados: listOf(ref('Sacado')),
  }),
  Sacado: object({
    id: uuid,
    cnpjCpf: text,
    razaoSocial: text,
    tipo: text,
    status: text,
    issues,
    titulos: listOf(ref('Titulo')),
  }),
  Titulo: object({
    id: uuid,
    numero: text,
    valor: amount,
    dataVencimento: text,
    nfeChave: text,
    status: text,
    issues,
  }),
  Issue: object({
    ruleId: text,
    ruleName: text,
    category: text,
    status: text,
    message: text,
    detail: object({ field: text, actual: text, expected: text, threshold: text }),
    dataSource: text,
  }),
  Summary: object({
    totalTitulos: count,
    approved: count,
    blocked: count,
    alerted: count,
    totalValue: amount,
    approvedValue: amount,
    blockedValue: amount,
    alertedValue: amount,
    sacados: object({ total: count, withIssues: count }),
    cedente: object({ status: text }),
  }),
};

/** Which calls there are, and nothing of what they carry. */
function silentPaths(names: CreditNames): object {
  const done = { default: { description: 'Resposta' } };
  const silent = Object.entries(pathsOf(names)).map(([path, calls]) => [
    path,
    Object.fromEntries(Object.keys(calls).map((method) => [method, silentCall(path, done)])),
  ]);
  return Object.fromEntries(silent) as object;
}

function silentCall(path: string, responses: object): object {
  if (path.endsWith('openapi.json')) return { security: [], responses };
  return path.includes('{id}') ? { parameters: idInPath, responses } : { responses };
}
