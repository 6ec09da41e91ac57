/** Keys of requests, and what each of them made. */

import { Refusal } from './refusal';
import type { Request } from './service';

/** A key that arrived. */
export interface KeySeen {
  key: string;
  /** Requests that carried it, whatever came of them. */
  seen: number;
  /** Id of what it made; null while nothing was made under it. */
  id: string | null;
}

/** With what was asked for when it made something. */
type KeyKept = KeySeen & { request: string | null };

const longestKey = 255;

export class IdempotencyKeys {
  readonly #kept = new Map<string, KeyKept>();
  readonly #repeated: () => 'same' | 'refused';

  /** @param repeated what a key that made something is told when it comes again */
  constructor(repeated: () => 'same' | 'refused') {
    this.#repeated = repeated;
  }

  /** The key of a request, which counts as seen. @throws Refusal 400 */
  arrived({ headers, entry }: Pick<Request, 'headers' | 'entry'>): KeyKept {
    const key = headers['idempotency-key'];
    if (typeof key !== 'string' || key === '') {
      throw new Refusal(400, 'idempotency_key_missing', 'The header Idempotency-Key is missing.');
    }
    if (key.length > longestKey) {
      const detail = `Idempotency-Key: expected at most ${longestKey} characters.`;
      throw new Refusal(400, 'idempotency_key_too_long', detail);
    }
    const kept = this.#kept.get(key) ?? { key, seen: 0, id: null, request: null };
    kept.seen += 1;
    entry.key = key;
    this.#kept.set(key, kept);
    return kept;
  }

  /**
   * Id of what the key made already, null when it is fresh.
   *
   * @throws Refusal 422 when it made something else, 409 when keys are not to be repeated
   */
  made(kept: KeyKept, request: string): string | null {
    if (kept.id === null) return null;
    if (kept.request !== request) {
      throw new Refusal(422, 'idempotency_key_mismatch', 'The key was used for something else.');
    }
    if (this.#repeated() === 'refused') {
      throw new Refusal(409, 'idempotency_key_used', 'The key has been used already.');
    }
    return kept.id;
  }

  bind(kept: KeyKept, request: string, id: string): void {
    Object.assign(kept, { request, id });
  }

  seen(): KeySeen[] {
    return [...this.#kept.values()].map(({ key, seen, id }) => ({ key, seen, id }));
  }
}
