import {
  noCounts,
  type BatchSummary,
  type FiledRow,
} from '../../../src/domain/certificates/certificates';
import { batchExitCode, singleExitCode } from '../../../src/starters/certificates/outcome';

test.each([
  ['issued', 0],
  ['cancelled', 0],
  ['erased', 0],
  ['failed', 1],
  ['expired', 3],
  ['unknown_outcome', 3],
] as const)('the command for a certificate that ended as %s ends with %i', (status, code) => {
  expect(singleExitCode({ status } as FiledRow)).toBe(code);
});

test('a batch ends with 3 as soon as one of its rows needs a person', () => {
  const ended = (counts: object) =>
    batchExitCode({ counts: { ...noCounts(), issued: 9, ...counts } } as BatchSummary);
  expect([ended({}), ended({ cancelled: 1 }), ended({ unknown_outcome: 1 })]).toEqual([0, 0, 3]);
});
