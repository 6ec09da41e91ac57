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
  const paths = isSilent ? silentPaths() : pathsOf(names);
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

function pathsOf(names: CreditNames): object {
  const list = listOf(ref('Engine'));
  const engines = names.engineList === 'bare' ? list : object({ [names.engineList]: list });
  return {
    '/v1/operations': {
      post: {
        operationId: 'createOperation',
        requestBody: {
          required: true,
          content: { 'multipart/form-data': { schema: ref('OperationRequest') } },
        },
        responses: { '202': answered('Operacao criada', ref('Operation')), default: refused },
      },
    },
    '/v1/operations/{id}': {
      get: {
        operationId: 'getOperation',
        parameters: idInPath,
        responses: { '200': answered('Situacao', ref('Operation')), default: refused },
      },
    },
    '/v1/operations/{id}/result': {
      get: {
        operationId: 'getResult',
        parameters: [...idInPath, filterInQuery, includeInQuery],
        responses: { '200': answered('Resultado', ref('AnalysisResult')), default: refused },
      },
    },
    '/v1/engines': {
      get: {
        operationId: 'listEngines',
        responses: { '200': answered('Motores', engines), default: refused },
      },
      post: {
        operationId: 'createEngine',
        requestBody: { required: true, content: json(ref('EngineCreation')) },
        responses: { '201': answered('Motor criado', ref('Engine')), default: refused },
      },
    },
    '/v1/engines/{id}': engineById,
    '/v1/openapi.json': specification,
  };
}

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

const engineById = {
  get: {
    operationId: 'getEngine',
    parameters: idInPath,
    responses: { '200': answered('Motor', ref('Engine')), default: refused },
  },
  put: {
    operationId: 'updateEngine',
    parameters: idInPath,
    requestBody: { required: true, content: json(ref('EngineChange')) },
    responses: { '200': answered('Motor alterado', ref('Engine')), default: refused },
  },
  delete: {
    operationId: 'deleteEngine',
    parameters: idInPath,
    responses: { '204': { description: 'Motor removido' }, default: refused },
  },
};

const specification = {
  get: {
    operationId: 'getSpecification',
    security: [],
    responses: { '200': answered('Este documento', { type: 'object' }) },
  },
};

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
function silentPaths(): object {
  const done = { responses: { default: { description: 'Resposta' } } };
  const byId = { parameters: idInPath, ...done };
  return {
    '/v1/operations': { post: done },
    '/v1/operations/{id}': { get: byId },
    '/v1/operations/{id}/result': { get: byId },
    '/v1/engines': { get: done, post: done },
    '/v1/engines/{id}': { get: byId, put: byId, delete: byId },
    '/v1/openapi.json': { get: { security: [], ...done } },
  };
}
