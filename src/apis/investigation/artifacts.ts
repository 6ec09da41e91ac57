import { StatusError } from '../http/errors';
import type { CallPriority } from '../http/limiter';
import type { HttpStream } from '../http/exchange';
import type { HttpCall } from '../http/call';
import type { Service } from '../http/service';

/** More are a loop, or somebody's game. */
const mostRedirects = 3;
const redirects = [301, 302, 303, 307, 308];

/**
 * Fetches what lies at an address that the service named, and where that leads. Only the service's own
 * origin is shown the token (docs/protection.md); from elsewhere nothing leads back to it.
 *
 * @param fetch of one address
 * @throws RefusedAddressError; StatusError, with `elsewhere` from another origin: 403, 404 and 410 may mean
 *   that the address has expired, and a fresh one is to be read; 3xx leads too far, or nowhere
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
      const next = error instanceof StatusError ? error.location : null;
      const leadsOn = redirects.includes((error as StatusError).status);
      if (next === null || !leadsOn || redirected >= mostRedirects) throw error;
      url = service.follow(next, url);
    }
  }
}

/**
 * Fetches a file as `fetchNamed` does.
 *
 * @param take of the bytes as they come
 */
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
