import { pagesOf } from '../../../src/store/pages';

const numbers = [1, 2, 3, 4, 5];

/** As a store reads: at once, in a promise. */
const read = async (after: number | undefined): Promise<number[]> =>
  numbers.filter((one) => one > (after ?? 0)).slice(0, 2);

it('goes on behind the last row of the page before, to the end', async () => {
  const pages: number[][] = [];
  for await (const page of pagesOf(2, read)) pages.push(page);
  expect(pages).toEqual([[1, 2], [3, 4], [5]]);
});

it('lets others have their turn between two pages', async () => {
  const seen: (number | 'another')[] = [];
  setImmediate(() => seen.push('another'));
  for await (const page of pagesOf(2, read)) seen.push(...page);
  expect(seen).toEqual([1, 2, 'another', 3, 4, 5]);
});
