import {
  ConnectionError,
  ContractError,
  StatusError,
  TimeoutError,
  isHttpError,
} from '../apis/http/errors';
import { answerTooLarge } from '../apis/http/exchange';
import { TokenUnavailableError } from '../apis/http/token';
import { EmptyArtifactError } from '../store/lens/lens';
import { isForGood } from './settled-wait';

/** Why a file that the service announced is not on file: words of ours. */
export interface ArtifactFault {
  why: string;
  /** `doubtful` is believed after some tries; `passing` is waited out, to the deadline. */
  kind: 'final' | 'doubtful' | 'passing';
}

/** What may be so for good is fetched again, from a fresh address, before it is believed. */
export const mostFetches = 4;

export function concernsCredentials(error: unknown): error is Error {
  if (error instanceof TokenUnavailableError) return true;
  return error instanceof StatusError && error.meansCredentials;
}

/**
 * @param maxBytes that one file may have
 * @throws what is no fault of a file
 */
export function artifactFault(error: unknown, maxBytes: number): ArtifactFault {
  if (error instanceof EmptyArtifactError) return { why: 'empty', kind: 'doubtful' };
  if (!isHttpError(error)) throw error;
  if (error instanceof ContractError) return { why: 'no web address', kind: 'final' };
  if (error instanceof StatusError) {
    // An address that has expired, or leads nowhere, is read anew, with the next read.
    const mayStay = error.status < 400 || isForGood(error);
    return { why: `answered ${error.status}`, kind: mayStay ? 'doubtful' : 'passing' };
  }
  if (error instanceof TimeoutError) return { why: 'not whole in time', kind: 'passing' };
  return error instanceof ConnectionError && error.safeCause.code === answerTooLarge
    ? { why: `larger than ${maxBytes} bytes`, kind: 'final' }
    : { why: 'no whole answer', kind: 'passing' };
}
