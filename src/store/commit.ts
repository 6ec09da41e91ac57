import type { EventChain, NewEvent } from './audit/chain';
import type { Statement, StatementResult } from './statement';
import { StoreError } from './store-error';

/** What stands or falls together: statements, and what the audit trail tells of them. */
export interface Unit {
  statements: readonly Statement[];
  events?: readonly NewEvent[];
}

/** More statements in one transaction hold other processes up. */
export const commitsTogether = {
  most: 200,
  sizeOf: ({ statements, events = [] }: Unit): number => statements.length + events.length,
};

/**
 * Runs units in the transaction that has begun, with their links of the audit trail.
 *
 * @throws StoreError `unchanged` where a statement had to change something
 */
export async function runUnits(
  units: readonly Unit[],
  chain: EventChain,
  run: (one: Statement) => StatementResult | Promise<StatementResult>,
): Promise<StatementResult[][]> {
  const results: StatementResult[][] = [];
  for (const { statements, events = [] } of units) {
    const its: StatementResult[] = [];
    for (const one of statements) {
      const result = await run(one);
      if (one.mustChange && result.changes === 0) {
        throw new StoreError('unchanged', 'nothing is there that it could change');
      }
      its.push(result);
    }
    for (const event of events) {
      const link = chain.next(event);
      if ((await run(link.statement)).changes === 1) link.written();
    }
    results.push(its);
  }
  return results;
}
