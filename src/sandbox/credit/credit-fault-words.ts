/** Every kind of trouble with the credit service, by the word it is asked with. */

import type { Times } from '../faults/fault-words';

/** Calls about one operation, scripted by its file. */
export const operationStages = ['upload', 'status', 'result'] as const;
/** All other calls, scripted by their name. */
export const otherStages = [
  'specification',
  'engine_list',
  'engine_create',
  'engine_read',
  'engine_update',
  'engine_delete',
] as const;
export const creditStages = [...operationStages, ...otherStages] as const;

export type OperationStage = (typeof operationStages)[number];
export type OtherStage = (typeof otherStages)[number];
export type CreditStage = OperationStage | OtherStage;

interface CreditFault {
  stages: readonly CreditStage[];
  /** Whether the service does what was asked although the call goes wrong. */
  acts: boolean;
  times: Times;
}

const authorized = creditStages.filter((stage) => stage !== 'specification');
const creating = ['upload', 'engine_create'] as const satisfies readonly CreditStage[];

export const creditFaults = {
  '429': { stages: creditStages, acts: false, times: 1 },
  '503': { stages: creditStages, acts: false, times: 1 },
  '503_bare': { stages: creditStages, acts: false, times: 1 },
  '500_html': { stages: creditStages, acts: false, times: 1 },
  '500_html_after': { stages: creditStages, acts: true, times: 1 },
  '502': { stages: creditStages, acts: false, times: 1 },
  '504_after': { stages: creditStages, acts: true, times: 1 },
  reset_before: { stages: creditStages, acts: false, times: 1 },
  reset_after: { stages: creditStages, acts: true, times: 1 },
  cut_answer: { stages: creditStages, acts: true, times: 1 },
  no_answer: { stages: creditStages, acts: true, times: 1 },
  no_answer_before: { stages: creditStages, acts: false, times: 1 },
  redirect: { stages: creditStages, acts: false, times: 1 },
  slow: { stages: creditStages, acts: true, times: 1 },
  '401': { stages: authorized, acts: false, times: 1 },
  '403_unauthorized': { stages: authorized, acts: false, times: 1 },
  '400_refused': { stages: creating, acts: false, times: 1 },
  '413': { stages: ['upload'], acts: false, times: 1 },
  unreadable_2xx: { stages: creditStages, acts: true, times: 1 },
  missing_id: { stages: creating, acts: true, times: 1 },
  extra_fields: { stages: creditStages, acts: true, times: 1 },
  unknown_status: { stages: ['status'], acts: true, times: 3 },
  unknown_status_forever: { stages: ['status'], acts: true, times: 'forever' },
  not_ready: { stages: ['result'], acts: false, times: 1 },
  wrong_summary: { stages: ['result'], acts: true, times: 1 },
  stray_titulo: { stages: ['result'], acts: true, times: 1 },
  unknown_entity_status: { stages: ['result'], acts: true, times: 1 },
  bare_issues: { stages: ['result'], acts: true, times: 1 },
} as const satisfies Record<string, CreditFault>;

/** How an operation ends, and for how many operations of one file unless the step says. */
export const creditEndings = {
  completed: { times: 'forever' },
  failed: { times: 'forever' },
  never_settles: { times: 'forever' },
  no_result: { times: 'forever' },
} as const satisfies Record<string, { times: Times }>;

export type CreditFaultKind = keyof typeof creditFaults;
export type ActingCreditFault = {
  [Kind in CreditFaultKind]: (typeof creditFaults)[Kind]['acts'] extends true ? Kind : never;
}[CreditFaultKind];
export type SpurningCreditFault = Exclude<CreditFaultKind, ActingCreditFault>;
export type CreditEndingKind = keyof typeof creditEndings;

export const creditFaultKinds = Object.keys(creditFaults) as CreditFaultKind[];
export const creditEndingKinds = Object.keys(creditEndings) as CreditEndingKind[];

export function isCreditFault(kind: string): kind is CreditFaultKind {
  return Object.hasOwn(creditFaults, kind);
}

export function strikesCreditAt(kind: CreditFaultKind, stage: CreditStage): boolean {
  const stages: readonly CreditStage[] = creditFaults[kind].stages;
  return stages.includes(stage);
}
