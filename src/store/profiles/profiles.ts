import { createHash } from 'node:crypto';
import type {
  ProfileOutcome,
  ProfileRecord,
  SentEnd,
  SentLookup,
} from '../../domain/profiles/lookup';
import { profileEnd } from '../../domain/job';
import { newestFirst, type Asked } from '../core/asked';
import type { RecordRepository } from '../records';
import type { Store } from '../store';

/** Lookups of profiles on file: what was asked for, what was answered, and how it ended. */
export class ProfileFile {
  readonly #records: RecordRepository;

  constructor({ records }: Store) {
    this.#records = records;
  }

  record(folder: string): Promise<ProfileRecord | null> {
    return this.#records.getJson<ProfileRecord>(`${folder}/asked.json`);
  }

  /** Durable: the work can be started once it is there. */
  async putRecord(folder: string, record: ProfileRecord): Promise<void> {
    const { workId: id, createdAt } = record;
    const starts = { id, kind: 'profile', createdAt, label: null } as const;
    await this.#records.putJson(`${folder}/asked.json`, record, { starts });
  }

  /** The body as it came with a call; null when none is on file. */
  answer(folder: string, call: number): Promise<Buffer | null> {
    return this.#records.get(`${folder}/answer-${call}.json`);
  }

  /** The first one filed stays, and is returned: it may have been charged for. */
  async putAnswer(folder: string, call: number, body: Buffer): Promise<Buffer> {
    const key = `${folder}/answer-${call}.json`;
    const put = await this.#records.putIfAbsent(key, body);
    return put === 'stored' ? body : ((await this.#records.get(key)) ?? body);
  }

  /**
   * A try of a call that is about to leave. Durable: what cannot be told here is not sent.
   *
   * @returns it, with its number
   */
  async putSent(folder: string, call: number, at: string): Promise<SentLookup> {
    const before = (await this.sent(folder)).filter((one) => one.call === call);
    for (let n = before.length + 1; ; n += 1) {
      const key = `${sentKey(folder, call, n)}.json`;
      const put = await this.#records.putJson(key, { at });
      if (put === 'stored') return { call, n, at, end: null };
    }
  }

  async putSentEnd(folder: string, { call, n }: SentLookup, end: SentEnd): Promise<void> {
    const key = `${sentKey(folder, call, n)}.end.json`;
    await this.#records.putJson(key, { end });
  }

  /** Nothing of it left, or nothing of it was taken in. */
  async removeSent(folder: string, { call, n }: SentLookup): Promise<void> {
    await this.#records.remove(`${sentKey(folder, call, n)}.json`);
  }

  /** Every try of every call of a lookup, in order. */
  async sent(folder: string): Promise<SentLookup[]> {
    const keys = await this.#records.list(`${folder}/sent/`);
    const found: SentLookup[] = [];
    for (const key of keys) {
      const [, call, n] = /\/(\d+)-(\d+)\.json$/.exec(key) ?? [];
      if (call === undefined || n === undefined) continue;
      const at = (await this.#records.getJson<{ at: string }>(key))?.at ?? '';
      const ended = key.replace(/\.json$/, '.end.json');
      const end = keys.includes(ended)
        ? ((await this.#records.getJson<{ end: SentEnd }>(ended))?.end ?? null)
        : null;
      found.push({ call: Number(call), n: Number(n), at, end });
    }
    return found.sort((a, b) => a.call - b.call || a.n - b.n);
  }

  /**
   * What a call was answered with and nobody can read: evidence, for a person.
   *
   * @returns its key
   */
  async putUnreadable(folder: string, { call, n }: SentLookup, body: Buffer): Promise<string> {
    const key = `${folder}/unreadable-${call}-${n}.json`;
    const sha256 = createHash('sha256').update(body).digest('hex');
    const record = { bytes: body.length, sha256, text: body.toString('utf8') };
    await this.#records.putJson(key, record);
    return key;
  }

  /** Null before the end. */
  outcome(folder: string): Promise<ProfileOutcome | null> {
    return this.#records.getJson<ProfileOutcome>(`${folder}/outcome.json`);
  }

  /** The first one filed stays; returns the one that stands. */
  async putOutcome(folder: string, outcome: ProfileOutcome): Promise<ProfileOutcome> {
    const { workId: id, settledAt: endedAt, status } = outcome;
    const ends = { id, endedAt, ...profileEnd(status) };
    return this.#records.putFirst(`${folder}/outcome.json`, outcome, { ends });
  }

  /** Every lookup of the store, or of a CPF by its keyed name, newest first. */
  all(name?: string): Promise<Asked<ProfileRecord>[]> {
    return newestFirst(this.#records, name === undefined ? 'profiles/' : `profiles/${name}/`);
  }
}

function sentKey(folder: string, call: number, n: number): string {
  return `${folder}/sent/${call}-${n}`;
}
