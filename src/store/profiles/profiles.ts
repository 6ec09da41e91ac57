import { createHash } from 'node:crypto';
import type {
  ProfileOutcome,
  ProfileRecord,
  SentEnd,
  SentLookup,
} from '../../domain/profiles/lookup';
import { profileEnd } from '../../domain/job';
import { JobsOfKind } from '../core/jobs-of-kind';
import type { Store } from '../store';

/** Lookups of profiles on file: what was asked for, what was answered, and how it ended. */
export class ProfileFile extends JobsOfKind<ProfileRecord, ProfileOutcome> {
  constructor(store: Store) {
    super(store, {
      root: 'profiles/',
      start: ({ workId: id }) => ({ id, kind: 'profile' }),
      end: (outcome) => ({ endedAt: outcome.settledAt, ...profileEnd(outcome.status) }),
    });
  }

  /** The body as it came with a call; null when none is on file. */
  answer(folder: string, call: number): Promise<Buffer | null> {
    return this.store.records.get(`${folder}/answer-${call}.json`);
  }

  /** The first one filed stays, and is returned: it may have been charged for. */
  async putAnswer(folder: string, call: number, body: Buffer): Promise<Buffer> {
    const key = `${folder}/answer-${call}.json`;
    const put = await this.store.records.putIfAbsent(key, body);
    return put === 'stored' ? body : ((await this.store.records.get(key)) ?? body);
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
      const put = await this.store.records.putJson(key, { at });
      if (put === 'stored') return { call, n, at, end: null };
    }
  }

  async putSentEnd(folder: string, { call, n }: SentLookup, end: SentEnd): Promise<void> {
    const key = `${sentKey(folder, call, n)}.end.json`;
    await this.store.records.putJson(key, { end });
  }

  /** Nothing of it left, or nothing of it was taken in. */
  async removeSent(folder: string, { call, n }: SentLookup): Promise<void> {
    await this.store.records.remove(`${sentKey(folder, call, n)}.json`);
  }

  /** Every try of every call of a lookup, in order. */
  async sent(folder: string): Promise<SentLookup[]> {
    const keys = await this.store.records.list(`${folder}/sent/`);
    const found: SentLookup[] = [];
    for (const key of keys) {
      const [, call, n] = /\/(\d+)-(\d+)\.json$/.exec(key) ?? [];
      if (call === undefined || n === undefined) continue;
      const at = (await this.store.records.getJson<{ at: string }>(key))?.at ?? '';
      const ended = key.replace(/\.json$/, '.end.json');
      const end = keys.includes(ended)
        ? ((await this.store.records.getJson<{ end: SentEnd }>(ended))?.end ?? null)
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
    await this.store.records.putJson(key, record);
    return key;
  }
}

function sentKey(folder: string, call: number, n: number): string {
  return `${folder}/sent/${call}-${n}`;
}
