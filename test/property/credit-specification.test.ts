import * as fc from 'fast-check';
import { namesFrom } from '../../src/apis/credit/names';
import { readAnalysis } from '../../src/apis/credit/result.wire';
import { specificationFacts } from '../../src/apis/credit/specification.wire';
import { ContractError } from '../../src/apis/http/errors';
import { sized } from '../support/full-size';

const nothingConfigured = {
  filePart: null,
  enginePart: null,
  idField: null,
  statusField: null,
  failedStatuses: null,
};

const reference = fc
  .constantFrom('#/a', '#/components/schemas/A', '#/paths/~1v1~1operations', '#', 'x', '#/%zz')
  .map(($ref) => ({ $ref }));
/** Schemas that are sound, go round in circles, or are anything at all. */
const { schema } = fc.letrec<{ schema: unknown }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4 },
    fc.jsonValue(),
    reference,
    fc.record({ type: fc.constant('string'), format: fc.constantFrom('uuid', 'binary', 'x') }),
    fc.record(
      {
        properties: fc.dictionary(
          fc.constantFrom('id', 'file', 'motor', 'z', '__proto__'),
          tie('schema'),
        ),
        required: fc.oneof(fc.jsonValue(), fc.subarray(['id', 'file', 'motor', 'z'])),
        allOf: fc.array(tie('schema'), { maxLength: 2 }),
        oneOf: fc.array(tie('schema'), { maxLength: 2 }),
      },
      { requiredKeys: [] },
    ),
  ),
}));

test('whatever a document holds, names are found or assumed, and nothing throws', () => {
  fc.assert(
    fc.property(schema, schema, schema, schema, (upload, answer, parameters, shared) => {
      const document = {
        a: shared,
        components: { schemas: { A: shared } },
        paths: {
          '/v1/operations': {
            post: {
              parameters,
              requestBody: { content: { 'multipart/form-data': { schema: upload } } },
              responses: { '202': { content: { 'application/json': { schema: answer } } } },
            },
          },
          '/v1/operations/{id}': shared,
        },
      };
      const names = namesFrom(specificationFacts(document), nothingConfigured);
      expect(names.filePart.name).not.toBe('');
      expect(names.idFields.length).toBeGreaterThan(0);
      expect(names.filePart.name).not.toBe(names.enginePart?.name);
    }),
    { numRuns: sized(300, 3_000) },
  );
});

const tree = JSON.stringify({
  operationId: 'o',
  cedente: {
    status: 'blocked',
    issues: [],
    sacados: [
      {
        status: 'blocked',
        issues: [],
        titulos: [{ status: 'blocked', valor: 1.5, issues: [{ ruleId: 'é' }] }],
      },
      { status: 'approved', issues: [], titulos: [] },
    ],
  },
  summary: { totalTitulos: 1 },
});

test('a spoilt result is read or is a ContractError, however it is cut into pieces', async () => {
  const change = fc.record({ at: fc.nat(tree.length), byte: fc.integer({ min: 0, max: 255 }) });
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { maxLength: 3 }),
      fc.nat(tree.length),
      fc.integer({ min: 1, max: 40 }),
      async (changes, end, length) => {
        const bytes = Buffer.from(tree);
        for (const { at, byte } of changes) bytes[at % bytes.length] = byte;
        const kept = changes.length === 0 ? bytes : bytes.subarray(0, end);
        const pieces = Array.from({ length: Math.ceil(kept.length / length) }, (_, piece) =>
          kept.subarray(piece * length, (piece + 1) * length),
        );
        const reading = readAnalysis({ method: 'GET', pathTemplate: 'the test' }, pieces);
        const ended: unknown = await reading.catch((error: unknown) => error);
        if (changes.length === 0) expect(ended).toMatchObject({ summary: { receivables: 1 } });
        else
          expect(ended instanceof ContractError || Object.hasOwn(ended as object, 'summary')).toBe(
            true,
          );
      },
    ),
    { numRuns: sized(500, 3_000) },
  );
});
