import type { CallPriority } from '../http/limiter';
import { ContractError } from '../http/errors';
import type { HttpStream } from '../http/exchange';
import type { HttpCall, Service } from '../http/service';
import { redirectTarget, webAddress } from './redirects';

const pathTemplate = '{artifact}';
/** More are a loop, or somebody's game. */
const mostRedirects = 3;

/**
 * Fetches a file by the address that the service told, and by where that leads. Only the service's own
 * origin is shown the token (docs/protection.md); from elsewhere nothing leads back to it.
 *
 * @param take of the bytes as they come
 * @throws StatusError, with `elsewhere` from another origin: 403, 404 and 410 may mean that the
 *   address has expired, and a fresh one is to be read; 3xx leads too far, or to no address of the
 *   web; ContractError when the address is none
 */
export async function fetchArtifact<T>(
  service: Service,
  url: string,
  take: (answer: HttpStream) => Promise<T>,
  { timeoutMs, maxBytes }: { timeoutMs: number; maxBytes: number },
  priority: CallPriority = 'pdf',
  signal?: AbortSignal,
): Promise<T> {
  const name = { method: 'GET', pathTemplate };
  let path = webAddress(url, service.origin);
  if (path === null) throw new ContractError(name, [{ path: 'url', code: 'no_web_address' }]);
  for (let redirects = 0; ; redirects += 1) {
    const call: HttpCall = { ...name, path, token: 'bearer', timeoutMs, maxBytes };
    try {
      return await service.streamed(call, take, priority, signal);
    } catch (error) {
      const next = redirectTarget(error, path);
      if (next === null || redirects >= mostRedirects) throw error;
      if (leadsBack(service.origin, path, next)) throw error;
      path = next;
    }
  }
}

function leadsBack(own: string, from: string, to: string): boolean {
  return new URL(from).origin !== own && new URL(to).origin === own;
}
