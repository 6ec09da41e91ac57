/** Every kind of trouble with a call, by the word that a scenario asks for it with. */

import type { Times } from '../core/scenario-parts';

/**
 * What a call does, which decides what trouble it can have. `order` creates without a key, `form` with
 * a file, `create` with a key; `poll` and `read` read a state, `lookup` anything else; `pdf` is a
 * download with a token, `download` one by a signed address; `open` needs no token.
 */
const callRoles = [
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
export type CallRole = (typeof callRoles)[number];

interface Fault {
  roles: readonly CallRole[];
  /** Whether the service does what was asked although the call goes wrong. */
  acts: boolean;
  /** Default 1. */
  times?: Times;
  /** What the client sees, for docs/reference/sandbox.md. */
  shows: string;
}

const withToken = callRoles.filter((role) => !['open', 'upload', 'download'].includes(role));
const withJson = callRoles.filter((role) => !['pdf', 'upload', 'download'].includes(role));
const deciding = ['create', 'retry', 'change'] as const satisfies readonly CallRole[];
const ordering = ['order', 'form', ...deciding] as const satisfies readonly CallRole[];
const states = ['poll', ...deciding, 'read', 'list'] as const satisfies readonly CallRole[];
const files = ['pdf', 'download'] as const satisfies readonly CallRole[];
const named = ['lookup', 'retry', 'change', 'read', 'list', 'upload', 'download'] as const;

export const faults = {
  '429': { roles: callRoles, acts: false, shows: '429, `Retry-After`, problem, retryable' },
  '429_bare': { roles: callRoles, acts: false, shows: '429, plain text, no word of when' },
  '503': { roles: callRoles, acts: false, shows: '503, `Retry-After`, problem, retryable' },
  '503_bare': { roles: callRoles, acts: false, shows: '503, plain text' },
  '500_html': { roles: callRoles, acts: false, shows: '500, an HTML page' },
  '500_html_after': { roles: callRoles, acts: true, shows: '500, an HTML page' },
  '502': { roles: callRoles, acts: false, shows: '502, an HTML page' },
  '504_after': { roles: callRoles, acts: true, shows: '504, an HTML page' },
  reset_before: { roles: callRoles, acts: false, shows: 'RST, no answer' },
  reset_after: { roles: callRoles, acts: true, shows: 'RST, no answer' },
  cut_answer: {
    roles: callRoles,
    acts: true,
    shows: 'status, half of the body, end of the connection',
  },
  no_answer: { roles: callRoles, acts: true, shows: 'silence until the client closes' },
  no_answer_before: { roles: callRoles, acts: false, shows: 'silence until the client closes' },
  redirect: { roles: callRoles, acts: false, shows: '302 to an address that leads nowhere' },
  slow: { roles: callRoles, acts: true, shows: 'the right answer, `delayMs` late' },
  '401': { roles: withToken, acts: false, shows: '401 problem, `unauthorized`' },
  '403_unauthorized': { roles: withToken, acts: false, shows: '403 problem, `unauthorized`' },
  '400_refused': { roles: ordering, acts: false, shows: '400 problem, not retryable' },
  '413': { roles: ['form'], acts: false, shows: '413 problem, after the whole of the upload' },
  not_ready: {
    roles: ['result'],
    acts: false,
    shows: '`notReadyStatus`, although the result is there',
  },
  unreadable_2xx: {
    roles: withJson,
    acts: true,
    shows: 'the right status, a body that is not JSON',
  },
  missing_id: { roles: [...ordering, 'read'], acts: true, shows: 'JSON without the id' },
  extra_fields: {
    roles: withJson,
    acts: true,
    shows: 'unknown fields at every level; in a list, of every item',
  },
  unknown_status: {
    roles: states,
    acts: true,
    times: 3,
    shows:
      'a status that no document shows (of a change, a severity too), for three calls; in a list, of all items',
  },
  slow_pdf: { roles: files, acts: true, shows: 'the bytes trickle over `delayMs`' },
  wrong_sha256: {
    roles: files,
    acts: true,
    shows: 'a readable PDF whose sum is not the announced one; heals after `times`',
  },
  not_a_pdf: { roles: files, acts: true, shows: '200 with an HTML page' },
  empty_pdf: { roles: files, acts: true, shows: '200 without a byte' },
  '404': { roles: named, acts: false, shows: '404' },
  '405': { roles: ['read'], acts: false, shows: '405 problem' },
  '409': { roles: deciding, acts: false, shows: '409 problem' },
  '409_retryable': { roles: deciding, acts: false, shows: '409 problem, retryable' },
  '403_custom_not_enabled': {
    roles: ['retry'],
    acts: false,
    shows: '403 problem, `dossie_custom_not_enabled`',
  },
  expired_link: {
    roles: ['upload', 'download'],
    acts: false,
    shows: '403, whatever the clock says',
  },
  bad_item: { roles: ['list'], acts: true, shows: 'an item more, in front, whose id is a number' },
  repeated_cursor: {
    roles: ['list'],
    acts: true,
    shows: '`next_cursor` is the cursor that was sent, and `has_more` is true',
  },
  wrong_summary: { roles: ['result'], acts: true, shows: '`summary.blocked` is one too high' },
  stray_titulo: {
    roles: ['result'],
    acts: true,
    shows: 'a blocked titulo more, that no other read shows',
  },
  unknown_entity_status: {
    roles: ['result'],
    acts: true,
    shows: 'the first titulo has the status `em_revisao`',
  },
} as const satisfies Record<string, Fault>;

export type FaultKind = keyof typeof faults;
export const faultKinds = Object.keys(faults) as FaultKind[];

export function isFault(kind: string): kind is FaultKind {
  return Object.hasOwn(faults, kind);
}

export function strikesRole(kind: FaultKind, role: CallRole): boolean {
  const { roles }: Fault = faults[kind];
  return roles.includes(role);
}

export function timesOf(kind: FaultKind): Times {
  const { times = 1 }: Fault = faults[kind];
  return times;
}
