/** Every fault of a call, by the word that a scenario has for it: whom it strikes, and what it does. */

import type { Times } from '../core/scenario-parts';
import { expiredLink, htmlAnswer, Refusal, retryLater, textAnswer } from '../http/answer';
import type { RawAnswer } from '../http/answer';
import { cut, refuse, reset, send, trickle, type Deliver } from '../http/delivery';
import * as corruptions from '../http/corruptions';

/**
 * What a call does, which decides which faults it can have. `order` creates without a key, `form` with
 * a file, `create` with a key; `poll` and `read` read a state, `lookup` anything else; `pdf` is a
 * download with a token, `download` one by a signed address; `open` needs no token.
 */
const all = [
  'order',
  'form',
  'poll',
  'pdf',
  'result',
  'open',
  'lookup',
  'create',
  'retry',
  'change',
  'read',
  'list',
  'upload',
  'download',
] as const;
export type CallRole = (typeof all)[number];

interface Effect {
  /** Default 1. */
  times?: Times;
  /** What happens instead of the call. Without it the service does what was asked, and then: */
  instead?: Deliver<number>;
  /** What becomes of the answer, or of each item of a list; of a list as a whole. */
  corrupt?: corruptions.Corruption;
  corruptList?: corruptions.Corruption;
  /** How the answer is sent. */
  deliver?: Deliver<RawAnswer>;
}
export interface Fault extends Effect {
  roles: readonly CallRole[];
  /** What the client sees, for docs/reference/sandbox.md. */
  shows: string;
}

const withToken = all.filter((role) => !['open', 'upload', 'download'].includes(role));
const withJson = all.filter((role) => !['pdf', 'upload', 'download'].includes(role));
const deciding = ['create', 'retry', 'change'] as const satisfies readonly CallRole[];
const ordering = ['order', 'form', ...deciding] as const satisfies readonly CallRole[];
const states = ['poll', ...deciding, 'read', 'list'] as const satisfies readonly CallRole[];
const files = ['pdf', 'download'] as const satisfies readonly CallRole[];
const named = ['lookup', 'retry', 'change', 'read', 'list', 'upload', 'download'] as const;

const fault = (roles: readonly CallRole[], shows: string, effect: Effect = {}): Fault => ({
  roles,
  shows,
  ...effect,
});
const refused = (refusal: (retryAfterSeconds: number) => Refusal): Effect => ({
  instead: (exchange, retryAfterSeconds) => refuse(exchange, refusal(retryAfterSeconds)),
});
const refusedAs = (...about: ConstructorParameters<typeof Refusal>) =>
  refused(() => new Refusal(...about));
const instead = (answer: RawAnswer): Effect => ({ instead: (exchange) => send(exchange, answer) });
const after = (answer: RawAnswer): Effect => ({ deliver: (exchange) => send(exchange, answer) });
/** The same head over another body. */
const bytes = (of: (body: Buffer) => Buffer): Effect => ({
  deliver(exchange, { status, headers, body: whole }) {
    const body = of(whole);
    const length = { 'content-length': String(body.length) };
    return send(exchange, { status, headers: { ...headers, ...length }, body });
  },
});
const silence = () => null;
const serverError = htmlAnswer(500, 'Internal Server Error');

