import type { EventChain, NewEvent } from './audit/chain';
import type { BlobDirectory } from './blobs';
import { statement, type Statement, type StatementResult } from './statement';
import { StoreError } from './store-error';

/** The store of an installation: records in a database, bytes beside it. */
export interface Database {
  readonly id: string;
  /** From 1; another one whenever it was restored. */
  readonly epoch: number;
  readonly blobs: BlobDirectory;
  /** Rows of one SELECT; sees what was committed before. */
  read<T>(statement: Statement): Promise<T[]>;
  /**
   * All of the statements in one transaction, or none; with what the audit trail tells of them.
   *
   * @returns what each returned, once they are on the disk
   * @throws StoreError
   */
  commit(
    statements: readonly Statement[],
    events?: readonly NewEvent[],
  ): Promise<StatementResult[]>;
  /** @throws StoreError when it is not the one that was opened, or cannot be written */
  prove(): Promise<DatabaseFacts>;
  /** What was removed is on the disk no more when it resolves. */
  forget(): Promise<void>;
  /** What was asked for before is committed first. */
  close(): Promise<void>;
}

/** What a store stands on. */
export interface DatabaseFacts {
  /** `SQLite 3.53.0`. */
  engine: string;
  /** How it may lose what was committed. */
  mayLose: readonly Loss[];
}

/**
 * `unflushed`: its disk does not keep what it is given, a disk in memory above all. `fsync-off`: PostgreSQL
 * does not wait for its disk. `standby-not-awaited`: nor for the standby that may take its place.
 */
export type Loss = 'unflushed' | 'fsync-off' | 'standby-not-awaited';

/** Whether bytes must stand beside it. */
export async function namesBytes(database: Pick<Database, 'read'>): Promise<boolean> {
  const named = statement('SELECT 1 FROM record WHERE blob IS NOT NULL LIMIT 1');
  return (await database.read(named)).length > 0;
}

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
