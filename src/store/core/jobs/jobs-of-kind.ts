import { createHash } from 'node:crypto';
import type { AuditEntry } from '../../../domain/core/audit';
import { jobFolder, type JobEnding, type JobKind } from '../../../domain/job';
import type { IdKey } from '../../../protection/id-key';
import { keySegment } from '../../records';
import { Repository } from '../../sealed/sealed-database';
import type { Store } from '../../store';
import type { StoredJob } from './job-rows';

/** Requester of a job: where it is stored, what names its subjects, and the actor. */
export interface Asker {
  store: Store;
  idKey: IdKey;
  environment: { actor: string };
}

export interface JobShape<O> {
  kind: JobKind;
  root: string;
  end: (outcome: O) => JobEnding;
}

export abstract class JobsOfKind<
  I extends { jobId: string; createdAt: string },
  O extends object,
> extends Repository<Store> {
  protected abstract readonly shape: JobShape<O>;

  record(folder: string): Promise<I | null> {
    return this.store.jobs.input<I>(folder);
  }

  /** Durable; afterwards the job can be started. */
  async putRecord(folder: string, record: I, label: string | null = null): Promise<void> {
    const { jobId: id, createdAt } = record;
    await this.store.jobs.start(folder, { id, kind: this.shape.kind, createdAt, label }, record);
  }

  /** Stores a request; afterwards it can be started. */
  protected async request(
    { environment, idKey }: Asker,
    request: Omit<I, 'createdAt' | 'createdBy'> & { label?: string | null },
    held: Iterable<string>,
    at: Date,
  ): Promise<I> {
    const stamp = { createdAt: at.toISOString(), createdBy: environment.actor };
    const record = { ...request, ...stamp } as unknown as I;
    const label = request.label == null ? null : idKey.nameOf('document', request.label);
    const folder = jobFolder(record.jobId);
    await this.store.subjects.add(folder, held);
    await this.putRecord(folder, record, label);
    return record;
  }

  outcome(folder: string): Promise<O | null> {
    return this.store.jobs.outcome<O>(folder);
  }

  /** The first outcome stays, and is returned. */
  async putOutcome(folder: string, outcome: O, entries: readonly AuditEntry[] = []): Promise<O> {
    if (await this.store.jobs.end(folder, this.shape.end(outcome), outcome, entries))
      return outcome;
    const first = await this.outcome(folder);
    if (first === null) throw new RangeError('an outcome of a job that is not there');
    return first;
  }

  answer(folder: string, call?: number): Promise<Buffer | null> {
    return answerOf(this.store, folder, call);
  }

  /** The first response stays and is returned: it may have been charged. */
  async putAnswer(folder: string, body: Buffer, call?: number): Promise<Buffer> {
    const put = await this.store.records.putIfAbsent(answerKey(folder, call), body);
    return put === 'stored' ? body : ((await this.answer(folder, call)) ?? body);
  }

  /** Stores an unreadable response as evidence. */
  async putUnreadable(folder: string, body: Buffer): Promise<string> {
    const sum = createHash('sha256').update(body).digest('hex');
    const key = `${folder}/unreadable/${sum.slice(0, 32)}`;
    await this.store.records.putIfAbsent(key, body);
    return key;
  }

  /** Null: every response was readable. */
  async unreadable(folder: string): Promise<Buffer | null> {
    const [key] = await this.store.records.list(`${folder}/unreadable/`);
    return key === undefined ? null : this.store.records.get(key);
  }

  /** Counts an event. */
  async note(folder: string, what: readonly string[], at: number): Promise<number> {
    for (let n = (await this.noted(folder, what)) + 1; ; n += 1) {
      const key = `${notesPrefix(folder, what)}${String(n).padStart(4, '0')}.json`;
      if ((await this.store.records.putJson(key, { at })) === 'stored') return n;
    }
  }

  async noted(folder: string, what: readonly string[]): Promise<number> {
    return (await this.store.records.list(notesPrefix(folder, what))).length;
  }

  async takeBack(folder: string, what: readonly string[]): Promise<void> {
    await this.store.records.removeAll(notesPrefix(folder, what));
  }

  /** The last job of the same request, as `<root>/<below>/`; null: none. */
  newest(below: string): Promise<StoredJob<I> | null> {
    return this.store.jobs.last<I>(`${this.shape.root}/${below}/`);
  }

  /** All jobs, or those of one request, newest first. */
  all(below?: string): Promise<StoredJob<I>[]> {
    return this.store.jobs.below<I>(`${this.shape.root}/${below === undefined ? '' : `${below}/`}`);
  }
}

function notesPrefix(folder: string, what: readonly string[]): string {
  return `${folder}/notes/${what.map(keySegment).join('/')}/`;
}

/** The raw response of a job; null: none. @param call of several */
export function answerOf(
  { records }: Store,
  folder: string,
  call?: number,
): Promise<Buffer | null> {
  return records.get(answerKey(folder, call));
}

function answerKey(folder: string, call?: number): string {
  return `${folder}/answer${call === undefined ? '' : `-${call}`}.json`;
}

/** Where jobs of one resource are stored, and what an erasure must know. */
export interface JobFolders {
  /** First segment of their folders. */
  root: string;
  /** Their name in plans and erasure records. */
  word: string;
  /** First segment of the subjects that its jobs share: erased with the last job. */
  fence?: string;
  /** The service's reports on persons: an erasure removes entries that name another subject. */
  isReport?: true;
  /** Personal files cannot be rewritten: a job about a subject is erased as a whole. */
  goesWhole?: true;
}
