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
  readonly records: RecordRepository;
  readonly attempts = new AttemptRepository(this);
  readonly rows = new RowRepository(this);
  readonly outcomes = new OutcomeRepository(this);
  readonly facts = new FactRepository(this);
  readonly subjects = new SubjectRepository(this);
  readonly jobs = new JobRepository(this);
  readonly rateShares = new RateShareRepository(this);
  readonly spending = new SpendingRepository(this);
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
