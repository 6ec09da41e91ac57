import {
  resourceFaultKinds,
  strikesRole,
  type CallRole,
} from '../../src/sandbox/faults/resource-fault-words';

/**
 * Every fault that the sandbox knows for these calls; slow ones end within a time-out of 2 s. Files
 * are waited for by the minute, whatever is configured: their calls are not met with silence.
 */
export function everyFaultOf<Stage extends string>(roles: Readonly<Record<Stage, CallRole>>) {
  const stages = Object.keys(roles) as Stage[];
  const quick = stages.filter((stage) => roles[stage] !== 'upload' && roles[stage] !== 'download');
  return faultWordsOf(roles).map((kind) => {
    if (kind === 'slow' || kind === 'slow_pdf') return { kind, delayMs: 800 };
    if (kind === 'no_answer' || kind === 'no_answer_before') return { kind, stages: quick };
    return { kind };
  });
}

export function faultWordsOf(roles: Readonly<Record<string, CallRole>>) {
  return resourceFaultKinds.filter((kind) =>
    Object.values(roles).some((role) => strikesRole(kind, role)),
  );
}

/** The service refuses what is asked, or says so, and has made nothing. */
export const refusals: readonly (string | null)[] = [
  '400_refused',
  '404',
  '409',
  '403_custom_not_enabled',
];

interface Call {
  number: number;
  status: number | null;
  fault: string | null;
  abandoned: boolean;
}

/** Whether a call before the first that was refused may have been done, as far as its caller knows. */
export function wasLostBeforeRefusal(calls: readonly Call[]): boolean {
  const refusedAt = calls.find(({ fault }) => refusals.includes(fault))?.number ?? 0;
  return calls.some(({ abandoned, fault, number, status }) => {
    if (number >= refusedAt) return false;
    const isUnreadable = ['redirect', 'unreadable_2xx', 'missing_id'].includes(fault ?? '');
    return abandoned || status === null || status >= 500 || isUnreadable;
  });
}
