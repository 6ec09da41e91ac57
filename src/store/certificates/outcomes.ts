import type { AuditEntry } from '../../domain/core/audit';
import type { OutcomeRecord } from '../../domain/certificates/outcomes';
import { FactRepository, type NewFact } from './facts';
import type { SealedDatabase } from '../sealed-database';
import { insertInto, partsOf, statement } from '../statement';
import { WorkTable, type SealedRow } from '../core/work-table';

/**
 * How the items of works ended: whoever settled one files it under a name of its own, and nothing that was
 * filed is changed but by an erasure. `mergeOutcomes` tells what stands of an item.
 */
export class OutcomeRepository extends WorkTable<OutcomeRecord> {
  constructor(store: SealedDatabase) {
    super(store, 'outcome', ['item', 'filed_by']);
  }

  /**
   * All of it, or none; what a name has filed about an item before stays.
   *
   * @param filedBy `<driver>/<unique to the activity and its attempt>`
   * @param beside what it rests on, and what the audit trail tells of it
   */
  async file(
    work: string,
    filedBy: string,
    outcomes: readonly OutcomeRecord[],
    {
      facts = [],
      entries = [],
    }: { facts?: readonly NewFact[]; entries?: readonly AuditEntry[] } = {},
  ): Promise<void> {
    if (outcomes.length + facts.length + entries.length === 0) return;
    const rows = await Promise.all(
      outcomes.map(async (outcome) => {
        const { item } = outcome;
        return [work, item, filedBy, await this.sealed(work, [item, filedBy], outcome)];
      }),
    );
    const columns = ['work', 'item', 'filed_by', 'body'];
    await this.store.commit(
      [
        ...(await new FactRepository(this.store).rows(facts)),
        ...partsOf(rows).map((some) => insertInto('outcome', columns, some)),
      ],
      entries,
    );
  }

  /** By item: of those that are on the lines [first, last] of the work, or are repeated there. */
  async ofLines(work: string, first: number, last: number): Promise<Map<number, OutcomeRecord[]>> {
    const rows = await this.store.read<SealedRow>(
      statement(
        `SELECT item, filed_by, body FROM outcome
         WHERE work = ? AND item IN
           (SELECT item FROM batch_row WHERE work = ? AND line >= ? AND line <= ?)
         ORDER BY item, filed_by`,
        [work, work, first, last],
      ),
    );
    const found = new Map<number, OutcomeRecord[]>();
    for (const row of rows) {
      const outcome = this.opened(work, row);
      found.set(outcome.item, [...(found.get(outcome.item) ?? []), outcome]);
    }
    return found;
  }
}
