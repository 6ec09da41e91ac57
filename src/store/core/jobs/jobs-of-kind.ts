import { createHash } from 'node:crypto';
import type { AuditEntry } from '../../../domain/core/audit';
import type { JobEnding, JobStart } from '../../../domain/job';
import { keySegment } from '../../records';
import type { Store } from '../../store';
import type { StoredJob } from './job-rows';

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

  /**
   * The body as it came; null when none is on file.
   *
   * @param call of several
   */
  answer(folder: string, call?: number): Promise<Buffer | null> {
    return this.store.records.get(answerKey(folder, call));
  }

  /** The first one stored stays, and is returned: it may have been charged for. */
  async putAnswer(folder: string, body: Buffer, call?: number): Promise<Buffer> {
    const put = await this.store.records.putIfAbsent(answerKey(folder, call), body);
    return put === 'stored' ? body : ((await this.answer(folder, call)) ?? body);
  }

  /**
   * What was answered, and nobody can read: evidence, for a person.
   *
   * @returns its key
   */
  async putUnreadable(folder: string, body: Buffer): Promise<string> {
    const sum = createHash('sha256').update(body).digest('hex');
    const key = `${folder}/unreadable/${sum.slice(0, 32)}`;
    await this.store.records.putIfAbsent(key, body);
    return key;
  }

  /** Null: all that was answered could be read. */
  async unreadable(folder: string): Promise<Buffer | null> {
    const [key] = await this.store.records.list(`${folder}/unreadable/`);
    return key === undefined ? null : this.store.records.get(key);
  }

  /**
   * Notes that something was done, or came to nothing.
   *
   * @param what words that say which
   * @returns how often that has been so
   */
  async note(folder: string, what: readonly string[], at: number): Promise<number> {
    for (let n = (await this.noted(folder, what)) + 1; ; n += 1) {
      const key = `${notesPrefix(folder, what)}${String(n).padStart(4, '0')}.json`;
      if ((await this.store.records.putJson(key, { at })) === 'stored') return n;
    }
  }

  /** How often it has been so. */
  async noted(folder: string, what: readonly string[]): Promise<number> {
    return (await this.store.records.list(notesPrefix(folder, what))).length;
  }

  /** It was not so after all. */
  async takeBack(folder: string, what: readonly string[]): Promise<void> {
    await this.store.records.removeAll(notesPrefix(folder, what));
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

function notesPrefix(folder: string, what: readonly string[]): string {
  return `${folder}/notes/${what.map(keySegment).join('/')}/`;
}

function answerKey(folder: string, call?: number): string {
  return `${folder}/answer${call === undefined ? '' : `-${call}`}.json`;
}

/** Where jobs of one resource stand, and what an erasure must know of it. */
export interface JobFolders {
  /** First word of their folders. */
  root: string;
  /** Word in plans and erasure records. */
  word: string;
  /** What in it is of a person: shown with a plan. */
  holds: string;
  /** First word of the subjects that its jobs have bought together: they go with the last of them. */
  fence?: string;
  /** The service reported on a person: entries that name another subject go from it. */
  isReport?: true;
  /** Files of a person that cannot be rewritten: a job about a subject goes as a whole. */
  goesWhole?: true;
}
