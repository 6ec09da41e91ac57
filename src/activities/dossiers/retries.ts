import { dossierIdOf } from '../../domain/dossiers/follow';
import type { JobRef } from '../../domain/core/job-record';
import { createHash } from 'node:crypto';
import { DossierRepository } from '../../store/dossiers/dossiers';
import type { Attempt, Receipt } from '../../domain/core/service/attempts';
import { dossierRetryEntry } from '../../domain/dossiers/audit';
import type { Dossier } from '../../domain/dossiers/dossier';
import {
  retriedBy,
  type StartedAttempt,
  type Retried,
  type Retry,
} from '../../domain/dossiers/retry';
import type { PollRequest, Polled } from '../../domain/core/service/poll-request';
import { sendKeyed, type KeyedRequest, unsentReading } from '../core/attempt';
import { createPolling, unsettled, type Reading } from '../core/poll-until-settled';
import type { DossierDependencies } from '../dependencies';
import { actorOf, refusalPatienceMs } from './readings';

export interface RetryDossierInput extends PollRequest {
  ref: JobRef;
  /** Number of the attempt to retry. */
  from: number;
  /** Number of this retry within its job, from 1. */
  requested: number;
}

/** The service may still process a lost request: until then a refusal of its repetition is ignored. */
const lostPatienceMs = 2 * 60_000;
/** Between repetitions, without Retry-After. */
const repeatMs = 5_000;
/** Requests another attempt at a dossier, and records those requested. */
export function createDossierRetries(deps: DossierDependencies) {
  const { store, dossiers, metrics, now } = deps;
  const { attempts } = store;
  const file = new DossierRepository(store);
  const pollUntilSettled = createPolling(deps);

  /**
   * Requests at most one more attempt: before every send it reads the status and commits the claim; every send
   * has the same key.
   */
  async function retryDossier(input: RetryDossierInput): Promise<Polled<Retried>> {
    const { requested, from, ref } = input;
    const { jobId } = ref;
    const dossierId = dossierIdOf(ref);
    return pollUntilSettled(
      async (signal): Promise<Reading<Retried>> => {
        const retry = await file.retry({ dossierId, from, jobId, requested });
        const receipt = retry.attempt?.receipt ?? null;
        const known = retriedBy(receipt, from);
        if (known?.kind === 'started') return { kind: 'settled', value: known };
        const { dossier } = await dossiers.status(dossierId, 'interactive', signal);
        const attempt = attemptAfter(dossier, from);
        if (attempt !== null) {
          if (retry.attempt === null)
            metrics.count('diligence_retries_total', { kind: 'dossier', result: 'not_sent' });
          if (retry.attempt === null || receipt !== null) return startedElsewhere(attempt);
          return settled(retry, retry.attempt, { attempt, readBack: true, ref });
        }
        if (known !== null) return { kind: 'settled', value: known };
        const isOver = dossier.state === 'failed' || dossier.state === 'needs_review';
        if (!isOver) return { kind: 'settled', value: { kind: 'moved' } };
        return sendRetry(input, retry, signal);
      },
      { ...input, what: 'the retry of a dossier', refusalPatienceMs },
    );
  }

  async function sendRetry(
    { requested, deadlineAt: sendBy, from, ref }: RetryDossierInput,
    retry: Retry,
    signal: AbortSignal,
  ): Promise<Reading<Retried>> {
    const { folder, jobId } = ref;
    const dossierId = dossierIdOf(ref);
    const { subject } = retry;
    const actor = await actorOf(file, ref);
    const about: KeyedRequest = {
      subject,
      job: folder,
      by: { jobId, number: requested },
      attempts,
      timeoutMs: dossiers.timeoutMs,
      now,
      sendBy,
      entriesOf: ({ claim }, receipt) =>
        receipt.kind === 'refused' ? [dossierRetryEntry(retry, { claim, receipt }, actor)] : [],
    };
    const sent = await sendKeyed(about, (beforeSend) =>
      dossiers.retry(dossierId, retryKey(retry), signal, async () => {
        const isNoted = (await file.noted(folder, sendOf(retry))) > 0;
        if (!isNoted) await file.note(folder, sendOf(retry), now());
        return beforeSend();
      }),
    );
    if (sent.kind === 'answered') {
      const attempt = attemptAfter(sent.answer.dossier, from);
      return settled(retry, sent.taken, { attempt, readBack: false, ref });
    }
    if (sent.kind === 'stopped') return unsentReading(sent.why, 'retrying');
    const { error, taken } = sent;
    const { code, detail, message, retryAfterMs, status } = error;
    if (taken.isNew)
      metrics.count('diligence_retries_total', { kind: 'dossier', result: 'refused' });
    // An earlier send may have started an attempt that the service does not show yet.
    else if (now() - taken.claim.claimedAt < lostPatienceMs)
      return unsettled('retrying', retryAfterMs ?? repeatMs);
    const { dossier } = await dossiers.status(dossierId, 'interactive', signal);
    const attempt = attemptAfter(dossier, from);
    if (attempt !== null) {
      if (taken.isNew) return startedElsewhere(attempt);
      return settled(retry, taken, { attempt, readBack: true, ref });
    }
    const kind = taken.isNew && status < 500 ? 'refused' : 'unknown';
    return { kind: 'settled', value: { kind, status, code, message: detail ?? message } };
  }

  /** With its audit entries. */
  async function settled(
    retry: Retry,
    taken: Pick<Attempt, 'n' | 'claim'>,
    started: { attempt: number | null; readBack: boolean; ref: JobRef },
  ): Promise<Reading<Retried>> {
    const receipt = await putStarted(retry, taken, started);
    const value = retriedBy(receipt, retry.from) ?? { kind: 'moved' };
    return { kind: 'settled', value };
  }

  async function putStarted(
    retry: Retry,
    { n, claim }: Pick<Attempt, 'n' | 'claim'>,
    { attempt, readBack, ref }: { attempt: number | null; readBack: boolean; ref: JobRef },
  ): Promise<Receipt> {
    const externalId = String(attempt ?? '');
    const reported = { readBack, by: ref.jobId };
    const receipt: StartedAttempt = { kind: 'accepted', externalId, at: now(), reported };
    const entry = dossierRetryEntry(retry, { claim, receipt }, await actorOf(file, ref));
    const first = await attempts.putReceipt(retry.subject, { n, claim }, receipt, [entry]);
    metrics.count('diligence_retries_total', {
      kind: 'dossier',
      result: readBack ? 'read_back' : 'accepted',
    });
    return first;
  }

  /** Retries that this job may have sent or observed. A lost one is read back once more. */
  async function closedRetries(ref: JobRef): Promise<Retry[]> {
    const own: Retry[] = [];
    for (const retry of await file.retries(dossierIdOf(ref))) {
      const isOwn =
        learnerOf(retry) === ref.jobId || (await file.noted(ref.folder, sendOf(retry))) > 0;
      if (isOwn) own.push(retry);
    }
    const last = own.at(-1);
    if (last?.attempt?.receipt !== null) return own;
    const attempt = await dossiers.status(dossierIdOf(ref), 'interactive').then(
      ({ dossier }) => attemptAfter(dossier, last.from),
      () => null,
    );
    if (attempt === null) return own;
    const receipt = await putStarted(last, last.attempt, { attempt, readBack: true, ref });
    return [...own.slice(0, -1), { ...last, attempt: { ...last.attempt, receipt } }];
  }

  return { retryDossier, closedRetries };
}

/** This job may send it, too. */
function sendOf({ from, number }: Retry): string[] {
  return ['retry', `${from}-${number}`];
}

/** The job that observed the started attempt; null: none known. */
export function learnerOf({ attempt }: Retry): string | null {
  const receipt = attempt?.receipt ?? null;
  return receipt?.kind === 'accepted' ? (receipt as StartedAttempt).reported.by : null;
}

/** The same for all jobs about this attempt: two of them cannot start two attempts. */
function retryKey({ dossierId, from, number }: Retry): string {
  const words = `dossier/${dossierId}|attempt ${from + 1}|${number}`;
  return `dossier-retry-${createHash('sha256').update(words).digest('hex')}`;
}

function attemptAfter({ attempt }: Dossier, from: number): number | null {
  const number = attempt?.number ?? null;
  return number !== null && number > from ? number : null;
}

function startedElsewhere(attempt: number): Reading<Retried> {
  return { kind: 'settled', value: { kind: 'started', attempt, by: 'elsewhere' } };
}
