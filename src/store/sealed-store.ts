import type { AuditEntry } from '../domain/audit';
import { eventOf } from './audit/event';
import { noSeal, type Seal } from './seal';
import type { Statement, StatementResult } from './statement';
import type { Store } from './store';

/** A store as its repositories see it: with the seal of what its columns and blobs hold. */
export class SealedStore implements Seal {
  readonly id: string;
  readonly #store: Store;
  readonly #seal: Seal;

  constructor(store: Store, seal: Seal = noSeal) {
    this.id = store.id;
    this.#store = store;
    this.#seal = seal;
  }

  /** Rows of one SELECT; sees what was committed before. */
  read<T>(statement: Statement): Promise<T[]> {
    return this.#store.read<T>(statement);
  }

  /**
   * As `Store.commit`.
   *
   * @param entries what the audit trail tells of it
   */
  async commit(
    statements: readonly Statement[],
    entries: readonly AuditEntry[] = [],
  ): Promise<StatementResult[]> {
    const events = await Promise.all(entries.map((entry) => eventOf(this, entry)));
    return this.#store.commit(statements, events);
  }

  seal(name: string, plain: string): Promise<Uint8Array | string> {
    return this.#seal.seal(name, plain);
  }

  open(name: string, body: Uint8Array): Buffer {
    return this.#seal.open(name, body);
  }

  /** As JSON, for a column of the row with this name. */
  async sealed(name: string, value: unknown): Promise<Buffer> {
    return Buffer.from(await this.#seal.seal(name, JSON.stringify(value)));
  }

  opened(name: string, body: Uint8Array): unknown {
    return JSON.parse(this.#seal.open(name, body).toString('utf8'));
  }
}
