import {
  faultKinds,
  strikesRole,
  type CallRole,
  type FaultKind,
} from '../../src/sandbox/faults/faults';

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

/** What says no of one item alone, or strikes lists and files alone. */
const ofOneItem: readonly FaultKind[] = [
  '404',
  '405',
  '409',
  '409_retryable',
  '403_custom_not_enabled',
  'expired_link',
  'bad_item',
  'repeated_cursor',
];

/** Those of any call first: an item that was refused has nothing more to meet. */
export function faultWordsOf(roles: Readonly<Record<string, CallRole>>): FaultKind[] {
  const ofAnyCall = faultKinds.filter((kind) => !ofOneItem.includes(kind));
  return [...ofAnyCall, ...ofOneItem].filter((kind) =>
    Object.values(roles).some((role) => strikesRole(kind, role)),
  );
}

/** What a call of one item meets: at its first try, and then nothing more. */
type Once = [{ kind: FaultKind; delayMs?: number; times: 1 }];

const later: readonly CallRole[] = ['read', 'upload', 'download'];

/**
 * Deals each fault once for every stage that it can strike: few items then meet all kinds. Later
 * stages have them from the last one on: what a request alone can meet is a refusal, after which there
 * is nothing to read, and what a read alone can meet would be dealt to the same item.
 *
 * @returns the next one of a stage, as a step of its script; empty when all of them are dealt
 */
export function oneOfEach<Stage extends string>(
  roles: Readonly<Record<Stage, CallRole>>,
  faults: readonly { kind: FaultKind; delayMs?: number; stages?: Stage[] }[],
): <Each extends Stage>(stage: Each) => { [S in Each]?: Once } {
  const dealt = new Map<Stage, number>();
  return (stage) => {
    const fitting = faults.filter(
      ({ kind, stages }) => strikesRole(kind, roles[stage]) && (stages?.includes(stage) ?? true),
    );
    const next = dealt.get(stage) ?? 0;
    dealt.set(stage, next + 1);
    const fault = later.includes(roles[stage]) ? fitting.at(-1 - next) : fitting[next];
    if (fault === undefined) return {};
    const { kind, delayMs } = fault;
    const once: Once = [{ kind, times: 1, ...(delayMs !== undefined && { delayMs }) }];
    return { [stage]: once } as { [S in typeof stage]?: Once };
  };
}

/** Which of the faults did not strike; those of lists alone are left out: an item has no list of its own. */
export function missingOf(
  roles: Readonly<Record<string, CallRole>>,
  received: readonly { fault: string | null }[],
): string[] {
  const struck = new Set(received.map(({ fault }) => fault));
  const others = Object.values(roles).filter((role) => role !== 'list');
  return faultWordsOf(Object.fromEntries(others.map((role) => [role, role]))).filter(
    (kind) => !struck.has(kind),
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
