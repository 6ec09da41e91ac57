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

/** All that an installation has stored. Whatever is written is on the disk before its promise resolves. */
export class Store extends SealedDatabase {
  /** What has no table of its own, by key. */
  readonly records: RecordRepository;
  /** What was bought, or may have been. */
  readonly attempts: AttemptRepository;
  /** What works have as their input lines. */
  readonly rows: RowRepository;
  /** How the rows of works ended. */
  readonly outcomes: OutcomeRepository;
  /** What is known for good about issuances. */
  readonly facts: FactRepository;
  /** What holds something about whom. */
  readonly subjects: SubjectRepository;
  /** What was asked for. */
  readonly jobs: JobRepository;
  /** How fast the services are asked, by whom. */
  readonly rateShares: RateShareRepository;
  /** What was sent, and what it cost. */
  readonly spending: SpendingRepository;
  /** What needs a person. */
  readonly inbox: InboxRepository;
  readonly #database: Database;

  /** @param seal default: none, and what is sealed is read as it stands */
  constructor(database: Database, seal?: Seal) {
    super(database, seal);
    this.#database = database;
    this.records = new RecordRepository(this, database.blobs);
    this.attempts = new AttemptRepository(this);
    this.rows = new RowRepository(this);
    this.outcomes = new OutcomeRepository(this);
    this.facts = new FactRepository(this);
    this.subjects = new SubjectRepository(this);
    this.jobs = new JobRepository(this);
    this.rateShares = new RateShareRepository(this);
    this.spending = new SpendingRepository(this);
    this.inbox = new InboxRepository(this);
  }

  /** @throws StoreError when it is not the one that was opened, or cannot be written */
  prove(): Promise<DatabaseFacts> {
    return this.#database.prove();
  }

  /** What was asked for before is committed first. */
  close(): Promise<void> {
    return this.#database.close();
  }

  /** What was removed or replaced is on the disk no more when it resolves. */
  forget(): Promise<void> {
    return this.#database.forget();
  }

  /** Of an erasure that is committed: bytes that no row names any more; none is no error. */
  async removeBlobs(names: readonly string[]): Promise<void> {
    for (const name of names) await this.#database.blobs.remove(name);
  }
}
