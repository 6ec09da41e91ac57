/** Which tokens work, and how no token ever gets out; addresses on the origin of files, for who holds one. */

import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { SandboxClock } from '../core/clock';
import { expiredLink, Refusal } from './answer';

/** Certificates take the token in the query, all else as a bearer; what is open takes none (section Authentication). */
export type AuthScheme = 'query_token' | 'bearer' | 'open';

export class Credentials {
  /** Every token ever named, and whether it works now. */
  readonly #tokens = new Map<string, boolean>();

  constructor(token: string) {
    this.#tokens.set(token, true);
  }

  setValid(token: string, valid: boolean): void {
    this.#tokens.set(token, valid);
  }

  /** @throws Refusal 401 */
  check(scheme: AuthScheme, query: URLSearchParams, authorization = ''): void {
    if (scheme === 'open') return;
    const bearer = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
    const [token = '', ...more] = scheme === 'bearer' ? [bearer] : query.getAll('token');
    if (token === '') throw new Refusal(401, 'unauthorized', 'The token is missing.');
    if (more.length > 0 || this.#tokens.get(token) !== true) {
      throw new Refusal(401, 'unauthorized', 'The token is not valid.');
    }
  }

  /** The text without any token the sandbox has ever known. */
  mask(text: string): string {
    let masked = text;
    for (const token of this.#tokens.keys()) masked = masked.replaceAll(token, '***');
    return masked;
  }
}

export const filesPrefix = '/files/';

export function signedLinks(seed: number, clock: SandboxClock, origin: () => string) {
  const sign = (path: string, expires: string) =>
    createHash('sha256').update(`${seed}|${path}|${expires}`).digest('hex').slice(0, 32);
  return {
    /** @param path below `filesPrefix` */
    make(path: string, expiresAt: number): string {
      const whole = `${filesPrefix}${path}`;
      const expires = String(Math.round(expiresAt));
      return `${origin()}${whole}?expires=${expires}&signature=${sign(whole, expires)}`;
    },
    /** Storages refuse two kinds of credentials at once. @throws Refusal 400, 403 */
    check(path: string, query: URLSearchParams, headers: IncomingHttpHeaders): void {
      if (headers.authorization !== undefined) {
        throw new Refusal(400, 'TwoKindsOfCredentials', 'A signed address takes no Authorization.');
      }
      const expires = query.get('expires') ?? '';
      if (query.get('signature') !== sign(path, expires)) {
        throw new Refusal(403, 'SignatureDoesNotMatch', 'The signature is not ours.');
      }
      if (Number(expires) <= clock.now()) throw expiredLink();
    },
  };
}
