import { FactRepository } from './certificates/facts';
import { OutcomeRepository } from './certificates/outcomes';
import { AttemptRepository } from './core/attempts';
import { InboxRepository } from './core/jobs/inbox';
import { JobRepository } from './core/jobs/jobs';
import { RateShareRepository } from './core/rate-shares';
import { RowRepository } from './core/rows';
import { SpendingRepository } from './core/spending';
import { SubjectRepository } from './core/subjects';
import type { Database, DatabaseFacts } from './database';
import { RecordRepository } from './records';
import type { Seal } from './sealed/seal';
import { SealedDatabase } from './sealed/sealed-database';

export type { Loss } from './database';
export type { StoreObserver } from './sealed/sealed-database';

/** All stored data of an installation. Writes are flushed before their promises resolve. */
export class Store extends SealedDatabase {
  /** Objects without a table of their own, by key. */
  readonly records: RecordRepository;
  /** Purchases, certain or possible. */
  readonly attempts = new AttemptRepository(this);
  /** Input rows of jobs. */
  readonly rows = new RowRepository(this);
  /** Outcomes of rows. */
  readonly outcomes = new OutcomeRepository(this);
  /** Facts about issuances. */
  readonly facts = new FactRepository(this);
  /** Which holders have data about which subjects. */
  readonly subjects = new SubjectRepository(this);
  /** What was asked for. */
  readonly jobs = new JobRepository(this);
  /** Rates of the services per worker. */
  readonly rateShares = new RateShareRepository(this);
  /** Requests and their cost. */
  readonly spending = new SpendingRepository(this);
  /** Jobs that need a person. */
  readonly inbox = new InboxRepository(this);

  /** @param seal default: none, and sealed data is returned sealed */
  constructor(database: Database, seal?: Seal) {
    super(database, seal);
    this.records = new RecordRepository(this, database.blobs);
  }

  /** @throws StoreError when it is not the store that was opened, or not writable */
  prove(): Promise<DatabaseFacts> {
    return this.database.prove();
  }

  /** Commits what was submitted before. */
  close(): Promise<void> {
    return this.database.close();
  }

  /** Resolves when removed or replaced data is no longer on the disk. */
  forget(): Promise<void> {
    return this.database.forget();
  }

  /** Removes bytes after an erasure has committed. Idempotent. */
  async removeBlobs(names: readonly string[]): Promise<void> {
    for (const name of names) await this.database.blobs.remove(name);
  }
}
