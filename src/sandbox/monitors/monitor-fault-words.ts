/** Every kind of trouble with a monitor call, by the word it is asked with. */

import { callFaults, type CallFaultKind, type Times } from '../faults/fault-words';

export const monitorStages = ['list', 'ack', 'read', 'update'] as const;
export type MonitorStage = (typeof monitorStages)[number];

/** Trouble that any call can have, worded and delivered as for certificates. */
const wireFaults = [
  '429',
  '429_bare',
  '503',
  '503_bare',
  '500_html',
  '500_html_after',
  '502',
  '504_after',
  'reset_before',
  'reset_after',
  'cut_answer',
  'no_answer',
  'no_answer_before',
  'redirect',
  'slow',
  '401',
  '403_unauthorized',
  'unreadable_2xx',
  'extra_fields',
] as const satisfies readonly CallFaultKind[];
export type WireFaultKind = (typeof wireFaults)[number];

/** Trouble that only monitors have. The refusals keep the service from acting. */
const ownFaults = {
  '404': ['list', 'ack', 'read', 'update'],
  '405': ['read'],
  '409': ['ack', 'update'],
  bad_item: ['list'],
  repeated_cursor: ['list'],
  unknown_words: ['list', 'ack', 'read', 'update'],
} as const satisfies Record<string, readonly MonitorStage[]>;
type OwnFaultKind = keyof typeof ownFaults;

export type MonitorFaultKind = WireFaultKind | OwnFaultKind;
export const monitorFaultKinds: readonly MonitorFaultKind[] = [
  ...wireFaults,
  ...(Object.keys(ownFaults) as OwnFaultKind[]),
];

export function isWireFault(kind: MonitorFaultKind): kind is WireFaultKind {
  return wireFaults.some((known) => known === kind);
}

export function stagesOf(kind: MonitorFaultKind): readonly MonitorStage[] {
  return isWireFault(kind) ? monitorStages : ownFaults[kind];
}

export function timesOf(kind: MonitorFaultKind): Times {
  return isWireFault(kind) ? callFaults[kind].times : 1;
}
