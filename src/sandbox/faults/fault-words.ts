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
}

const withToken = callRoles.filter((role) => !['open', 'upload', 'download'].includes(role));
const withJson = callRoles.filter((role) => !['pdf', 'upload', 'download'].includes(role));
const deciding = ['create', 'retry', 'change'] as const satisfies readonly CallRole[];
const ordering = ['order', 'form', ...deciding] as const satisfies readonly CallRole[];
const states = ['poll', ...deciding, 'read', 'list'] as const satisfies readonly CallRole[];
const files = ['pdf', 'download'] as const satisfies readonly CallRole[];
const named = ['lookup', 'retry', 'change', 'read', 'list', 'upload', 'download'] as const;

export const faults = {
  '429': { roles: callRoles, acts: false },
  '429_bare': { roles: callRoles, acts: false },
  '503': { roles: callRoles, acts: false },
  '503_bare': { roles: callRoles, acts: false },
  '500_html': { roles: callRoles, acts: false },
  '500_html_after': { roles: callRoles, acts: true },
  '502': { roles: callRoles, acts: false },
  '504_after': { roles: callRoles, acts: true },
  reset_before: { roles: callRoles, acts: false },
  reset_after: { roles: callRoles, acts: true },
  cut_answer: { roles: callRoles, acts: true },
  no_answer: { roles: callRoles, acts: true },
  no_answer_before: { roles: callRoles, acts: false },
  redirect: { roles: callRoles, acts: false },
  slow: { roles: callRoles, acts: true },
  '401': { roles: withToken, acts: false },
  '403_unauthorized': { roles: withToken, acts: false },
  '400_refused': { roles: ordering, acts: false },
  '413': { roles: ['form'], acts: false },
  not_ready: { roles: ['result'], acts: false },
  unreadable_2xx: { roles: withJson, acts: true },
  missing_id: { roles: [...ordering, 'read'], acts: true },
  extra_fields: { roles: withJson, acts: true },
  unknown_status: { roles: states, acts: true, times: 3 },
  unknown_status_forever: { roles: states, acts: true, times: 'forever' },
  slow_pdf: { roles: files, acts: true },
  wrong_sha256: { roles: files, acts: true },
  not_a_pdf: { roles: files, acts: true },
  empty_pdf: { roles: files, acts: true },
  '404': { roles: named, acts: false },
  '405': { roles: ['read'], acts: false },
  '409': { roles: deciding, acts: false },
  '409_retryable': { roles: deciding, acts: false },
  '403_custom_not_enabled': { roles: ['retry'], acts: false },
  expired_link: { roles: ['upload', 'download'], acts: false },
  bad_item: { roles: ['list'], acts: true },
  repeated_cursor: { roles: ['list'], acts: true },
  wrong_summary: { roles: ['result'], acts: true },
  stray_titulo: { roles: ['result'], acts: true },
  unknown_entity_status: { roles: ['result'], acts: true },
  bare_issues: { roles: ['result'], acts: true },
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
