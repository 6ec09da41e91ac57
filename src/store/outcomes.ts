import type { AuditEntry } from '../domain/audit';
import type { OutcomeRecord } from '../domain/outcomes';
import { FactRepository, type NewFact } from './certificates/facts';
import type { SealedStore } from './sealed-store';
import { statement, type Statement } from './statement';

/** Outcomes that one look reads, at most. */
const perLook = 500;

interface OutcomeRow {
  item: number;
  filedBy: string;
  body: Uint8Array;
}

/**
 * How the items of works ended: whoever settled one files it under a name of its own, and nothing that was
 * filed is changed but by an erasure. `mergeOutcomes` tells what stands of an item.
 */
export class OutcomeRepository {
  readonly #store: SealedStore;

  constructor(store: SealedStore) {
    this.#store = store;
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
      outcomes.map((outcome) => this.#sealed(work, outcome.item, filedBy, outcome)),
    );
    await this.#store.commit(
      [
        ...(await new FactRepository(this.#store).rows(facts)),
        ...rows.map((body, at) =>
          statement(
            `INSERT INTO outcome (work, item, filed_by, body) VALUES (?, ?, ?, ?)
             ON CONFLICT DO NOTHING`,
            [work, outcomes[at]?.item, filedBy, body],
          ),
        ),
      ],
      entries,
    );
  }

  /** Of items [from, to), by item. */
  async of(work: string, from: number, to: number): Promise<Map<number, OutcomeRecord[]>> {
    const rows = await this.#store.read<OutcomeRow>(
      statement(
        `SELECT item, filed_by AS "filedBy", body FROM outcome
         WHERE work = ? AND item >= ? AND item < ? ORDER BY item, filed_by`,
        [work, from, to],
      ),
    );
    const found = new Map<number, OutcomeRecord[]>();
    for (const row of rows) {
      const known = found.get(row.item) ?? [];
      found.set(row.item, [...known, this.#opened(work, row)]);
    }
    return found;
  }

  /** Items in order. */
  async *all(work: string): AsyncGenerator<OutcomeRecord> {
    for await (const rows of this.#looks(work))
      for (const row of rows) yield this.#opened(work, row);
  }

  /**
   * For an erasure: each as `change` leaves it.
   *
   * @returns how many were changed
   */
  async rewrite(work: string, change: (outcome: OutcomeRecord) => OutcomeRecord): Promise<number> {
    let changed = 0;
    for await (const rows of this.#looks(work)) {
      const updates: Statement[] = [];
      for (const row of rows) {
        const before = this.#opened(work, row);
        const after = change(before);
        if (JSON.stringify(after) === JSON.stringify(before)) continue;
        const { item, filedBy } = row;
        const body = await this.#sealed(work, item, filedBy, after);
        updates.push(
          statement('UPDATE outcome SET body = ? WHERE work = ? AND item = ? AND filed_by = ?', [
            body,
            work,
            item,
            filedBy,
          ]),
        );
      }
      if (updates.length > 0) await this.#store.commit(updates);
      changed += updates.length;
    }
    return changed;
  }

  async remove(work: string): Promise<void> {
    await this.#store.commit([statement('DELETE FROM outcome WHERE work = ?', [work])]);
  }

  /** In pages: a look that stays open would keep the log of the database from being worked off. */
  async *#looks(work: string): AsyncGenerator<OutcomeRow[]> {
    for (let [item, filedBy] = [-1, '']; ;) {
      const rows = await this.#store.read<OutcomeRow>(
        statement(
          `SELECT item, filed_by AS "filedBy", body FROM outcome
           WHERE work = ? AND (item, filed_by) > (?, ?) ORDER BY item, filed_by LIMIT ${perLook}`,
          [work, item, filedBy],
        ),
      );
      yield rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < perLook) return;
      ({ item, filedBy } = last);
    }
  }

  async #sealed(
    work: string,
    item: number,
    filedBy: string,
    outcome: OutcomeRecord,
  ): Promise<Buffer> {
    const name = nameOf(work, item, filedBy);
    return Buffer.from(await this.#store.seal(name, JSON.stringify(outcome)));
  }

  #opened(work: string, { item, filedBy, body }: OutcomeRow): OutcomeRecord {
    const opened = this.#store.open(nameOf(work, item, filedBy), body);
    return JSON.parse(opened.toString('utf8')) as OutcomeRecord;
  }
}

function nameOf(work: string, item: number, filedBy: string): string {
  return `outcome/${work}/${item}/${filedBy}`;
}
