import type { AuditEntry, ChainHead } from '../../domain/core/audit';
import type { IdKey } from '../../protection/id-key';
import type { SealedDatabase } from '../sealed/sealed-database';
import { StoreError } from '../store-error';
import { anchorChain, anchorOf, anchorRows, headOf, headsFrom, textOf } from './anchors';
import { chainsSince } from './chain';
import { beginningOf, forgeLink, stateOf } from './link';

const oneDayMs = 86_400_000;
/** A chain takes records for a day. A day more is for clocks that differ. */
const mayMoveForMs = 2 * oneDayMs;

/**
 * What is told with no other record beside it, and the anchors that tie the chains of all writers together.
 * docs/decisions/010 says why.
 */
export class AuditTrail {
  readonly #store: SealedDatabase;
  readonly #auditKey: Uint8Array;
  readonly #now: () => number;

  constructor(store: SealedDatabase, idKey: IdKey, now: () => number = Date.now) {
    this.#store = store;
    this.#auditKey = idKey.auditKey;
    this.#now = now;
  }

  /**
   * Puts entries on record, all of them or none.
   *
   * @returns once they are on the disk
   */
  async append(entries: readonly AuditEntry[]): Promise<void> {
    if (entries.length > 0) await this.#store.commit([], entries);
  }

  /**
   * What nobody may remove unseen, not even the last record: appended, and named by an anchor.
   *
   * @returns the head, as `anchor` does
   */
  async appendAndAnchor(entries: readonly AuditEntry[]): Promise<string> {
    await this.append(entries);
    return this.anchor();
  }

  /**
   * Writes an anchor that names how far every chain has come, unless none has moved.
   *
   * @returns the head: `<number>-<32 hex digits>`, which `audit verify --head` takes
   */
  async anchor(): Promise<string> {
    const beginning = beginningOf(this.#store.id, anchorChain);
    for (;;) {
      const last = await anchorOf(this.#store, 'last');
      // Of one that was spoilt, or is not ours, nothing counts: all chains are named again.
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
        await this.#store.commit(anchorRows(link, heads));
        return headOf(link.number, link.hash);
      } catch (error) {
        // Another writer may have been first: its anchor is read, and ours comes after it.
        if (!(error instanceof StoreError && error.code === 'constraint')) throw error;
      }
    }
  }

  /** @param since instant of the last anchor; null: whatever anchors name counts for nothing */
  async #movedHeads(since: number | null): Promise<ChainHead[]> {
    // The last anchor may be of a clock that was far ahead.
    const from = since === null ? '' : chainsSince(Math.min(since, this.#now()) - mayMoveForMs);
    const found = await headsFrom(this.#store, from);
    return found.flatMap(({ head, isAnchored }) => (since !== null && isAnchored ? [] : [head]));
  }
}
