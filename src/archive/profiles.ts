import { createHash } from 'node:crypto';
import type { ProfileOutcome, ProfileRecord, SentEnd, SentLookup } from '../domain/profiles/lookup';
import { profileEnd } from '../domain/job';
import { getJson, type Archive } from './archive';

/** Lookups of profiles on file: what was asked for, what was answered, and how it ended. */
export class ProfileFile {
  readonly #archive: Archive;

  constructor(archive: Archive) {
    this.#archive = archive;
  }

  record(folder: string): Promise<ProfileRecord | null> {
    return getJson<ProfileRecord>(this.#archive, `${folder}/asked.json`);
  }

  /** Durable: the work can be started once it is there. */
  async putRecord(folder: string, record: ProfileRecord): Promise<void> {
    const text = JSON.stringify(record, null, 2);
    const { workId: id, createdAt } = record;
    const starts = { id, kind: 'profile', createdAt, label: null } as const;
    await this.#archive.putIfAbsent(`${folder}/asked.json`, text, { starts });
  }

  /** The body as it came with a call; null when none is on file. */
  answer(folder: string, call: number): Promise<Buffer | null> {
    return this.#archive.get(`${folder}/answer-${call}.json`);
  }

  /** The first one filed stays, and is returned: it may have been charged for. */
  async putAnswer(folder: string, call: number, body: Buffer): Promise<Buffer> {
    const key = `${folder}/answer-${call}.json`;
    const put = await this.#archive.putIfAbsent(key, body);
    return put === 'stored' ? body : ((await this.#archive.get(key)) ?? body);
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
      const put = await this.#archive.putIfAbsent(key, JSON.stringify({ at }));
      if (put === 'stored') return { call, n, at, end: null };
    }
  }

  async putSentEnd(folder: string, { call, n }: SentLookup, end: SentEnd): Promise<void> {
    const key = `${sentKey(folder, call, n)}.end.json`;
    await this.#archive.putIfAbsent(key, JSON.stringify({ end }));
  }

  /** Nothing of it left, or nothing of it was taken in. */
  async removeSent(folder: string, { call, n }: SentLookup): Promise<void> {
    await this.#archive.remove(`${sentKey(folder, call, n)}.json`);
  }

  /** Every try of every call of a lookup, in order. */
  async sent(folder: string): Promise<SentLookup[]> {
    const keys = await this.#archive.list(`${folder}/sent/`);
    const found: SentLookup[] = [];
    for (const key of keys) {
      const [, call, n] = /\/(\d+)-(\d+)\.json$/.exec(key) ?? [];
      if (call === undefined || n === undefined) continue;
      const at = (await getJson<{ at: string }>(this.#archive, key))?.at ?? '';
      const ended = key.replace(/\.json$/, '.end.json');
      const end = keys.includes(ended)
        ? ((await getJson<{ end: SentEnd }>(this.#archive, ended))?.end ?? null)
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
    await this.#archive.putIfAbsent(key, JSON.stringify(record));
    return key;
  }

  /** Null before the end. */
  outcome(folder: string): Promise<ProfileOutcome | null> {
    return getJson<ProfileOutcome>(this.#archive, `${folder}/outcome.json`);
  }

  /** The first one filed stays; returns the one that stands. */
  async putOutcome(folder: string, outcome: ProfileOutcome): Promise<ProfileOutcome> {
    const text = JSON.stringify(outcome, null, 2);
    const key = `${folder}/outcome.json`;
    const { workId: id, settledAt: endedAt, status } = outcome;
    const ends = { id, endedAt, ...profileEnd(status) };
    const put = await this.#archive.putIfAbsent(key, text, { ends });
    return put === 'stored' ? outcome : ((await this.outcome(folder)) ?? outcome);
  }

  /** Every lookup of the archive, or of a CPF by its keyed name, newest first. */
  async all(name?: string): Promise<{ folder: string; record: ProfileRecord }[]> {
    const found: { folder: string; record: ProfileRecord }[] = [];
    const prefix = name === undefined ? 'profiles/' : `profiles/${name}/`;
    for (const key of await this.#archive.list(prefix)) {
      if (!key.endsWith('/asked.json')) continue;
      const folder = key.slice(0, -'/asked.json'.length);
      const record = await this.record(folder);
      if (record !== null) found.push({ folder, record });
    }
    return found.sort((a, b) => b.record.createdAt.localeCompare(a.record.createdAt));
  }
}

function sentKey(folder: string, call: number, n: number): string {
  return `${folder}/sent/${call}-${n}`;
}
