import { outcomeOfFact } from '../../../src/activities/certificates/outcomes';
import {
  ConnectionError,
  ContractError,
  StatusError,
  TimeoutError,
} from '../../../src/apis/http/errors';
import { endlessWords } from '../../../src/domain/core/service/list-walk';
import type { Analysis } from '../../../src/domain/credit/analysis';
import { foreignResult, TreeCheck } from '../../../src/domain/credit/tree-check';
import { whyNoRetry } from '../../../src/domain/dossiers/retry';
import { noCursor, sweepWarnings } from '../../../src/domain/monitors/sweep';
import { leftLines } from '../../../src/report/monitors/sweep-words';
import { readerOf } from '../../../src/report/reader';
import { rowFlags } from '../../../src/domain/certificates/certificate-rows';
import { inPortuguese } from '../../../src/report/sentences-pt';

test.each([
  ['reused', true],
  ['of another job', false],
])('the note of a row that is %s has its Portuguese', (_, reused) => {
  const fact = { certidaoId: 'c', status: 'issued', settledAt: 0, note: '' } as never;
  const item = { item: 0, line: 2, type: 'cnpj', document: '0' } as never;
  const terms = { requestedAt: 0, attempts: 0, flags: rowFlags.shared, reused };
  const { note } = outcomeOfFact(fact, item, terms);
  expect(note).not.toBe('');
  expect(inPortuguese(note)).not.toBe(note);
});

/** Words of English sentences, as far as Portuguese has none like them. */
const english = /\b(?:the|is|are|was|of|with|not|and|to|for|from|which|had|it|that|answered?)\b/;

const call = { method: 'GET', pathTemplate: '/dossies/{dossie_id}' };
const answer = { code: 'locked', requestId: 'r_1', retryable: false, retryAfterMs: null };
const analysis = {
  operationId: 'o-1',
  engineId: 'e-1',
  summary: { receivables: 2, approved: 1, totalValue: 3, payers: 1 },
} as unknown as Analysis;

test.each<[string, string]>([
  ...[
    new StatusError(call, {
      ...answer,
      status: 409,
      hasProblem: true,
      location: null,
      elsewhere: false,
      wasNotProcessed: false,
    }),
    new TimeoutError(call, 'maybe', 3_000),
    new ConnectionError(call, 'no', { name: 'Error', code: 'ECONNRESET', syscall: 'read' }),
    new ContractError(call, [{ path: 'id', code: 'invalid_type' }]),
  ].map(({ name, message }): [string, string] => [name, message]),
  ...Object.entries(whyNoRetry),
  ...Object.entries(endlessWords),
  [noCursor.fault, noCursor.message],
  ...new TreeCheck().contradictions(analysis).map((one): [string, string] => ['tree', one]),
  ...foreignResult(analysis, { operationId: 'o-2', engineId: 'e-2' }).map(
    (one): [string, string] => ['result', one],
  ),
])('an error of %s has no English word: %s', (_, message) => {
  expect(english.exec(message)).not.toBeNull();
  expect(english.exec(inPortuguese(message))).toBeNull();
});

test('what a service says is not translated', () => {
  expect(inPortuguese('The operation failed, and the request was refused.')).toBe(
    'The operation failed, and the request was refused.',
  );
});

test('each thing that a sweep leaves has its Portuguese', () => {
  const left = {
    fault: noCursor,
    warnings: sweepWarnings,
    backlog: { undelivered: 1, unreadable: 2, escalated: 1 },
  };
  const lines = leftLines('m-1', left, readerOf('pt'));
  expect(lines).toHaveLength(sweepWarnings.length + 4);
  const ours = lines.map((line) => line.replaceAll(/`[^`]*`/g, ''));
  expect(ours.filter((line) => english.test(line))).toEqual([]);
});
