/** Keys of requests, and what each of them made. */

import { Refusal } from './answer';
import type { Request } from './request';

/** A key that arrived. */
interface Key {
  key: string;
  /** Requests that carried it, whatever came of them. */
  seen: number;
  /** Id of what it made; null while nothing was made under it. */
  id: string | null;
  /** What was asked for when it made something. */
  request: string;
}

const longestKey = 255;

/** @param repeated the answer to a key that made something and comes again */
export function createKeys(repeated: () => 'same' | 'refused') {
  const keys = new Map<string, Key>();
  return {
    /**
     * The key of a request, which counts as seen.
     *
     * @throws Refusal 400; `made`: 422 when it made something else, 409 when keys are not to be repeated
     */
    arrived({ headers, entry }: Pick<Request, 'headers' | 'entry'>) {
      const key = headers['idempotency-key'];
      if (typeof key !== 'string' || key === '') {
        throw new Refusal(400, 'idempotency_key_missing', 'The header Idempotency-Key is missing.');
      }
      if (key.length > longestKey) {
        const detail = `Idempotency-Key: expected at most ${longestKey} characters.`;
        throw new Refusal(400, 'idempotency_key_too_long', detail);
      }
      const line = keys.get(key) ?? { key, seen: 0, id: null, request: '' };
      line.seen += 1;
      entry.key = key;
      keys.set(key, line);
      return {
        /** Id of what the key made already, null when it is fresh. */
        made(request: string): string | null {
          if (line.id === null) return null;
          if (line.request !== request) {
            const detail = 'The key was used for something else.';
            throw new Refusal(422, 'idempotency_key_mismatch', detail);
          }
          if (repeated() === 'refused') {
            throw new Refusal(409, 'idempotency_key_used', 'The key has been used already.');
          }
          return line.id;
        },
        bind: (request: string, id: string) => void Object.assign(line, { request, id }),
      };
    },
    seen: () => [...keys.values()].map(({ key, seen, id }) => ({ key, seen, id })),
  };
}
