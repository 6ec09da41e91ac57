/** Every kind of trouble a scenario can ask for, by the word it is asked with. */

/** The moments of a certificate's life at which a call can go wrong. */
export const callStages = ['request', 'poll', 'pdf'] as const;
export type CallStage = (typeof callStages)[number];
export type Stage = CallStage | 'end';

/** How often a fault strikes before the normal behaviour goes on. */
export type Times = number | 'forever';

interface CallFault {
  stages: readonly CallStage[];
  /** Whether the service acts on the request (starts the issuance) although the call goes wrong. */
  acts: boolean;
  times: Times;
}

const asked = ['request', 'poll'] as const satisfies readonly CallStage[];

/** Trouble with one call. */
export const callFaults = {
  '429': { stages: callStages, acts: false, times: 1 },
  '429_bare': { stages: callStages, acts: false, times: 1 },
  '503': { stages: callStages, acts: false, times: 1 },
  '503_bare': { stages: callStages, acts: false, times: 1 },
  '500_html': { stages: callStages, acts: false, times: 1 },
  '500_html_after': { stages: callStages, acts: true, times: 1 },
  '502': { stages: callStages, acts: false, times: 1 },
  '504_after': { stages: callStages, acts: true, times: 1 },
  reset_before: { stages: callStages, acts: false, times: 1 },
  reset_after: { stages: callStages, acts: true, times: 1 },
  cut_answer: { stages: callStages, acts: true, times: 1 },
  no_answer: { stages: callStages, acts: true, times: 1 },
  no_answer_before: { stages: callStages, acts: false, times: 1 },
  redirect: { stages: callStages, acts: false, times: 1 },
  slow: { stages: callStages, acts: true, times: 1 },
  '401': { stages: callStages, acts: false, times: 1 },
  '403_unauthorized': { stages: callStages, acts: false, times: 1 },
  '400_refused': { stages: ['request'], acts: false, times: 1 },
  unreadable_2xx: { stages: asked, acts: true, times: 1 },
  missing_id: { stages: ['request'], acts: true, times: 1 },
  extra_fields: { stages: asked, acts: true, times: 1 },
  unknown_status: { stages: ['poll'], acts: true, times: 3 },
  unknown_status_forever: { stages: ['poll'], acts: true, times: 'forever' },
  slow_pdf: { stages: ['pdf'], acts: true, times: 1 },
  wrong_sha256: { stages: ['pdf'], acts: true, times: 1 },
  not_a_pdf: { stages: ['pdf'], acts: true, times: 1 },
  empty_pdf: { stages: ['pdf'], acts: true, times: 1 },
} as const satisfies Record<string, CallFault>;

/** How an issuance ends, and for how many issuances of one document unless the step says. */
export const endings = {
  completed: { times: 'forever' },
  failed: { times: 'forever' },
  failure_retryable: { times: 1 },
  failure_permanent: { times: 'forever' },
  divergente: { times: 'forever' },
  no_evidence: { times: 'forever' },
  no_sha256: { times: 'forever' },
  links_only: { times: 'forever' },
  never_settles: { times: 'forever' },
} as const satisfies Record<string, { times: Times }>;

export type CallFaultKind = keyof typeof callFaults;
/** Faults that strike although, or because, the service acts on the request. */
export type ActingFaultKind = {
  [Kind in CallFaultKind]: (typeof callFaults)[Kind]['acts'] extends true ? Kind : never;
}[CallFaultKind];
/** Faults that keep the service from acting on the request. */
export type SpurningFaultKind = Exclude<CallFaultKind, ActingFaultKind>;
export type EndingKind = keyof typeof endings;
export type FaultKind = CallFaultKind | EndingKind;

export const callFaultKinds = Object.keys(callFaults) as CallFaultKind[];
export const endingKinds = Object.keys(endings) as EndingKind[];

export function isCallFault(kind: string): kind is CallFaultKind {
  return Object.hasOwn(callFaults, kind);
}

export function isEnding(kind: string): kind is EndingKind {
  return Object.hasOwn(endings, kind);
}

export function strikesAt(kind: CallFaultKind, stage: CallStage): boolean {
  const stages: readonly CallStage[] = callFaults[kind].stages;
  return stages.includes(stage);
}
