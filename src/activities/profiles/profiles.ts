import type { JobRef } from '../../domain/core/job-record';
import { profileFromWire, type ProfileAnswer } from '../../apis/investigation/wire/profile.wire';
import { isTooLarge } from '../../apis/http/classify';
import { ContractError } from '../../apis/http/errors';
import type { ProfilesApi } from '../../apis/investigation/profile';
import { indexDocuments } from '../../store/core/subject-index';
import { ProfileRepository } from '../../store/profiles/profiles';
import {
  nextNumber,
  profileSubject,
  subjectState,
  type Attempt,
  reissueByPolicy,
  type Receipt,
  type Taken,
} from '../../domain/core/service/attempts';
import { fieldsOf, isFields } from '../../domain/core/findings';
import { documentsInText } from '../../domain/core/documents/held-documents';
import {
  afterLostMs,
  isAnswerLost,
  mostCalls,
  mostLost,
  profileOutcomeEntry,
  profileRequestEntry,
  refusalOf,
  sentAsKnown,
  sentLookups,
  type LookedUp,
  type ProfileOutcome,
  type ProfileRecord,
} from '../../domain/profiles/lookup';
import type { Polled, PollRequest } from '../../domain/core/service/poll-request';
import { unreadableAnswer } from '../../domain/core/service/service-failure';
import {
  claimNext,
  ownerOf,
  sendUnder,
  type NotClaimed,
  type Sent,
  unsentReading,
} from '../core/attempt';
import type { JobDependencies } from '../dependencies';
import type { BeforeSend } from '../../apis/http/call';
import { nameOf, recordOf, sha256Of, storeOutcome } from '../core/job-records';
import { createPolling, unsettled, type Reading } from '../core/poll-until-settled';

type Found = Extract<LookedUp, { kind: 'found' }>;

export interface ProfileDependencies extends JobDependencies {
  profiles: ProfilesApi;
}

export interface LookUpInput extends PollRequest {
  ref: JobRef;
  /** Number of the call, from 1. */
  call: number;
  /** As of `LookUpProfileInput`. */
  interactive?: boolean;
}

const fromFile = { method: 'GET', pathTemplate: '/perfil/patrimonial/cpf/{cpf}' } as const;

