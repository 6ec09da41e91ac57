import { StatusError } from '../http/errors';
import type { CallPriority } from '../http/limiter';
import type { HttpStream } from '../http/exchange';
import type { HttpCall } from '../http/call';
import type { Service } from '../http/service';

/** More are a loop or an attack. */
export const mostRedirects = 3;
const redirects = [301, 302, 303, 307, 308];

/**
 * Fetches an address that the service named, and follows redirects. Only the service's own origin gets the token
 * (docs/protection.md); another origin cannot redirect back to it.
 *
 * @param fetch fetches one address
 * @throws RefusedAddressError; StatusError, with `elsewhere` from another origin: 403, 404 and 410 may mean
 *   an expired address, to be read again; 3xx: too many redirects, or no target
 */
export async function fetchNamed<T>(
  service: Service,
  address: string,
  call: Omit<HttpCall, 'method' | 'path'>,
  fetch: (call: HttpCall) => Promise<T>,
): Promise<T> {
  let url = service.follow(address);
  for (let redirected = 0; ; redirected += 1) {
    try {
      return await fetch({ ...call, method: 'GET', path: url.href });
    } catch (error) {
      const next = redirectOf(error, redirects);
      if (next === null || redirected >= mostRedirects) throw error;
      url = service.follow(next, url);
    }
  }
}

/** Where a refused call is to be made instead; null: nowhere. */
export function redirectOf(error: unknown, statuses: readonly number[]): string | null {
  return error instanceof StatusError && statuses.includes(error.status) ? error.location : null;
}

/** Fetches a file as `fetchNamed` does. @param take reads the streamed bytes */
export async function fetchArtifact<T>(
  service: Service,
  url: string,
  take: (answer: HttpStream) => Promise<T>,
  limits: { timeoutMs: number; maxBytes: number },
  priority: CallPriority = 'pdf',
  signal?: AbortSignal,
): Promise<T> {
  const call = { ...limits, pathTemplate: '{artifact}', token: 'bearer' } as const;
  return fetchNamed(service, url, call, (one) => service.streamed(one, take, priority, signal));
}
