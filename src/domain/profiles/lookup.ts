import { numberOfChunk, type Attempt, type Receipt } from '../core/service/attempts';
import { unreadableAnswer } from '../core/service/service-failure';

/** One lookup of a profile, as it was asked for: the input of the job in `profiles/<name>/<instant>`. */
export interface ProfileRecord {
  /** `profile/<name>/<instant>`. */
  jobId: string;
  /** Keyed name of the CPF. */
  name: string;
  /** Eleven digits. */
  cpf: string;
  /** A rural profile that timed out or failed is asked for once more: it may be charged for. */
  retryRural: boolean;
  label?: string | null;
  /** Ordered anew on purpose. */
  rerun?: boolean;
  /** Milliseconds from its start to its outcome; of a batch: as the batch has it. */
  deadlineMs?: number;
  createdAt: string;
  createdBy: string;
}

/** What workflow and activities hand each other about a lookup: nobody's data. */
export interface ProfileRef {
  jobId: string;
  folder: string;
}

export const profileStatuses = [
  'found',
  /** A 200 that holds only `erro`. */
  'invalid',
  'not_found',
  'refused',
  /** Answered again and again with something that is neither a profile nor a no. */
  'unreadable',
  /** Calls left, and nothing is known of what became of them. */
  'unknown_outcome',
  'expired',
  'cancelled',
] as const;
export type ProfileStatus = (typeof profileStatuses)[number];

/** `failed`: the service told `rural: null`, which is a query that timed out or failed. */
export type RuralReported = 'told' | 'failed';

/** Rows of each section; null: the section was not told. */
export type SectionCounts = Record<
  'vehicles' | 'properties' | 'planes' | 'drones' | 'patents',
  number | null
>;

/** The second one is for a rural profile that timed out or failed. */
export const mostCalls = 2;

/** So many answers to a call may be lost or unreadable before it is left: each may be charged for. */
export const mostLost = 3;
/** Milliseconds after the first and the second of them: what is passing may be over by then. */
export const afterLostMs = [2_000, 10_000] as const;

/** Nobody knows what the try brought, or was charged for. */
export function isAnswerLost({ end }: SentLookup): boolean {
  return end === null || end === 'unknown' || end === 'unreadable';
}

/** How one try of a call ended; `unknown`: it left, and no answer was had. */
export type SentEnd = 'accepted' | 'refused' | 'unreadable' | 'unknown';

/** One try of a call. */
export interface SentLookup {
  call: number;
  /** Of its attempt. */
  n: number;
  at: number;
  /** Null: who sent it did not come to tell. */
  end: SentEnd | null;
}

/**
 * Every try of every call of a lookup, or of one, in order, but for what surely never left.
 *
 * @param attempts all at the same person
 */
export function sentLookups(
  attempts: readonly Attempt[],
  jobId: string,
  only?: number,
): SentLookup[] {
  return attempts.flatMap(({ n, claim, receipt }) => {
    const call = numberOfChunk(claim.owner.chunk);
    const isOf = claim.owner.workflowId === jobId && (only ?? call) === call;
    if (!isOf || receipt?.kind === 'not_sent') return [];
    return [{ call, n, at: claim.claimedAt, end: receipt && endOf(receipt) }];
  });
}

function endOf(receipt: Exclude<Receipt, { kind: 'not_sent' }>): SentEnd {
  if (receipt.kind !== 'unknown') return receipt.kind;
  return receipt.reason === unreadableAnswer ? 'unreadable' : 'unknown';
}

/** What one call brought. */
export type LookedUp =
  | { kind: 'found'; call: number; sha256: string; rural: RuralReported; counts: SectionCounts }
  | {
      kind: 'no';
      status: 'invalid' | 'not_found' | 'refused' | 'unreadable' | 'unknown_outcome';
      code: string | null;
      message: string;
    }
  /** The work has an end on file, however it was started again: nothing was asked. */
  | { kind: 'ended'; status: ProfileStatus };

/** How a lookup ended: the outcome of its job, and the result of its workflow. */
export interface ProfileOutcome {
  jobId: string;
  status: ProfileStatus;
  rural: RuralReported | null;
  counts: SectionCounts | null;
  /** Of the answer that stands, as it came; null when there is none. */
  sha256: string | null;
  /** Number of the call that it came with: `answer-<call>.json`. */
  call: number | null;
  /** Tries of calls that were answered with a profile: each may have been charged for. */
  answered: number;
  /** Other calls that may have left, whose answer got lost or is unreadable: charged for, perhaps. */
  answersLost: number;
  error: { code: string | null; message: string } | null;
  startedAt: string;
  settledAt: string;
  /** What the service told was here, and was erased. */
  erased?: true;
}

/** The service has told what it knows: asked again, it may charge again. */
const answers: readonly ProfileStatus[] = ['found', 'not_found', 'invalid'];

/** @param retryRural asked for anew, a rural part that failed may come: of what was asked for once alone */
export function profileIsFinal(outcome: ProfileOutcome, retryRural: boolean): boolean {
  const isToRetry = retryRural && outcome.rural === 'failed' && outcome.call === 1;
  return answers.includes(outcome.status) && outcome.erased !== true && !isToRetry;
}

export function profileWorkflowId(name: string): string {
  return `profile/${name}`;
}

export function profileFolder(jobId: string): string {
  return jobId.replace(/^profile\//, 'profiles/');
}

/** By what the service answers to the call itself: that nothing is known of a CPF is said by its code. */
export function refusalOf(
  status: number,
  code: string | null,
  message: string,
): Extract<LookedUp, { kind: 'no' }> {
  if (code === 'NOT_FOUND') return { kind: 'no', status: 'not_found', code, message };
  if (status !== 404) return { kind: 'no', status: 'refused', code, message };
  return { kind: 'no', status: 'refused', code: code ?? 'wrong_address', message: wrongAddress };
}

const wrongAddress =
  'answered 404 without the code NOT_FOUND: is INVESTIGATION_BASE_URL the address of the service, or does something in between answer?';

/** The tries of a lookup with what is known of them by the answers on file. */
export function sentAsKnown(
  sent: readonly SentLookup[],
  isOnFile: (call: number) => boolean,
): SentLookup[] {
  return sent.map((one) => {
    const ofCall = sent.filter(({ call }) => call === one.call);
    const isUntold = isOnFile(one.call) && !ofCall.some(({ end }) => end === 'accepted');
    const last = ofCall.findLast(({ end }) => end === null);
    // The answer was put on file, and whoever did could not tell so any more.
    return isUntold && one === last ? { ...one, end: 'accepted' } : one;
  });
}
