import type { NewEvent } from './audit/chain';
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

/** @throws StoreError `unchanged` where the statement had to change something */
export function refuseUnchanged(one: Statement, result: StatementResult): StatementResult {
  if (!one.mustChange || result.changes > 0) return result;
  throw new StoreError('unchanged', 'nothing is there that it could change');
}
