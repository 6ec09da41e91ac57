import type { ProfileOutcome, ProfileRecord } from '../domain/profiles/lookup';
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
    await this.#archive.putIfAbsent(`${folder}/asked.json`, text, { durable: true });
  }

  /** The body as it came with a call; null when none is on file. */
  answer(folder: string, call: number): Promise<Buffer | null> {
    return this.#archive.get(`${folder}/answer-${call}.json`);
  }

  /** The first one filed stays, and is returned: it may have been charged for. */
  async putAnswer(folder: string, call: number, body: Buffer): Promise<Buffer> {
    const key = `${folder}/answer-${call}.json`;
    const put = await this.#archive.putIfAbsent(key, body, { durable: true });
    return put === 'stored' ? body : ((await this.#archive.get(key)) ?? body);
  }

  /** Null before the end. */
  outcome(folder: string): Promise<ProfileOutcome | null> {
    return getJson<ProfileOutcome>(this.#archive, `${folder}/outcome.json`);
  }

  /** The first one filed stays; returns the one that stands. */
  async putOutcome(folder: string, outcome: ProfileOutcome): Promise<ProfileOutcome> {
    const text = JSON.stringify(outcome, null, 2);
    const key = `${folder}/outcome.json`;
    const put = await this.#archive.putIfAbsent(key, text, { durable: true });
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