export const faults = {
  '429': fault(all, '429, `Retry-After`, problem, retryable', refused(retryLater)),
  '429_bare': fault(
    all,
    '429, plain text, no word of when',
    instead(textAnswer(429, 'text/plain', 'Too Many Requests')),
  ),
  '503': fault(
    all,
    '503, `Retry-After`, problem, retryable',
    refused((seconds) => retryLater(seconds, 503)),
  ),
  '503_bare': fault(
    all,
    '503, plain text',
    instead(textAnswer(503, 'text/plain', 'Service Unavailable')),
  ),
  '500_html': fault(all, '500, an HTML page', instead(serverError)),
  '500_html_after': fault(all, '500, an HTML page', after(serverError)),
  '502': fault(all, '502, an HTML page', instead(htmlAnswer(502, 'Bad Gateway'))),
  '504_after': fault(all, '504, an HTML page', after(htmlAnswer(504, 'Gateway Time-out'))),
  reset_before: fault(all, 'RST, no answer', { instead: reset }),
  reset_after: fault(all, 'RST, no answer', { deliver: reset }),
  cut_answer: fault(all, 'status, half of the body, end of the connection', { deliver: cut }),
  no_answer: fault(all, 'silence until the client closes', { deliver: silence }),
  no_answer_before: fault(all, 'silence until the client closes', { instead: silence }),
  redirect: fault(
    all,
    '302 to an address that leads nowhere',
    instead(htmlAnswer(302, 'Found', { location: '/manutencao' })),
  ),
  slow: fault(all, 'the right answer, `delayMs` late', {
    deliver: async (exchange, answer, delayMs) => {
      await exchange.clock.sleep(delayMs);
      return send(exchange, answer);
    },
  }),
  '401': fault(
    withToken,
    '401 problem, `unauthorized`',
    refusedAs(401, 'unauthorized', 'The token is not valid.'),
  ),
  '403_unauthorized': fault(
    withToken,
    '403 problem, `unauthorized`',
    refusedAs(403, 'unauthorized', 'The token may not do this.'),
  ),
  '400_refused': fault(
    ordering,
    '400 problem, not retryable',
    refusedAs(400, 'request_refused', 'The request is refused.'),
  ),
  '413': fault(
    ['form'],
    '413 problem, after the whole of the upload',
    refusedAs(413, 'file_too_large', 'The file is too large.'),
  ),
  not_ready: fault(['result'], '`notReadyStatus`, although the result is there', {
    instead: silence,
  }),
  unreadable_2xx: fault(
    withJson,
    'the right status, a body that is not JSON',
    bytes(() => Buffer.from('{"id": "')),
  ),
  missing_id: fault([...ordering, 'read'], 'JSON without the id', {
    corrupt: (json) => corruptions.without(json, 'id'),
  }),
  extra_fields: fault(withJson, 'unknown fields at every level; in a list, of every item', {
    corrupt: corruptions.withExtraFields,
  }),
  unknown_status: fault(
    states,
    'a status that no document shows (of a change, a severity too), for three calls; in a list, of all items',
    { times: 3, corrupt: corruptions.underReview },
  ),
  slow_pdf: fault(files, 'the bytes trickle over `delayMs`', { deliver: trickle }),
  wrong_sha256: fault(
    files,
    'a readable PDF whose sum is not the announced one; heals after `times`',
    // A comment after the end: readers still open the file, its sum is another.
    bytes((body) => Buffer.concat([body, Buffer.from('% another copy\n')])),
  ),
  not_a_pdf: fault(
    files,
    '200 with an HTML page',
    after(htmlAnswer(200, 'Documento em processamento')),
  ),
  empty_pdf: fault(
    files,
    '200 without a byte',
    bytes(() => Buffer.alloc(0)),
  ),
  '404': fault(named, '404', refusedAs(404, 'not_found', 'There is no such thing.')),
  '405': fault(
    ['read'],
    '405 problem',
    refusedAs(405, 'method_not_allowed', 'This is not allowed here.'),
  ),
  '409': fault(deciding, '409 problem', refusedAs(409, 'conflict', 'The state does not allow it.')),
  '409_retryable': fault(
    deciding,
    '409 problem, retryable',
    refusedAs(409, 'not_yet', 'The state does not allow it yet.', { retryable: true }),
  ),
  '403_custom_not_enabled': fault(
    ['retry'],
    '403 problem, `dossie_custom_not_enabled`',
    // The one refusal that the document shows with its code (section Errors).
    refusedAs(
      403,
      'dossie_custom_not_enabled',
      'Modular and provided-data dossiers are not enabled for this workspace.',
    ),
  ),
  expired_link: fault(['upload', 'download'], '403, whatever the clock says', refused(expiredLink)),
  bad_item: fault(['list'], 'an item more, in front, whose id is a number', {
    corruptList: (json) => ({
      ...json,
      data: [{ id: 7, status: null }, ...(json['data'] as object[])],
    }),
  }),
  repeated_cursor: fault(
    ['list'],
    '`next_cursor` is the cursor that was sent, and `has_more` is true',
    { corruptList: corruptions.repeatedCursor },
  ),
  wrong_summary: fault(['result'], '`summary.blocked` is one too high'),
  stray_titulo: fault(['result'], 'a blocked titulo more, that no other read shows'),
  unknown_entity_status: fault(['result'], 'the first titulo has the status `em_revisao`'),
} as const satisfies Record<string, Fault>;

export type FaultKind = keyof typeof faults;
export const faultKinds = Object.keys(faults) as FaultKind[];

export function isFault(kind: string): kind is FaultKind {
  return Object.hasOwn(faults, kind);
}
export const strikesRole = (kind: FaultKind, role: CallRole) => faults[kind].roles.includes(role);
