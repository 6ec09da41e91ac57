import type { CallPriority } from '../http/limiter';
import { ContractError } from '../http/errors';
import type { HttpCall, HttpStream, Service } from '../http/service';

const pathTemplate = '{artifact}';

/**
 * Fetches a file by the address that the service told. Only the service's own origin is shown the
 * token (DESIGN D5).
 *
 * @param take of the bytes as they come
 * @throws StatusError, with `elsewhere` from another origin: 403, 404 and 410 may mean that the
 *   address has expired, and a fresh one is to be read; ContractError when the address is none
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
  const address = URL.canParse(url, service.origin) && new URL(url, service.origin);
  if (!address || !/^https?:$/.test(address.protocol)) {
    throw new ContractError(name, [{ path: 'url', code: 'no_web_address' }]);
  }
  const call: HttpCall = { ...name, path: address.href, token: 'bearer', timeoutMs, maxBytes };
  return service.streamed(call, take, priority, signal);
}
