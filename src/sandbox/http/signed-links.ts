/** Addresses on the origin of files: whoever holds one may use it, for a while. */

import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { SandboxClock } from '../core/clock';
import { expiredLink, Refusal } from './refusal';

export const filesPrefix = '/files/';

export class SignedLinks {
  readonly #seed: number;
  readonly #clock: SandboxClock;
  readonly #origin: () => string;

  constructor(seed: number, clock: SandboxClock, origin: () => string) {
    this.#seed = seed;
    this.#clock = clock;
    this.#origin = origin;
  }

  /** @param path below `filesPrefix` */
  make(path: string, expiresAt: number): string {
    const whole = `${filesPrefix}${path}`;
    const expires = String(Math.round(expiresAt));
    return `${this.#origin()}${whole}?expires=${expires}&signature=${this.#sign(whole, expires)}`;
  }

  /** Storages refuse two kinds of credentials at once. @throws Refusal 400, 403 */
  check(path: string, query: URLSearchParams, headers: IncomingHttpHeaders): void {
    if (headers.authorization !== undefined) {
      throw new Refusal(400, 'TwoKindsOfCredentials', 'A signed address takes no Authorization.');
    }
    const [expires, signature] = [query.get('expires') ?? '', query.get('signature')];
    if (signature !== this.#sign(path, expires)) {
      throw new Refusal(403, 'SignatureDoesNotMatch', 'The signature is not ours.');
    }
    if (Number(expires) <= this.#clock.now()) throw expiredLink();
  }

  #sign(path: string, expires: string): string {
    const words = `${this.#seed}|${path}|${expires}`;
    return createHash('sha256').update(words).digest('hex').slice(0, 32);
  }
}
