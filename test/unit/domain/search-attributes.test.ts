import { noCounts, type StatusCounts } from '../../../src/domain/certificates/certificates';
import {
  gravestStatus,
  needsAPerson,
  searchAttributes,
} from '../../../src/domain/core/search-attributes';

const counts = (some: Partial<StatusCounts>): StatusCounts => ({ ...noCounts(), ...some });

describe('one word for how a work ended', () => {
  test.each([
    [{}, 'issued', false],
    [{ issued: 3, duplicate: 1 }, 'issued', false],
    [{ issued: 3, cancelled: 1 }, 'cancelled', false],
    [{ issued: 3, unsupported: 1, cancelled: 9 }, 'unsupported', true],
    [{ invalid: 1, unsupported: 2 }, 'invalid', true],
    [{ issued: 3, expired: 1, invalid: 2 }, 'expired', true],
    [{ failed: 1, expired: 40 }, 'failed', true],
    [{ issued: 999, failed: 9, unknown_outcome: 1 }, 'unknown_outcome', true],
    [{ erased: 4 }, 'erased', false],
  ] as const)('of %j is %s', (some, word, attention) => {
    expect(gravestStatus(counts(some))).toBe(word);
    expect(needsAPerson(counts(some))).toBe(attention);
  });
});

describe('the search attributes', () => {
  test('leave half of a namespace’s ten Keyword to others', () => {
    const keywords = Object.values(searchAttributes).filter((type) => type === 'KEYWORD');
    expect(keywords.length).toBeLessThanOrEqual(5);
  });
});
