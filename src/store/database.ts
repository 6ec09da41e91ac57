import type { EventChain, NewEvent } from './audit/chain';
import type { BlobDirectory } from './blobs';
import { sql, type Statement, type StatementResult } from './statement';
import { StoreError } from './store-error';

/** The store of an installation: records in a database, bytes beside it. */
export interface Database {
  readonly id: string;
  /** From 1; every restore starts a new one. */
  readonly epoch: number;
  readonly blobs: BlobDirectory;
  /** Rows of one SELECT; sees all earlier commits. */
  read<T>(statement: Statement): Promise<T[]>;
  /** Commits all statements and their audit events, flushed, in one transaction, or none. */
  commit(
    statements: readonly Statement[],
    events?: readonly NewEvent[],
  ): Promise<StatementResult[]>;
  /** @throws StoreError when it is not the store that was opened, or not writable */
  prove(): Promise<DatabaseFacts>;
  /** Resolves when removed data is no longer on the disk. */
  forget(): Promise<void>;
  close(): Promise<void>;
}

export interface DatabaseFacts {
  engine: string;
  /** How it may lose committed data. */
  mayLose: readonly Loss[];
}

/**
 * `unflushed`: its disk does not persist writes, such as a disk in memory. `fsync-off`: PostgreSQL does not wait
 * for its disk. `standby-not-awaited`: nor for the standby that may replace it.
 */
export type Loss = 'unflushed' | 'fsync-off' | 'standby-not-awaited';

export async function namesBytes(database: Pick<Database, 'read'>): Promise<boolean> {
  const named = sql`SELECT 1 FROM record WHERE blob IS NOT NULL LIMIT 1`;
  return (await database.read(named)).length > 0;
}

/** Statements and their audit events, committed together or not at all. */
export interface Unit {
  statements: readonly Statement[];
  events?: readonly NewEvent[];
}

/** Larger transactions delay other processes. */
export const commitsTogether = {
  most: 200,
  sizeOf: ({ statements, events = [] }: Unit): number => statements.length + events.length,
};

/** @throws StoreError `unchanged` when a statement that must change something did not */
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
