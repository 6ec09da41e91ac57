/**
 * The OpenAPI 3.1 document of what the credit side serves, in the words of its names. Engines and results are
 * plain objects in it: clients look names of uploads and operations up here, and nothing else.
 */

import type { CreditNames } from './credit-names';

const json = (schema: object) => ({ 'application/json': { schema } });
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const text = { type: 'string' };
const uuid = { type: 'string', format: 'uuid' };
const instant = { type: 'string', format: 'date-time' };
const count = { type: 'integer' };
const anything = { type: ['object', 'array'] };
const object = (properties: object, required: readonly string[] = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
});

export function openApiDocument(names: CreditNames, serverUrl: string): object {
  const isSilent = names.document === 'silent';
  return {
    openapi: '3.1.0',
    info: { title: 'Analise de credito (sandbox)', version: '1.0.0' },
    servers: [{ url: serverUrl }],
    security: [{ token: [] }],
    paths: isSilent ? silentPaths() : paths,
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

const inQuery = (name: string, words: readonly string[]) => ({
  name,
  in: 'query',
  schema: { type: 'string', enum: words },
});

/** A call: what it is named, its good answer, and what it takes besides. */
const call = (operationId: string, status: string, answer: object, more: object = {}) => ({
  operationId,
  ...more,
  responses: { [status]: answer, default: refused },
});
const taking = (content: object) => ({ requestBody: { required: true, content } });

const byId = { parameters: idInPath };
const form = { 'multipart/form-data': { schema: ref('OperationRequest') } };
const operation = answered('Situacao da operacao', ref('Operation'));
const answer = answered('Resposta', anything);
const body = taking(json(anything));
const filters = [inQuery('filter', ['issues', 'all']), inQuery('include', ['evidence'])];
const paths: Record<string, Record<string, object>> = {
  '/v1/operations': { post: call('createOperation', '202', operation, taking(form)) },
  '/v1/operations/{id}': { get: call('getOperation', '200', operation, byId) },
  '/v1/operations/{id}/result': {
    get: call('getResult', '200', answer, { parameters: [...idInPath, ...filters] }),
  },
  '/v1/engines': {
    get: call('listEngines', '200', answer),
    post: call('createEngine', '201', answer, body),
  },
  '/v1/engines/{id}': {
    get: call('getEngine', '200', answer, byId),
    put: call('updateEngine', '200', answer, { ...byId, ...body }),
    delete: call('deleteEngine', '204', { description: 'Motor removido' }, byId),
  },
  '/v1/openapi.json': { get: call('getSpecification', '200', answer, { security: [] }) },
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

/** Which calls there are, and nothing of what they carry. */
function silentPaths(): object {
  const done = { default: { description: 'Resposta' } };
  const silent = Object.entries(paths).map(([path, calls]) => [
    path,
    Object.fromEntries(Object.keys(calls).map((method) => [method, silentCall(path, done)])),
  ]);
  return Object.fromEntries(silent) as object;
}

function silentCall(path: string, responses: object): object {
  if (path.endsWith('openapi.json')) return { security: [], responses };
  return path.includes('{id}') ? { parameters: idInPath, responses } : { responses };
}
