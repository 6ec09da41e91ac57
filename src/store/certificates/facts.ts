import type { IssuanceFact } from '../../domain/certificates/outcomes';
import { nameBytes, type StoredBytes } from '../records';
import type { SealedDatabase } from '../sealed/sealed-database';
import { SealedTable } from '../sealed/sealed-table';
import { partsOf, sql, type Statement } from '../statement';

/** A fact with its PDF; null when its bytes are stored already, or there are none. */
export interface NewFact {
  fact: IssuanceFact;
  pdf: StoredBytes | null;
}

/** Facts about issuances, by their ids, for all jobs. */
export class FactRepository extends SealedTable<IssuanceFact> {
  constructor(store: SealedDatabase) {
    super(store, 'fact');
  }

  async of(certidaoId: string): Promise<IssuanceFact | null> {
    const [row] = await this.read([certidaoId]);
    return row?.body ?? null;
  }

  /** The known ones, by id. */
  async among(ids: readonly string[]): Promise<Map<string, IssuanceFact>> {
    const found = new Map<string, IssuanceFact>();
    for (const some of partsOf([...new Set(ids)])) {
      const known = await this.read([], { where: sql`external_id IN ${some}` });
      for (const { body } of known) found.set(body.certidaoId, body);
    }
    return found;
  }

  async put(facts: readonly NewFact[]): Promise<void> {
    await this.store.commit(this.rows(facts));
  }

  /** For the transaction of their outcomes. The first fact about an issuance stays. */
  rows(facts: readonly NewFact[]): Statement[] {
    return facts.flatMap(({ fact, pdf }) => [
      ...(pdf === null ? [] : [nameBytes(pdf)]),
      ...this.insert([[fact.certidaoId, fact]]),
    ]);
  }
}
