import { ConnectionError, StatusError, TimeoutError } from '../apis/http/errors';
import type { Service } from '../apis/http/service';
import { TokenUnavailableError } from '../apis/http/token';
import { isForGood } from './settled-wait';

/**
 * Of a request with a key that failed: nothing left (no token, called off, no connection), or it was
 * turned away at the door. An intent that was filed for it alone can be taken back.
 *
 * @param service the one that was asked: what it answers without processing is its own
 */
export function isSurelyUnprocessed(
  error: unknown,
  service: Pick<Service, 'wasNotProcessed'>,
): boolean {
  if (error instanceof TokenUnavailableError) return true;
  if (error instanceof StatusError) {
    return error.meansCredentials || service.wasNotProcessed(error) || isForGood(error);
  }
  const isLost = error instanceof ConnectionError || error instanceof TimeoutError;
  return isLost && error.sent === 'no';
}
