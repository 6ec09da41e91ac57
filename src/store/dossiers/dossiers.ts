import { createHash } from 'node:crypto';
import type {
  DossierOutcome,
  DossierRecord,
  FiledArtifact,
  UnfiledArtifact,
} from '../../domain/dossiers/follow';
import type { RetryIntent, RetryReceipt } from '../../domain/dossiers/retry';
import { dossierEnd } from '../../domain/job';
import type { StoredJob } from '../core/jobs';
import { JobsOfKind } from '../core/jobs-of-kind';
import { keySegment, type RecordRepository } from '../records';
import type { Store } from '../store';

/** The answers by which a dossier is on file, as they came. */
export interface DossierAnswers {
  status: object;
  /** Of the list, or of `DOSSIER_READ_PATH`; null when the status had it all. */
  whole: object | null;
}

/** Dossiers on file: what was asked for, what was answered, its files, and how it ended. */
export class DossierFile extends JobsOfKind<DossierRecord, DossierOutcome> {
  constructor(store: Store) {
    super(store, {
      root: 'dossiers/',
      start: ({ workId: id }) => ({ id, kind: 'dossier' }),
      end: (outcome) => ({ endedAt: outcome.settledAt, ...dossierEnd(outcome) }),
    });
  }

  /** All of them, or about one dossier, newest first. */
  override all(dossierId?: string): Promise<StoredJob<DossierRecord>[]> {
    return super.all(dossierId === undefined ? undefined : keySegment(dossierId));
  }

  answers(folder: string): Promise<DossierAnswers | null> {
    return this.store.records.getJson<DossierAnswers>(`${folder}/answers.json`);
  }

  async putAnswers(folder: string, answers: DossierAnswers): Promise<void> {
    await this.store.records.replace(`${folder}/answers.json`, JSON.stringify(answers, null, 2));
  }

  /** Null when it is not on file yet. */
  async artifact(
    folder: string,
    { artifactId, mediaType, type }: Omit<UnfiledArtifact, 'why'> & { mediaType: string | null },
  ): Promise<FiledArtifact | null> {
    const key = artifactKey(folder, artifactId);
    const body = await this.store.records.get(key);
    return body === null ? null : { artifactId, type, mediaType, key, ...sumOf(body) };
  }

  async putArtifact(folder: string, artifactId: string, body: Buffer): Promise<void> {
    await this.store.records.putIfAbsent(artifactKey(folder, artifactId), body, { bytes: true });
  }

  /** Of an attempt that was followed by another. */
  async takeArtifactsBack(folder: string): Promise<void> {
    await this.store.records.removeAll(`${folder}/artifacts/`);
    await this.store.records.removeAll(`${folder}/not-fetched/`);
  }

  /** Notes a fetch that came to nothing. @returns how often that has been so */
  async fetchedInVain(folder: string, artifactId: string, at: string): Promise<number> {
    const place = `${folder}/not-fetched/${keySegment(artifactId)}/`;
    const count = (await this.store.records.list(place)).length + 1;
    await this.store.records.putJson(`${place}${number(count)}.json`, { at });
    return count;
  }

  bytes(key: string): Promise<Buffer | null> {
    return this.store.records.get(key);
  }

  /** True when it was put on file just now, so that it cannot have been sent before. */
  async putCancelAsked(folder: string, at: string): Promise<boolean> {
    return (await this.store.records.putJson(`${folder}/cancel-asked.json`, { at })) === 'stored';
  }

  /** It never left, or was refused. */
  async takeCancelBack(folder: string): Promise<void> {
    await this.store.records.remove(`${folder}/cancel-asked.json`);
  }

  /** It has left, or was about to. */
  async mayHaveCancelled(folder: string): Promise<boolean> {
    return (await this.store.records.get(`${folder}/cancel-asked.json`)) !== null;
  }

  /** A cancellation that the service has heard of need not be sent again. */
  async wasCancelTaken(folder: string): Promise<boolean> {
    return (await this.store.records.get(`${folder}/cancel-taken.json`)) !== null;
  }

  async putCancelTaken(folder: string, at: string): Promise<void> {
    await this.store.records.putJson(`${folder}/cancel-taken.json`, { at });
  }
}

/** An intent with what became of it; null: it may have been sent, and nobody knows. */
export interface FiledRetry {
  intent: RetryIntent;
  receipt: FiledReceipt | null;
  /** Works that may have sent it. */
  askedBy: string[];
}

export type FiledReceipt = RetryReceipt & {
  /** The work that learnt what came of it: an attempt is counted once, with that one. */
  by: string;
};

/**
 * Requests for further attempts, on file before they are sent. They are everybody's: who
 * follows a dossier later goes on with the key of who was lost.
 */
export class RetryLedger {
  readonly #records: RecordRepository;

  constructor({ records }: Store) {
    this.#records = records;
  }

  /** What stands of this attempt for who wants it; null: it was never asked for, or refused to others. */
  async standing(wanted: WantedRetry): Promise<FiledRetry | null> {
    const last = (await this.of(wanted.dossierId, wanted.from)).at(-1);
    return last === undefined || isOver(last, wanted) ? null : last;
  }

