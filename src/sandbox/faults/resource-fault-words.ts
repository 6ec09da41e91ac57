/** Every kind of trouble with a call about a profile, a lens analysis, a search or a dossier. */

import { callFaults, type CallFaultKind, type Times } from './fault-words';

/** What a call does, which decides what trouble it can have. */
export const callRoles = [
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

const json = ['lookup', 'create', 'retry', 'change', 'read', 'list'] as const;
const states = ['create', 'retry', 'change', 'read', 'list'] as const;
type Roles = readonly CallRole[];

/** Trouble worded and delivered as for certificates. */
const wireFaults = {
  '429': callRoles,
  '503': callRoles,
  '503_bare': callRoles,
  '500_html': callRoles,
  '500_html_after': callRoles,
  '502': callRoles,
  '504_after': callRoles,
  reset_before: callRoles,
  reset_after: callRoles,
  cut_answer: callRoles,
  no_answer: callRoles,
  no_answer_before: callRoles,
  redirect: callRoles,
  slow: callRoles,
  '401': json,
  '403_unauthorized': json,
  '400_refused': ['create', 'retry', 'change'],
  unreadable_2xx: json,
  missing_id: ['create', 'retry', 'change', 'read'],
  extra_fields: json,
  unknown_status: states,
  unknown_status_forever: states,
  slow_pdf: ['download'],
  wrong_sha256: ['download'],
  not_a_pdf: ['download'],
  empty_pdf: ['download'],
} as const satisfies Partial<Record<CallFaultKind, Roles>>;
export type ResourceWireFault = keyof typeof wireFaults;

/** Trouble of these calls alone. Whether the service acts: the words of lists do, refusals do not. */
const ownFaults = {
  '404': ['lookup', 'retry', 'change', 'read', 'list', 'upload', 'download'],
  '405': ['read'],
  '409': ['create', 'retry', 'change'],
  '409_retryable': ['create', 'retry', 'change'],
  '403_custom_not_enabled': ['retry'],
  expired_link: ['upload', 'download'],
  bad_item: ['list'],
  repeated_cursor: ['list'],
} as const satisfies Record<string, Roles>;

export type ResourceFaultKind = ResourceWireFault | keyof typeof ownFaults;
export const resourceFaultKinds = [
  ...Object.keys(wireFaults),
  ...Object.keys(ownFaults),
] as readonly ResourceFaultKind[];

const rolesOf: Readonly<Record<ResourceFaultKind, Roles>> = { ...wireFaults, ...ownFaults };

export function isResourceWireFault(kind: ResourceFaultKind): kind is ResourceWireFault {
  return Object.hasOwn(wireFaults, kind);
}

export function strikesRole(kind: ResourceFaultKind, role: CallRole): boolean {
  return rolesOf[kind].includes(role);
}

export function timesOfResourceFault(kind: ResourceFaultKind): Times {
  return isResourceWireFault(kind) ? callFaults[kind].times : 1;
}
