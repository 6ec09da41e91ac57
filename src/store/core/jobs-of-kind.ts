import type { AuditEntry } from '../../domain/audit';
import type { JobEnding, JobStart } from '../../domain/job';
import type { Store } from '../store';
import type { StoredJob } from './jobs';

/** What tells jobs of one kind from those of another. */
export interface JobShape<I, O> {
  /** Folder of all of them, with its slash. */
  root: string;
  start: (input: I) => Pick<JobStart, 'id' | 'kind'>;
  end: (outcome: O, input: I) => JobEnding;
}

/** The jobs of one kind. */
export class JobsOfKind<I extends { createdAt: string }, O extends object> {
  protected readonly store: Store;
  readonly #shape: JobShape<I, O>;

  constructor(store: Store, shape: JobShape<I, O>) {
    this.store = store;
    this.#shape = shape;
  }

  /** What was asked for; null when there is no such job. */
  record(folder: string): Promise<I | null> {
    return this.store.jobs.input<I>(folder);
  }

  /**
   * Durable: the job can be started once it is there.
   *
   * @param label keyed name of its label
   */
  async putRecord(folder: string, record: I, label: string | null = null): Promise<void> {
    const { createdAt } = record;
    const start = { ...this.#shape.start(record), createdAt, label };
    await this.store.jobs.start(folder, start, record);
  }

  /** Null before the end. */
  outcome(folder: string): Promise<O | null> {
    return this.store.jobs.outcome<O>(folder);
  }

  /**
   * The first one stays; returns the one that stands.
   *
   * @param entries what the audit trail says of it
   * @throws RangeError when there is no such job
   */
  async putOutcome(folder: string, outcome: O, entries: readonly AuditEntry[] = []): Promise<O> {
    const record = await this.record(folder);
    if (record === null) throw new RangeError('an outcome of a job that is not there');
    const ending = this.#shape.end(outcome, record);
    const isFirst = await this.store.jobs.end(folder, ending, outcome, entries);
    return isFirst ? outcome : ((await this.outcome(folder)) ?? outcome);
  }

  /** The last time that the same was asked for, as `<root><below>/`; null when it never was. */
  newest(below: string): Promise<StoredJob<I> | null> {
    return this.store.jobs.last<I>(`${this.#shape.root}${below}/`);
  }

  /** All of them, or of one ask, newest first. */
  all(below?: string): Promise<StoredJob<I>[]> {
    const { root } = this.#shape;
    return this.store.jobs.below<I>(below === undefined ? root : `${root}${below}/`);
  }
}