  /** Key of what `take` would put on file, or find there. */
  async keyFor(wanted: WantedRetry): Promise<string> {
    const last = (await this.of(wanted.dossierId, wanted.from)).at(-1);
    if (last !== undefined && !isOver(last, wanted)) return last.intent.key;
    return retryKey(wanted, (last?.intent.n ?? 0) + 1);
  }

  /**
   * Durable before it returns. One that was refused is followed by another, for another request.
   *
   * @returns isNew: put on file just now, so that it cannot have been sent before
   */
  async take(
    wanted: WantedRetry & Pick<RetryIntent, 'at'>,
  ): Promise<FiledRetry & { isNew: boolean }> {
    for (;;) {
      const last = (await this.of(wanted.dossierId, wanted.from)).at(-1);
      if (last !== undefined && !isOver(last, wanted)) {
        if (last.receipt === null && !last.askedBy.includes(wanted.workId)) {
          await this.#records.putJson(askerKey(last.intent, wanted.workId), wanted);
        }
        return { ...last, isNew: false };
      }
      const n = (last?.intent.n ?? 0) + 1;
      const { asked, at, dossierId, from, workId } = wanted;
      const intent = { dossierId, from, workId, asked, at, n, key: retryKey(wanted, n) };
      const put = await this.#records.putJson(intentKey(intent), intent);
      if (put === 'stored') return { intent, receipt: null, askedBy: [workId], isNew: true };
    }
  }

  /** It may have left: it is on file whoever has taken it back meanwhile. */
  async keep(intent: RetryIntent): Promise<void> {
    await this.#records.putJson(intentKey(intent), intent);
  }

  /** Nothing of it has left, and nobody else has sent it. */
  async takeBack(intent: RetryIntent): Promise<void> {
    await this.#records.remove(intentKey(intent));
  }

  /** The first one stays; returns the one that stands. */
  async settle(intent: RetryIntent, receipt: FiledReceipt): Promise<FiledReceipt> {
    await this.keep(intent);
    return this.#records.putFirst(receiptKey(intent), receipt);
  }

  /** Of a dossier, or of one of its attempts, in order. */
  async of(dossierId: string, from?: number): Promise<FiledRetry[]> {
    const prefix =
      from === undefined ? dossierPrefix(dossierId) : `${folderOf({ dossierId, from })}/`;
    const keys = await this.#records.list(prefix);
    const found: FiledRetry[] = [];
    for (const key of keys) {
      if (!/\/\d+\.json$/.test(key)) continue;
      const intent = await this.#records.getJson<RetryIntent>(key);
      if (intent === null) continue;
      const receipt = await this.#records.getJson<FiledReceipt>(receiptKey(intent));
      const askedBy = [intent.workId];
      for (const other of keys.filter((one) => one.startsWith(askersPrefix(intent)))) {
        const asker = await this.#records.getJson<Pick<RetryIntent, 'workId'>>(other);
        if (asker !== null) askedBy.push(asker.workId);
      }
      found.push({ intent, receipt, askedBy });
    }
    return found;
  }
}

type WantedRetry = Pick<RetryIntent, 'dossierId' | 'from' | 'workId' | 'asked'>;

function isOver(
  { intent, receipt }: Pick<FiledRetry, 'intent' | 'receipt'>,
  wanted: Pick<RetryIntent, 'workId' | 'asked'>,
): boolean {
  const isOurs = intent.workId === wanted.workId && intent.asked === wanted.asked;
  return receipt?.kind === 'refused' && !isOurs;
}

/** The same for every work about this attempt: two of them cannot begin two attempts. */
function retryKey({ dossierId, from }: Pick<RetryIntent, 'dossierId' | 'from'>, n: number): string {
  const words = `dossier/${dossierId}|attempt ${from + 1}|${n}`;
  return `dossier-retry-${createHash('sha256').update(words).digest('hex')}`;
}

function dossierPrefix(dossierId: string): string {
  return `dossier-retries/${keySegment(dossierId)}/`;
}

function folderOf({ dossierId, from }: Pick<RetryIntent, 'dossierId' | 'from'>): string {
  return `${dossierPrefix(dossierId)}${number(from)}`;
}

function intentKey(intent: RetryIntent): string {
  return `${folderOf(intent)}/${number(intent.n)}.json`;
}

function receiptKey(intent: RetryIntent): string {
  return `${folderOf(intent)}/${number(intent.n)}-receipt.json`;
}

/** Of other works than the one that filed it. */
function askersPrefix(intent: RetryIntent): string {
  return `${folderOf(intent)}/${number(intent.n)}-asked-by/`;
}

function askerKey(intent: RetryIntent, workId: string): string {
  return `${askersPrefix(intent)}${keySegment(workId)}.json`;
}

function number(value: number): string {
  return String(value).padStart(4, '0');
}

function artifactKey(folder: string, artifactId: string): string {
  return `${folder}/artifacts/${keySegment(artifactId)}`;
}

function sumOf(body: Buffer): { sha256: string; bytes: number } {
  return { sha256: createHash('sha256').update(body).digest('hex'), bytes: body.length };
}