/** A lookup is a read that may be charged: each is claimed before it is sent, and its response is stored. */
export function createProfileActivities(deps: ProfileDependencies) {
  const { store, audit, now, profiles } = deps;
  const { attempts } = store;
  const file = new ProfileRepository(store);
  const pollUntilSettled = createPolling(deps);

  /** Retries until there is a response. A stored response is not requested again: it may be charged. */
  async function lookUpProfile(input: LookUpInput): Promise<Polled<LookedUp>> {
    const { folder } = input.ref;
    const ended = await file.outcome(folder);
    if (ended !== null) return { kind: 'settled', value: { kind: 'ended', status: ended.status } };
    const record = await recordOf(file, input.ref);
    const polled = await pollUntilSettled<LookedUp>((signal) => lookUp(input, record, signal), {
      ...input,
      what: 'a profile',
      quiet: 'asking',
    });
    if (polled.kind !== 'refused') return polled;
    const { status, code, message } = polled;
    return { kind: 'settled', value: refusalOf(status, code, message) };
  }

  /** One call at most, under its own claim: each may be charged. */
  async function lookUp(
    { call, deadlineAt: sendBy, interactive, ref }: LookUpInput,
    record: ProfileRecord,
    signal: AbortSignal,
  ): Promise<Reading<LookedUp>> {
    const { folder, jobId } = ref;
    const subject = profileSubject(record.name);
    // Read the response after the attempts: a later one then has a number that is ours.
    const history = await attempts.of(subject);
    const stored = await file.answer(folder, call);
    if (stored !== null) {
      await index(folder, stored);
      return { kind: 'settled', value: reportedBy(stored, call) };
    }
    const state = subjectState(history, now());
    if (state.kind === 'in_flight') return unsettled('asking');
    const lost = sentLookups(history, jobId, call).filter(isAnswerLost);
    if (lost.length >= mostLost) return { kind: 'settled', value: answersLost };
    const n = nextNumber(history);
    const afterUnknown = state.kind === 'unknown';
    const take = async (): Promise<Taken | NotClaimed> => {
      const decision = reissueByPolicy('requested again', now());
      if (afterUnknown) await attempts.resolve(subject, state.n, decision);
      const { timeoutMs } = profiles;
      const owner = ownerOf({ jobId, number: call });
      const patience = { now, mayWait: () => !signal.aborted };
      const about = { attempts, subject, job: folder, owner, timeoutMs, patience };
      return claimNext({ ...about, n, afterUnknown });
    };
    const priority = interactive === false ? 'request' : 'interactive';
    const send = (beforeSend: BeforeSend) =>
      profiles.lookUp(record.cpf, priority, signal, beforeSend);
    const sent = await sendUnder(take, send, { now, sendBy });
    if (sent.kind === 'stopped') return unsentReading(sent.why, 'asking');
    if (sent.kind === 'failed') return failed(sent, record, ref, call);
    const { read, body } = sent.answer;
    const value = read.kind === 'profile' ? await storeAnswer(folder, call, body) : noOf(read);
    const at = now();
    const receipt: Receipt =
      value.kind === 'found'
        ? { kind: 'accepted', externalId: value.sha256, at }
        : { kind: 'refused', status: 200, code: null, at };
    await putReceipt(record, sent.taken, receipt);
    return { kind: 'settled', value };
  }

  /** @throws when it certainly was not processed, or was refused */
  async function failed(
    { error, received, taken }: Extract<Sent<unknown>, { kind: 'failed' }>,
    record: ProfileRecord,
    { folder, jobId }: JobRef,
    call: number,
  ): Promise<Reading<LookedUp>> {
    const { receipt, unread } = received;
    const isUnreadable = error instanceof ContractError || isTooLarge(error);
    if (receipt.kind !== 'unknown') {
      await putReceipt(record, taken, receipt);
      throw error;
    }
    const key = unread == null ? null : await file.putUnreadable(folder, unread);
    if (unread != null) await index(folder, unread);
    await putReceipt(record, taken, isUnreadable ? { ...unreadable, at: now() } : receipt);
    // A corrupt or lost response may be transient: retry, with a limit.
    const sent = sentLookups(await attempts.of(profileSubject(record.name)), jobId, call);
    const lost = sent.filter(isAnswerLost).length;
    deps.warn('the answer to a lookup was lost', { reason: nameOf(error), lost });
    if (lost < mostLost) return unsettled('asking', afterLostMs[lost - 1] ?? null);
    if (!isUnreadable) return { kind: 'settled', value: answersLost };
    const message = `${(error as Error).message}${key === null ? '' : `; it is in the store: ${key}`}`;
    const value = { kind: 'no', status: 'unreadable', code: unreadableAnswer, message } as const;
    return { kind: 'settled', value };
  }

  async function storeAnswer(folder: string, call: number, body: Buffer): Promise<LookedUp> {
    const first = await file.putAnswer(folder, body, call);
    await index(folder, first);
    return reportedBy(first, call);
  }

  /** With its audit entries. */
  async function putReceipt(
    record: ProfileRecord,
    { n, claim }: Pick<Attempt, 'n' | 'claim'>,
    receipt: Receipt,
  ): Promise<void> {
    const sent = sentLookups([{ n, claim, receipt, resolution: null }], record.jobId);
    const entries = sent.map((one) => profileRequestEntry(one, record));
    await attempts.putReceipt(profileSubject(record.name), { n, claim }, receipt, entries);
  }

  /** Subjects named in a response: an owner beside the person, a holder of a patent... */
  function index(folder: string, answer: Buffer): Promise<void> {
    return indexDocuments(store, folder, deps.nameOf, documentsInText(answer.toString('latin1')));
  }

  /** Responses that are profiles, oldest first. */
  async function storedAnswers(folder: string): Promise<Found[]> {
    const calls = Array.from({ length: mostCalls }, (_, at) => at + 1);
    const read = await Promise.all(
      calls.map(async (call) => {
        const body = await file.answer(folder, call);
        return body === null ? null : reportedBy(body, call);
      }),
    );
    return read.filter((one) => one?.kind === 'found');
  }

  /**
   * Stores and audits the outcome. Idempotent: the first stored outcome stays. A stored response was received,
   * and may be charged, even if the job was cancelled.
   */
  async function finalizeProfile(input: {
    ref: JobRef;
    outcome: Omit<ProfileOutcome, 'jobId' | 'settledAt' | 'answersLost'>;
  }): Promise<ProfileOutcome> {
    const { ref, outcome } = input;
    const { folder, jobId } = ref;
    const record = await recordOf(file, ref);
    const answers = await storedAnswers(folder);
    const known = sentLookups(await attempts.of(profileSubject(record.name)), jobId);
    const sent = sentAsKnown(known, (call) => answers.some((one) => one.call === call));
    // One call may have several: each may have been charged.
    const accepted = sent.filter(({ end: its }) => its === 'accepted');
    const untrailed = sent.filter((_, at) => known[at]?.end === null);
    const end = {
      ...outcome,
      ...endBy(answers.at(-1)),
      answered: Math.max(answers.length, accepted.length),
      answersLost: sent.filter(isAnswerLost).length,
      jobId,
      settledAt: new Date(now()).toISOString(),
    };
    await audit.append(untrailed.map((one) => profileRequestEntry(one, record)));
    const entries = [profileOutcomeEntry(end, record)];
    return storeOutcome(deps, 'profile', file, ref, end, entries);
  }

  return { lookUpProfile, finalizeProfile };
}

const unreadable = { kind: 'unknown', reason: unreadableAnswer } as const;

const answersLost = {
  kind: 'no',
  status: 'unknown_outcome',
  code: 'answers_lost',
  message: 'every response was lost, and each request may have been charged',
} as const;

/** Outcome according to the newest response. */
function endBy(newest: Found | undefined): Partial<ProfileOutcome> {
  if (newest === undefined) return {};
  const { kind: status, ...found } = newest;
  return { ...found, status, error: null };
}

function reportedBy(body: Buffer, call: number): LookedUp {
  const read = profileFromWire(fromFile, body);
  if (read.kind !== 'profile') return noOf(read);
  const { aeronaves, imoveis, patentes, rural, veiculos } = fieldsOf(read.answer);
  const { avioes, drones } = fieldsOf(aeronaves);
  const count = (list: unknown): number | null => (Array.isArray(list) ? list.length : null);
  return {
    kind: 'found',
    call,
    sha256: sha256Of(body),
    rural: isFields(rural) ? 'reported' : 'failed',
    counts: {
      vehicles: count(veiculos),
      properties: count(imoveis),
      planes: count(avioes),
      drones: count(drones),
      patents: count(patentes),
    },
  };
}

function noOf(read: Exclude<ProfileAnswer, { kind: 'profile' }>): LookedUp {
  if (read.kind === 'invalid') {
    return { kind: 'no', status: 'invalid', code: null, message: read.message };
  }
  return refusalOf(200, read.code, read.message ?? 'refused');
}
