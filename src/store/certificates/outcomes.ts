import type { AuditEntry } from '../../domain/core/audit';
import { groupBy } from '../../domain/core/group-by';
import type { OutcomeRecord } from '../../domain/certificates/outcomes';
import { pagesOf } from '../pages';
import { Repository } from '../sealed/sealed-database';
import { inserts } from '../sealed/table-rows';
import { sql, type Statement } from '../statement';
import { factRows, type NewFact } from './facts';

interface OutcomeRow {
  item: number;
  storedBy: string;
  body: OutcomeRecord;
}

const perPage = 200;

/**
 * Outcomes of items: each driver stores them under its own name, and only an erasure changes them.
 * `mergeOutcomes` decides which one counts.
 */
export class OutcomeRepository extends Repository {
  /** An earlier outcome of the same name stays. @param storedBy `<driver>/<activity and attempt>` */
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
    const rows = outcomes.map((body) => ({ job: folder, item: body.item, storedBy, body }));
    await this.store.commit([...factRows(facts), ...inserts('outcome', rows)], entries);
  }

  /** Outcomes by item, for the items that lines [first, last] of the job name or repeat. */
  async ofLines(
    folder: string,
    first: number,
    last: number,
  ): Promise<Map<number, OutcomeRecord[]>> {
    const onLines = sql`SELECT item FROM batch_row
      WHERE job = ${folder} AND line BETWEEN ${first} AND ${last}`;
    return groupBy(await this.#read(folder, sql`item IN (${onLines})`), ({ item }) => item);
  }

  async *all(folder: string): AsyncGenerator<OutcomeRecord> {
    const pages = pagesOf(perPage, (last: OutcomeRow | undefined) => {
      const after = sql`(item, stored_by) > (${last?.item ?? -1}, ${last?.storedBy ?? ''})`;
      return this.#rows(folder, sql`${after} ORDER BY item, stored_by LIMIT ${perPage}`);
    });
    for await (const page of pages) for (const { body } of page) yield body;
  }

  ofItems(folder: string, items: Iterable<number>): Promise<OutcomeRecord[]> {
    return this.store.among(items, (some) => this.#read(folder, sql`item IN ${some}`));
  }

  async #read(folder: string, which: Statement): Promise<OutcomeRecord[]> {
    const rows = await this.#rows(folder, sql`${which} ORDER BY item, stored_by`);
    return rows.map(({ body }) => body);
  }

  #rows(folder: string, which: Statement): Promise<OutcomeRow[]> {
    return this.store.select('outcome', sql`WHERE job = ${folder} AND ${which}`);
  }
}
