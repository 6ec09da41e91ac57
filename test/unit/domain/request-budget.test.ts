import { RequestBudget } from '../../../src/domain/certificates/request-budget';

const execution = 'e1';

/** Requests that each lane may make now, as the answers say. */
const limitsOf = (budget: RequestBudget): Record<string, number> =>
  Object.fromEntries(budget.grants().map(([lane, { limit }]) => [lane, limit]));

test('lanes together are granted the budget, no more, and no lane more than a part of it at once', () => {
  const budget = new RequestBudget(10, 2);
  budget.report('a', execution, { number: 1, made: 0, rows: 100 });
  budget.report('b', execution, { number: 1, made: 0, rows: 2 });
  expect(limitsOf(budget)).toEqual({ a: 5, b: 2 });
  let made = 5;
  for (let number = 2; number < 10; number += 1) {
    budget.report('a', execution, { number, made, rows: 100 - made });
    made = limitsOf(budget).a ?? made;
  }
  expect(made).toBe(8);
  // The other may still have requests to make.
  expect(budget.reached).toBeNull();
  budget.report('b', execution, { number: 2, made: 2, rows: 0 });
  expect(budget.reached).toEqual({ made: 10, allowed: 10, rest: 92 });
});

test('what a lane gives back goes to those that need it, and so does what one had left at its end', () => {
  const budget = new RequestBudget(6, 3);
  for (const lane of ['a', 'b', 'c'])
    budget.report(lane, execution, { number: 1, made: 0, rows: 9 });
  expect(limitsOf(budget)).toEqual({ a: 2, b: 2, c: 1 });
  budget.report('a', execution, { number: 2, made: 2, rows: 7 });
  expect(limitsOf(budget)).toEqual({ a: 3 });
  budget.report('a', execution, { number: 3, made: 3, rows: 6 });
  expect(limitsOf(budget)).toEqual({});
  budget.report('b', execution, { number: 2, made: 0, rows: 0 });
  expect(limitsOf(budget)).toEqual({ a: 4 });
  budget.end('c', 0);
  budget.report('a', execution, { number: 4, made: 4, rows: 5 });
  expect(limitsOf(budget)).toEqual({ a: 5 });
});

test('a report that is told again is answered as before, and one that was overtaken is not', () => {
  const budget = new RequestBudget(10, 1);
  const asked = { number: 1, made: 0, rows: 4 };
  budget.report('a', execution, asked);
  const first = budget.grants();
  expect(first).toEqual([['a', { number: 1, limit: 4 }]]);
  budget.report('a', execution, asked);
  expect(budget.grants()).toEqual(first);
  budget.report('a', execution, { number: 2, made: 3, rows: 0 });
  budget.report('a', execution, asked);
  expect(budget.grants()).toEqual([]);
});

test('a lane that takes the place of another of its id starts from nothing', () => {
  const budget = new RequestBudget(10, 1);
  budget.report('a', execution, { number: 7, made: 9, rows: 1 });
  expect(limitsOf(budget)).toEqual({ a: 10 });
  budget.report('a', 'e2', { number: 1, made: 0, rows: 8 });
  expect(budget.grants()).toEqual([['a', { number: 1, limit: 8 }]]);
});

test('as many again are allowed by a person, less what was made beyond', () => {
  const budget = new RequestBudget(3, 1);
  budget.report('a', execution, { number: 1, made: 0, rows: 9 });
  expect(limitsOf(budget)).toEqual({ a: 3 });
  budget.report('a', execution, { number: 2, made: 4, rows: 6 });
  expect(budget.reached).toEqual({ made: 4, allowed: 3, rest: 6 });
  budget.allowMore();
  expect(budget.reached).toBeNull();
  expect(limitsOf(budget)).toEqual({ a: 6 });
});
