import { answerTooLarge } from './exchange';
import { ConnectionError, ContractError, StatusError, isHttpError, type HttpError } from './errors';
import { RefusedAddressError } from '../../protection/address-guard';
import { TokenUnavailableError } from './token';

/** A call that came to nothing. Everything else that is thrown is an error of ours. */
export type CallFailure = HttpError | TokenUnavailableError;

/** `keyless`: a POST that nobody recognises when it comes twice. */
export type Repetition = 'repeatable' | 'keyless';

export type FailureClass =
  /** The same call is refused again. */
  | 'permanent'
  /** The same call may go again: of a keyless one, surely nothing was processed. */
  | 'transient'
  /** Our token is refused or not there: the item is not at fault. */
  | 'credentials'
  /** What the call came to cannot be known: a keyless one may have taken effect. */
  | 'unknown';

export function isCallFailure(error: unknown): error is CallFailure {
  return isHttpError(error) || error instanceof TokenUnavailableError;
}

/** The one rule of what a failed call means for the next one. */
export function classifyFailure(
  error: CallFailure,
  repetition: Repetition = 'repeatable',
): FailureClass {
  if (error instanceof TokenUnavailableError) return 'credentials';
  if (error instanceof RefusedAddressError) return 'permanent';
  if (error instanceof StatusError) return classOfStatus(error, repetition);
  if (error instanceof ContractError || isTooLarge(error)) return 'unknown';
  return repetition === 'repeatable' || error.sent === 'no' ? 'transient' : 'unknown';
}

/** The service refuses the call for good. */
export function isPermanent(error: unknown): error is StatusError {
  return error instanceof StatusError && classifyFailure(error) === 'permanent';
}

/** The answer holds more than the call takes. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof ConnectionError && error.safeCause.code === answerTooLarge;
}

function classOfStatus(error: StatusError, repetition: Repetition): FailureClass {
  const { status } = error;
  if (error.meansCredentials) return 'credentials';
  const isRepeatable = repetition === 'repeatable';
  if (status < 400) return 'unknown';
  if (status === 429 || status === 425) return 'transient';
  if (status === 408) return isRepeatable ? 'transient' : 'unknown';
  if (status < 500) return isRepeatable && error.retryable === true ? 'transient' : 'permanent';
  return isRepeatable || error.wasNotProcessed ? 'transient' : 'unknown';
}
