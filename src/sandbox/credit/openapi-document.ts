/**
 * The OpenAPI 3.1 document of what the credit side serves, in the words of its names. Engines and results are
 * plain objects in it: clients look names of uploads and operations up here, and nothing else.
 */

import type { CreditNames } from './credit-scenario';

const text = { type: 'string' };
const uuid = { type: 'string', format: 'uuid' };
const instant = { type: 'string', format: 'date-time' };
const object = (properties: object, required: readonly string[] = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
});
const holding = (mediaType: string, schema: object) => ({ content: { [mediaType]: { schema } } });
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: object) => holding('application/json', schema);
const anything = json({ type: ['object', 'array'] });
const operation = json(ref('Operation'));
const form = {
  requestBody: { required: true, ...holding('multipart/form-data', ref('OperationRequest')) },
};
const body = { requestBody: { required: true, ...anything } };
const oneOf = (name: string, words: readonly string[]) => ({
  name,
  in: 'query',
  schema: { ...text, enum: words },
});
const filters = [oneOf('filter', ['issues', 'all']), oneOf('include', ['evidence'])];

/** Status and content of the good answer, and what the call takes. */
type Call = readonly [status: number, answer: object, takes?: object];
const calls: Record<string, Record<string, Call>> = {
  '/v1/operations': { post: [202, operation, form] },
  '/v1/operations/{id}': { get: [200, operation] },
  '/v1/operations/{id}/result': { get: [200, anything, { parameters: filters }] },
  '/v1/engines': { get: [200, anything], post: [201, anything, body] },
  '/v1/engines/{id}': { get: [200, anything], put: [200, anything, body], delete: [204, {}] },
  '/v1/openapi.json': { get: [200, anything, { security: [] }] },
};

export function openApiDocument(names: CreditNames, serverUrl: string): object {
  const isSilent = names.document === 'silent';
  const refused = { description: 'Recusa', ...holding('application/problem+json', ref('Problem')) };
  const described = ([status, answer, takes]: Call) => ({
    ...takes,
    responses: { [status]: { description: 'Resposta', ...answer }, default: refused },
  });
  const silent = () => ({ responses: { default: { description: 'Resposta' } } });
  const paths = Object.entries(calls).map(([path, methods]) => {
    const shown = Object.entries(methods).map(([method, call]) => [
      method,
      isSilent ? silent() : described(call),
    ]);
    const parameters = [{ name: 'id', in: 'path', required: true, schema: uuid }];
    return [path, { ...Object.fromEntries(shown), ...(path.includes('{id}') && { parameters }) }];
  });
  return {
    openapi: '3.1.0',
    info: { title: 'Analise de credito (sandbox)', version: '1.0.0' },
    servers: [{ url: serverUrl }],
    security: [{ token: [] }],
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      ...(isSilent ? {} : { schemas: schemasOf(names) }),
    },
  };
}

function schemasOf(names: CreditNames): object {
  const { filePart, enginePart, engineRequired, idField, requiredPart, statusField } = names;
  const required = requiredPart === null ? [] : [requiredPart];
  return {
    OperationRequest: object(
      {
        [filePart]: { ...text, format: 'binary', description: 'Arquivo CNAB 400' },
        xmls: { ...text, contentMediaType: 'application/zip', description: 'XML das NF-e' },
        [enginePart]: { ...uuid, description: 'Motor de regras (engine)' },
        ...Object.fromEntries(required.map((part) => [part, text])),
      },
      [filePart, ...required, ...(engineRequired ? [enginePart] : [])],
    ),
    Operation: object(
      {
        [idField]: { ...uuid, description: 'Identificador da operacao' },
        [statusField]: { ...text, enum: Object.values(names.words) },
        engine: object({ name: text, ref: uuid }),
        arquivo: text,
        createdAt: instant,
        startedAt: instant,
        finishedAt: instant,
        error: object({ code: text, message: text }),
      },
      [idField, statusField, 'createdAt'],
    ),
    Problem: object({
      type: text,
      title: text,
      status: { type: 'integer' },
      detail: text,
      instance: text,
    }),
  };
}
