import type { AuditEntry } from '../../domain/core/audit';
import { groupBy } from '../../domain/core/group-by';
import type { OutcomeRecord } from '../../domain/certificates/outcomes';
import type { SealedDatabase } from '../sealed/sealed-database';
import { SealedTable } from '../sealed/sealed-table';
import { statement } from '../statement';
import { FactRepository, type NewFact } from './facts';

/**
 * How the items of works ended: whoever settled one files it under a name of its own, and nothing that was
 * stored is changed but by an erasure. `mergeOutcomes` tells what stands of an item.
 */
export class OutcomeRepository extends SealedTable<OutcomeRecord> {
  constructor(store: SealedDatabase) {
    super(store, 'outcome', ['work', 'item', 'stored_by']);
  }

  /**
   * All of it, or none; what a name has stored about an item before stays.
   *
   * @param storedBy `<driver>/<unique to the activity and its attempt>`
   * @param beside what it rests on, and what the audit trail tells of it
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

  /** By item: of those that are on the lines [first, last] of the work, or are repeated there. */
  async ofLines(
    folder: string,
    first: number,
    last: number,
  ): Promise<Map<number, OutcomeRecord[]>> {
    const onLines = 'SELECT item FROM batch_row WHERE work = ? AND line >= ? AND line <= ?';
    const where = statement(`item IN (${onLines})`, [folder, first, last]);
    const found = await this.read([folder], { where });
    return groupBy(
      found.map(({ body }) => body),
      ({ item }) => item,
    );
  }
}
