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
  readonly attempts: AttemptRepository;
  /** Input rows of jobs. */
  readonly rows: RowRepository;
  /** Outcomes of rows. */
  readonly outcomes: OutcomeRepository;
  /** Facts about issuances. */
  readonly facts: FactRepository;
  /** Which holders have data about which subjects. */
  readonly subjects: SubjectRepository;
  /** What was asked for. */
  readonly jobs: JobRepository;
  /** Rates of the services per worker. */
  readonly rateShares: RateShareRepository;
  /** Requests and their cost. */
  readonly spending: SpendingRepository;
  /** Jobs that need a person. */
  readonly inbox: InboxRepository;
  readonly #database: Database;

  /** @param seal default: none, and sealed data is returned sealed */
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

  /** @throws StoreError when it is not the store that was opened, or not writable */
  prove(): Promise<DatabaseFacts> {
    return this.#database.prove();
  }

  /** Commits what was submitted before. */
  close(): Promise<void> {
    return this.#database.close();
  }

  /** Resolves when removed or replaced data is no longer on the disk. */
  forget(): Promise<void> {
    return this.#database.forget();
  }

  /** Removes bytes after an erasure has committed. Idempotent. */
  async removeBlobs(names: readonly string[]): Promise<void> {
    for (const name of names) await this.#database.blobs.remove(name);
  }
}
