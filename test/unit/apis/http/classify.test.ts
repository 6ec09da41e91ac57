import { classifyFailure, type CallFailure } from '../../../../src/apis/http/classify';
import { ConnectionError, ContractError, TimeoutError } from '../../../../src/apis/http/errors';
import { answerTooLarge } from '../../../../src/apis/http/exchange';
import { TokenUnavailableError } from '../../../../src/apis/http/token';
import { answeredStatus } from '../../../support/status-errors';

const call = { method: 'POST', pathTemplate: '/certidoes/cnpj' };
const reset = { name: 'Error', code: 'ECONNRESET', syscall: null };
const answered = (...[status, fields]: [number, object?]) => answeredStatus(call, status, fields);

// The class of a call that may be repeated, then that of a POST without a key.
test.each<[string, CallFailure, string, string]>([
  ['no token', new TokenUnavailableError('is empty'), 'credentials', 'credentials'],
  ['nothing sent', new ConnectionError(call, 'no', reset), 'transient', 'transient'],
  ['a lost answer', new ConnectionError(call, 'maybe', reset), 'transient', 'unknown'],
  ['no time to send', new TimeoutError(call, 'no', 1_000), 'transient', 'transient'],
  ['no answer in time', new TimeoutError(call, 'maybe', 1_000), 'transient', 'unknown'],
  [
    'an answer that is too large',
    new ConnectionError(call, 'maybe', { ...reset, code: answerTooLarge }),
    'unknown',
    'unknown',
  ],
  ['an unreadable answer', new ContractError(call, []), 'unknown', 'unknown'],
  ['302', answered(302), 'unknown', 'unknown'],
  ['400', answered(400), 'permanent', 'permanent'],
  ['401', answered(401), 'credentials', 'credentials'],
  ['401 of another origin', answered(401, { elsewhere: true }), 'permanent', 'permanent'],
  ['403', answered(403), 'permanent', 'permanent'],
  ['403 unauthorized', answered(403, { code: 'UNAUTHORIZED' }), 'credentials', 'credentials'],
  ['403 token_expired', answered(403, { code: 'token_expired' }), 'credentials', 'credentials'],
  ['404', answered(404), 'permanent', 'permanent'],
  ['408', answered(408), 'transient', 'unknown'],
  ['409', answered(409), 'permanent', 'permanent'],
  ['409 to be tried again', answered(409, { retryable: true }), 'transient', 'permanent'],
  ['410', answered(410), 'permanent', 'permanent'],
  ['422', answered(422), 'permanent', 'permanent'],
  ['425', answered(425), 'transient', 'transient'],
  ['429', answered(429), 'transient', 'transient'],
  ['500', answered(500), 'transient', 'unknown'],
  ['501', answered(501), 'transient', 'unknown'],
  ['502', answered(502), 'transient', 'unknown'],
  ['503 not processed', answered(503), 'transient', 'transient'],
  ['503 of a proxy', answered(503, { wasNotProcessed: false }), 'transient', 'unknown'],
  ['504', answered(504), 'transient', 'unknown'],
  [
    '503 that is final',
    answered(503, { retryable: false, wasNotProcessed: false }),
    'permanent',
    'unknown',
  ],
])('%s', (_what, failure, repeatable, keyless) => {
  expect(classifyFailure(failure)).toBe(repeatable);
  expect(classifyFailure(failure, 'keyless')).toBe(keyless);
});
