import { ConnectionError, StatusError, TimeoutError } from '../apis/http/errors';
import { TokenUnavailableError } from '../apis/http/token';
import { isForGood } from './settled-wait';

/**
 * Of a request with a key that failed: nothing left (no token, called off, no connection), or it was
 * turned away at the door. An intent that was filed for it alone can be taken back.
 */
export function isSurelyUnprocessed(error: unknown): boolean {
  if (error instanceof TokenUnavailableError) return true;
  if (error instanceof StatusError) {
    return error.meansCredentials || error.status === 429 || isForGood(error);
  }
  const isLost = error instanceof ConnectionError || error instanceof TimeoutError;
  return isLost && error.sent === 'no';
}
