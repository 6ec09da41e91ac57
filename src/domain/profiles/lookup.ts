import { jobOutcomeEntry, jobRequestEntry, type AuditEntry } from '../core/audit';
import type { JobError, JobInput, OutcomeFields } from '../core/job-record';
import { numberOfChunk, type Attempt, type Receipt } from '../core/service/attempts';
import { unreadableAnswer } from '../core/service/service-failure';
import type { ProfileStatus } from './kinds';

export interface ProfileRecord extends JobInput {
  name: string;
  cpf: string;
  /** Calls once more when the rural profile timed out or failed: may be charged. */
  retryRural: boolean;
}

/** `failed`: the service sent `rural: null`, its word for a query that timed out or failed. */
export type RuralReported = 'reported' | 'failed';

/** Rows of each section; null: the response has no such section. */
export type SectionCounts = Record<
  'vehicles' | 'properties' | 'planes' | 'drones' | 'patents',
  number | null
>;

/** The second one fetches a rural profile that timed out or failed. */
export const mostCalls = 2;

/** Lost or unreadable responses to a call before it is given up: each may be charged. */
export const mostLost = 3;
/** Milliseconds to wait after the first and the second of them. */
export const afterLostMs = [2_000, 10_000] as const;

export function isAnswerLost({ end }: SentLookup): boolean {
  return end === null || end === 'unknown' || end === 'unreadable';
}

/** How one send ended; `unknown`: it left, and its response is lost. */
export type SentEnd = 'accepted' | 'refused' | 'unreadable' | 'unknown';

export interface SentLookup {
  call: number;
  n: number;
  at: number;
  /** Null: the sender was lost before it stored a receipt. */
  end: SentEnd | null;
}

/**
 * Sends of all calls of a lookup, or of one call, in order; without those that certainly never left.
 * @param attempts all of the same subject
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

export type LookedUp =
  | { kind: 'found'; call: number; sha256: string; rural: RuralReported; counts: SectionCounts }
  | ({
      kind: 'no';
      status: 'invalid' | 'not_found' | 'refused' | 'unreadable' | 'unknown_outcome';
    } & JobError)
  /** The job had ended already: nothing was sent. */
  | { kind: 'ended'; status: ProfileStatus };

export interface ProfileOutcome extends OutcomeFields<ProfileStatus> {
  rural: RuralReported | null;
  counts: SectionCounts | null;
  sha256: string | null;
  call: number | null;
  /** Sends answered with a profile: each may have been charged. */
  answered: number;
  /** Other sends that may have left, whose response is lost or unreadable: perhaps charged. */
  answersLost: number;
}

/** The service answered: a new request may be charged again. */
const answers: readonly ProfileStatus[] = ['found', 'not_found', 'invalid'];

/** @param retryRural a failed rural profile is not final after the first call */
export function profileIsFinal(outcome: ProfileOutcome, retryRural: boolean): boolean {
  const isToRetry = retryRural && outcome.rural === 'failed' && outcome.call === 1;
  return answers.includes(outcome.status) && outcome.erased !== true && !isToRetry;
}

/** From an error response: only the code NOT_FOUND says that nothing is known of a CPF. */
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

/** The sends of a lookup, completed by the stored responses. */
export function sentAsKnown(
  sent: readonly SentLookup[],
  isOnFile: (call: number) => boolean,
): SentLookup[] {
  return sent.map((one) => {
    const ofCall = sent.filter(({ call }) => call === one.call);
    const lacksReceipt = isOnFile(one.call) && !ofCall.some(({ end }) => end === 'accepted');
    const last = ofCall.findLast(({ end }) => end === null);
    // The response was stored, and the sender was lost before it stored the receipt.
    return lacksReceipt && one === last ? { ...one, end: 'accepted' } : one;
  });
}

export function profileRequestEntry(
  { call, n, at, end }: SentLookup,
  record: ProfileRecord,
): AuditEntry {
  const about = { subject: record.name, details: { call } };
  const id = `request/${record.jobId}/${call}-${n}`;
  return jobRequestEntry(id, end ?? 'unknown', at, record, about);
}

export function profileOutcomeEntry(outcome: ProfileOutcome, record: ProfileRecord): AuditEntry {
  const { sha256, answered, answersLost, rural } = outcome;
  const details = { answered, answersLost, ...(rural !== null && { rural }) };
  return jobOutcomeEntry(outcome, record, sha256, { subject: record.name, details });
}
