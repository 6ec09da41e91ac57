import type { IssuanceFact } from '../../domain/certificates/outcomes';
import { nameBytes, type StoredBytes } from '../records';
import { Repository } from '../sealed/sealed-database';
import { insertInto } from '../sealed/table-rows';
import { sql, type Statement } from '../statement';

/** A fact with its PDF; null when its bytes are stored already, or there are none. */
export interface NewFact {
  fact: IssuanceFact;
  pdf: StoredBytes | null;
}

export class FactRepository extends Repository {
  async of(certidaoId: string): Promise<IssuanceFact | null> {
    return (await this.among([certidaoId])).get(certidaoId) ?? null;
  }

  async among(ids: Iterable<string>): Promise<Map<string, IssuanceFact>> {
    const known = await this.store.among(new Set(ids), (some) =>
      this.store.select<{ body: IssuanceFact }>('fact', sql`WHERE external_id IN ${some}`),
    );
    return new Map(known.map(({ body }) => [body.certidaoId, body]));
  }

  async put(facts: readonly NewFact[]): Promise<void> {
    await this.store.commit(factRows(facts));
  }
}

/** For the transaction of their outcomes. The first fact about an issuance stays. */
export function factRows(facts: readonly NewFact[]): Statement[] {
  return facts.flatMap(({ fact, pdf }) => [
    ...(pdf === null ? [] : [nameBytes(pdf)]),
    insertInto('fact', [{ externalId: fact.certidaoId, body: fact }]),
  ]);
}
