/** Which tokens work, and how no token ever gets out. */

import { Refusal } from './refusal';

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
  check(scheme: AuthScheme, query: URLSearchParams, authorization: string | undefined): void {
    if (scheme === 'open') return;
    const presented =
      scheme === 'query_token' ? query.getAll('token') : bearerTokens(authorization ?? '');
    const [token] = presented;
    if (token === undefined || token === '') {
      throw new Refusal(401, 'unauthorized', 'The token is missing.');
    }
    if (presented.length > 1 || this.#tokens.get(token) !== true) {
      throw new Refusal(401, 'unauthorized', 'The token is not valid.');
    }
  }

  /** The text without any token the sandbox has ever known. */
  mask(text: string): string {
    let masked = text;
    for (const token of this.#tokens.keys()) {
      if (masked.includes(token)) masked = masked.replaceAll(token, '***');
    }
    return masked;
  }
}

function bearerTokens(authorization: string): string[] {
  const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  return token === undefined ? [] : [token];
}
