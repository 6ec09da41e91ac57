import type { AuditEntry } from '../../domain/core/audit';
import { groupBy } from '../../domain/core/group-by';
import type { OutcomeRecord } from '../../domain/certificates/outcomes';
import type { SealedDatabase } from '../sealed/sealed-database';
import { SealedTable } from '../sealed/sealed-table';
import { sql } from '../statement';
import { FactRepository, type NewFact } from './facts';

/**
 * Outcomes of items: each driver stores them under its own name, and only an erasure changes them.
 * `mergeOutcomes` decides which one counts.
 */
export class OutcomeRepository extends SealedTable<OutcomeRecord> {
  constructor(store: SealedDatabase) {
    super(store, 'outcome');
  }

  /**
   * Stores all or none; an earlier outcome of the same name stays.
   *
   * @param storedBy `<driver>/<unique to the activity and its attempt>`
   * @param beside related facts, and audit entries
   */
  async file(
    folder: string,
    storedBy: string,
    outcomes: readonly OutcomeRecord[],
    {
      facts = [],
      entries = [],
    }: { facts?: readonly NewFact[]; entries?: readonly AuditEntry[] } = {},
  ): Promise<void> {
    if (outcomes.length + facts.length + entries.length === 0) return;
    const rows = outcomes.map((outcome) => [folder, outcome.item, storedBy, outcome]);
    await this.store.commit(
      [...new FactRepository(this.store).rows(facts), ...this.insert(rows)],
      entries,
    );
  }

  /** Outcomes by item, for the items that lines [first, last] of the job name or repeat. */
  async ofLines(
    folder: string,
    first: number,
    last: number,
  ): Promise<Map<number, OutcomeRecord[]>> {
    const onLines = sql`SELECT item FROM batch_row
      WHERE job = ${folder} AND line BETWEEN ${first} AND ${last}`;
    const found = await this.read([folder], { where: sql`item IN (${onLines})` });
    return groupBy(
      found.map(({ body }) => body),
      ({ item }) => item,
    );
  }
}
