import { searchAttributes } from '../../../src/domain/core/search-attributes';

describe('the search attributes', () => {
  test('leave half of a namespace’s ten Keyword to others', () => {
    const keywords = Object.values(searchAttributes).filter((type) => type === 'KEYWORD');
    expect(keywords.length).toBeLessThanOrEqual(5);
  });
});
