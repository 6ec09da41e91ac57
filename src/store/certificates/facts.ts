import type { IssuanceFact } from '../../domain/certificates/outcomes';
import { nameBytes, type StoredBytes } from '../core/stored-bytes';
import { rowName } from '../seal';
import type { SealedDatabase } from '../sealed-database';
import { insertInto, statement, type Statement } from '../statement';

/** A fact with the PDF that it names; null when its bytes are on record already, or there are none. */
export interface NewFact {
  fact: IssuanceFact;
  pdf: StoredBytes | null;
}

/** What is known for good about issuances, by their ids, whoever asked for them. */
export class FactRepository {
  readonly #store: SealedDatabase;

  constructor(store: SealedDatabase) {
    this.#store = store;
  }

  async of(certidaoId: string): Promise<IssuanceFact | null> {
    const [row] = await this.#store.read<{ body: Uint8Array }>(
      statement('SELECT body FROM fact WHERE external_id = ?', [certidaoId]),
    );
    return row === undefined ? null : this.#opened(certidaoId, row.body);
  }

  async *all(): AsyncGenerator<IssuanceFact> {
    for (let last = ''; ;) {
      const [row] = await this.#store.read<{ id: string; body: Uint8Array }>(
        statement(
          'SELECT external_id AS id, body FROM fact WHERE external_id > ? ORDER BY external_id LIMIT 1',
          [last],
        ),
      );
      if (row === undefined) return;
      yield this.#opened(row.id, row.body);
      last = row.id;
    }
  }

  async put(facts: readonly NewFact[]): Promise<void> {
    await this.#store.commit(await this.rows(facts));
  }

  /** To be committed with what they settle. The first fact about an issuance stays. */
  async rows(facts: readonly NewFact[]): Promise<Statement[]> {
    const rows: Statement[] = [];
    for (const { fact, pdf } of facts) {
      if (pdf !== null) rows.push(nameBytes(pdf));
      rows.push(
        insertInto('fact', ['external_id', 'body'], [[fact.certidaoId, await this.#sealed(fact)]]),
      );
    }
    return rows;
  }

  #sealed(fact: IssuanceFact): Promise<Buffer> {
    return this.#store.sealed(rowName('fact', fact.certidaoId), fact);
  }

  #opened(certidaoId: string, body: Uint8Array): IssuanceFact {
    return this.#store.opened(rowName('fact', certidaoId), body) as IssuanceFact;
  }
}
