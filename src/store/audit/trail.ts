import type { AuditEntry, ChainHead } from '../../domain/core/audit';
import type { IdKey } from '../../protection/id-key';
import { Repository, type SealedDatabase } from '../sealed/sealed-database';
import { insertInto, inserts } from '../sealed/table-rows';
import { StoreError } from '../store-error';
import { anchorChain, anchorOf, headOf, headsFrom, textOf } from './anchors';
import { chainsSince } from './chain';
import { beginningOf, forgeLink, stateOf } from './link';

const oneDayMs = 86_400_000;
/** A chain takes records for a day; another day allows for differing clocks. */
const mayMoveForMs = 2 * oneDayMs;

/** Events without another record, and the anchors that link all chains (docs/decisions/010). */
export class AuditTrail extends Repository {
  readonly #auditKey: Uint8Array;
  readonly #now: () => number;

  constructor(store: SealedDatabase, idKey: IdKey, now: () => number = Date.now) {
    super(store);
    this.#auditKey = idKey.auditKey;
    this.#now = now;
  }

  /** Appends all entries or none. @returns once flushed */
  async append(entries: readonly AuditEntry[]): Promise<void> {
    if (entries.length > 0) await this.store.commit([], entries);
  }

  /** So that not even the last one can be removed unnoticed. @returns the head */
  async appendAndAnchor(entries: readonly AuditEntry[]): Promise<string> {
    await this.append(entries);
    return this.anchor();
  }

  /** Anchors the heads of all chains, unless none has changed. @returns the new head */
  async anchor(): Promise<string> {
    const beginning = beginningOf(this.store.id, anchorChain);
    for (;;) {
      const last = await anchorOf(this.store, 'last');
      // A corrupt or foreign anchor does not count: all heads are anchored again.
      const isOurs = last !== null && stateOf(this.#auditKey, beginning, last) === 'intact';
      const heads = await this.#movedHeads(isOurs ? Date.parse(last.at) : null);
      if (heads.length === 0 && isOurs) return headOf(last.number, last.hash);
      const position = {
        prev: last?.hash ?? beginning,
        number: (last?.number ?? 0) + 1,
        at: new Date(this.#now()).toISOString(),
      };
      const link = forgeLink(this.#auditKey, beginning, position, textOf(heads));
      try {
        const { text: _, ...row } = link;
        const anchor = row.number;
        const rows = heads.map(([chain, number, hash]) => ({ anchor, chain, number, hash }));
        await this.store.commit([insertInto('anchor', [row], ''), ...inserts('anchor_head', rows)]);
        return headOf(anchor, row.hash);
      } catch (error) {
        // Another writer was first: its anchor is read, and ours follows it.
        if (!(error instanceof StoreError && error.code === 'constraint')) throw error;
      }
    }
  }

  /** @param since instant of the last anchor; null: earlier anchors do not count */
  async #movedHeads(since: number | null): Promise<ChainHead[]> {
    // The clock of the last anchor may have been far ahead.
    const from = since === null ? '' : chainsSince(Math.min(since, this.#now()) - mayMoveForMs);
    const found = await headsFrom(this.store, from);
    return found.flatMap(({ head, isAnchored }) => (since !== null && isAnchored ? [] : [head]));
  }
}
