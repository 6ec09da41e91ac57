import type { AuditRecord } from '../../domain/core/audit';
import type { IdKey } from '../../protection/id-key';
import { pagesOf } from '../pages';
import type { SealedDatabase } from '../sealed/sealed-database';
import { entryOf, linkOf, perLook, eventsAfter, type EventRow } from './event';
import { beginningOf, stateOf } from './link';
import { rewritten } from './numbers';

export interface StoredAuditRecord extends AuditRecord {
  chain: string;
  hash: string;
  /** False when it was altered, or not written by us. */
  intact: boolean;
}

export interface AuditSpan {
  from?: number;
  to?: number;
  /** Called for a record that cannot be read at all. */
  onUnreadable: (chain: string) => void;
}

/** In the order of writing. What is not intact belongs to every range: its instant may be altered. */
export async function* readAudit(
  store: SealedDatabase,
  idKey: IdKey,
  { from = -Infinity, to = Infinity, onUnreadable }: AuditSpan,
): AsyncGenerator<StoredAuditRecord> {
  const looks = pagesOf<EventRow>(perLook, (last) => store.read(eventsAfter(last)));
  for await (const rows of looks) {
    const links = rows.map((row) => linkOf(store, row));
    const texts = links.map((link) => link?.text ?? '');
    const nameIn = await rewritten(store, texts, 'subject');
    for (const [at, { chain, ...row }] of rows.entries()) {
      const link = links[at] ?? null;
      if (link === null) {
        onUnreadable(chain);
        continue;
      }
      const intact = stateOf(idKey.auditKey, beginningOf(store.id, chain), link) === 'intact';
      const writtenAt = Date.parse(row.at);
      if (intact && !(writtenAt >= from && writtenAt < to)) continue;
      const { prev, number, hash } = row;
      yield { prev, number, at: row.at, ...entryOf(nameIn(link.text)), chain, hash, intact };
    }
  }
}
