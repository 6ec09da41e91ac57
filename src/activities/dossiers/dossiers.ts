import { createHash } from 'node:crypto';
import { isPermanent } from '../../apis/http/classify';
import type { DossiersApi } from '../../apis/investigation/dossiers';
import type { Store } from '../../store/store';
import { DossierFile } from '../../store/dossiers/dossiers';
import type { Attempt, Receipt } from '../../domain/core/attempts';
import { dossierOutcomeEntry, dossierRetryEntry } from '../../domain/dossiers/audit';
import type { Dossier } from '../../domain/dossiers/dossier';
import {
  dossierFolder,
  isSettled,
  sightOf,
  statusOf,
  type DossierOutcome,
  type DossierRecord,
  type DossierRef,
  type DossierSight,
  type DossierStatus,
} from '../../domain/dossiers/follow';
import {
  retriedBy,
  type BegunAttempt,
  type Retried,
  type Retry,
} from '../../domain/dossiers/retry';
import type { PollRequest, Polled } from '../../domain/core/poll-request';
import { sendKeyed, type KeyedRequest } from '../core/keyed-requests';
import { receiptOfError } from '../core/keyless-requests';
import { createPolling, type Reading, type PollDependencies } from '../core/poll-until-settled';

export interface DossierDependencies extends PollDependencies {
  dossiers: DossiersApi;
  store: Store;
  /** `IdKey.nameOf('document', ...)`: answers are put in the index by which an erasure finds them. */
  nameOf: (document: string) => string;
  metrics: DossierMetrics;
}

/** As `CertificateMetrics`. */
export interface DossierMetrics {
  /** An outcome was put on file. */
  dossierEnded(status: DossierStatus): void;
  /** A request for another attempt has come to its end; `unknown`: it may have begun one. */
  retryEnded(result: 'accepted' | 'refused' | 'read_back' | 'not_sent' | 'unknown'): void;
}

export interface AwaitDossierInput extends PollRequest {
  ref: DossierRef;
  /** Reads that show an attempt before this one are of the past; null: any counts. */
  atLeast: number | null;
  /** Epoch milliseconds since which that attempt is known; null with `atLeast`. */
  begunAt: number | null;
  /** It is known to need a review: only what comes after it ends the wait. */
  inReview: boolean;
}

export interface RetryDossierInput extends PollRequest {
  ref: DossierRef;
  /** Number of the attempt that is tried again. */
  from: number;
  /** Number of this retry within its work, from 1. */
  asked: number;
}

/** What came of a cancellation. */
export type DossierCancelled =
  | { kind: 'settled'; sight: DossierSight }
  | { kind: 'refused'; code: string | null; message: string; sight: DossierSight };

/** A service may still work on what was lost: so long its refusal of the repetition is not believed. */
const lostPatienceMs = 2 * 60_000;
/** So long a status may lag behind the answer to a retry. */
const pastPatienceMs = 10 * 60_000;
/** Between repetitions meanwhile, where it asks for nothing. */
const repeatMs = 5_000;
/** A dossier that was read before is not gone because one read says so. */
const refusalPatienceMs = 2 * 60_000;

/** Following a dossier, asking for another attempt, and cancelling it: each waits as decision record 021 says. */
export function createDossierActivities(deps: DossierDependencies) {
  const { store, dossiers, metrics, now } = deps;
  const { attempts } = store;
  const file = new DossierFile(store);
  const pollUntilSettled = createPolling(deps);
  const iso = (): string => new Date(now()).toISOString();
  const askedBy = async (folder: string): Promise<string> =>
    (await file.record(folder))?.createdBy ?? 'unknown';

  /**
   * Returns when the dossier has settled, needs a review, or its status changed; also when the
   * service goes on showing an attempt from before `atLeast`, as it is.
   */
  async function awaitDossier(input: AwaitDossierInput): Promise<Polled<DossierSight>> {
    const { atLeast, begunAt, inReview, ref } = input;
    return pollUntilSettled(
      async (signal): Promise<Reading<DossierSight>> => {
        const { dossier } = await dossiers.status(ref.dossierId, 'poll', signal);
        const sight = sightOf(dossier);
        const { number } = sight.attempt ?? { number: null };
        const mayBePast = now() - (begunAt ?? 0) < pastPatienceMs;
        if (atLeast !== null && number !== null && number < atLeast) {
          if (!mayBePast) return { kind: 'settled', value: sight };
          return { ...unsettled(dossier, sight), status: input.seen ?? 'queued' };
        }
        const ends = isSettled(sight.state) || (sight.state === 'needs_review' && !inReview);
        return ends ? { kind: 'settled', value: sight } : unsettled(dossier, sight);
      },
      {
        ...input,
        what: 'a dossier',
        refusalPatienceMs: input.seen === null ? 0 : refusalPatienceMs,
      },
    );
  }

  /**
   * Asks for another attempt, at most one whatever is lost on the way: the status is read before every
   * send, the claim is on file before it leaves, and every send has the same key.
   */
  async function retryDossier(input: RetryDossierInput): Promise<Polled<Retried>> {
    const { asked, from, ref } = input;
    const { dossierId, workId } = ref;
    return pollUntilSettled(
      async (signal): Promise<Reading<Retried>> => {
        const retry = await file.retry({ dossierId, from, workId, asked });
        const receipt = retry.attempt?.receipt ?? null;
        const known = retriedBy(receipt, from);
        if (known?.kind === 'begun') return { kind: 'settled', value: known };
        const { dossier } = await dossiers.status(dossierId, 'interactive', signal);
        const attempt = attemptAfter(dossier, from);
        if (attempt !== null) {
          if (retry.attempt === null) metrics.retryEnded('not_sent');
          if (retry.attempt === null || receipt !== null) return begunElsewhere(attempt);
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
    { asked, from, ref }: RetryDossierInput,
    retry: Retry,
    signal: AbortSignal,
  ): Promise<Reading<Retried>> {
    const { dossierId, folder, workId } = ref;
    const { subject } = retry;
    const told = { by: await askedBy(folder), workId };
    const about: KeyedRequest = {
      subject,
      job: folder,
      by: { workId, number: asked },
      attempts,
      timeoutMs: dossiers.timeoutMs,
      now,
      entriesOf: ({ claim }, receipt) =>
        receipt.kind === 'refused' ? [dossierRetryEntry(retry, { claim, receipt }, told)] : [],
    };
    const sent = await sendKeyed(about, (beforeSend) =>
      dossiers.retry(dossierId, retryKey(retry), signal, async () => {
        const isNoted = (await file.noted(folder, sendOf(retry))) > 0;
        if (!isNoted) await file.note(folder, sendOf(retry), now());
        await beforeSend();
      }),
    );
    if (sent.kind === 'answered') {
      const attempt = attemptAfter(sent.answer.dossier, from);
      return settled(retry, sent.taken, { attempt, readBack: false, ref });
    }
    if (sent.kind === 'stopped') return again(null);
    const { error, taken } = sent;
    const { code, detail, message, retryAfterMs, status } = error;
    if (taken.isNew) metrics.retryEnded('refused');
    // What was sent before may have begun an attempt, and the service may not show it yet.
    else if (now() - taken.claim.claimedAt < lostPatienceMs) return again(retryAfterMs ?? repeatMs);
    const { dossier } = await dossiers.status(dossierId, 'interactive', signal);
    const attempt = attemptAfter(dossier, from);
    if (attempt !== null) {
      if (taken.isNew) return begunElsewhere(attempt);
      return settled(retry, taken, { attempt, readBack: true, ref });
    }
    const kind = taken.isNew ? 'refused' : 'unknown';
    return { kind: 'settled', value: { kind, status, code, message: detail ?? message } };
  }

  /** With what the audit trail tells of it. */
  async function settled(
    retry: Retry,
    taken: Pick<Attempt, 'n' | 'claim'>,
    begun: { attempt: number | null; readBack: boolean; ref: DossierRef },
  ): Promise<Reading<Retried>> {
    const receipt = await putBegun(retry, taken, begun);
    const value = retriedBy(receipt, retry.from) ?? { kind: 'moved' };
    return { kind: 'settled', value };
  }

  async function putBegun(
    retry: Retry,
    { n, claim }: Pick<Attempt, 'n' | 'claim'>,
    { attempt, readBack, ref }: { attempt: number | null; readBack: boolean; ref: DossierRef },
  ): Promise<Receipt> {
    const { folder, workId } = ref;
    const externalId = String(attempt ?? '');
    const told = { readBack, by: workId };
    const receipt: BegunAttempt = { kind: 'accepted', externalId, at: now(), told };
    const about = { by: await askedBy(folder), workId };
    const entry = dossierRetryEntry(retry, { claim, receipt }, about);
    const stands = await attempts.putReceipt(retry.subject, { n, claim }, receipt, [entry]);
    metrics.retryEnded(readBack ? 'read_back' : 'accepted');
    return stands;
  }

  /** Asks the service to cancel, and waits for whatever state it reaches. */
  async function cancelDossier(
    input: PollRequest & { ref: DossierRef },
  ): Promise<Polled<DossierCancelled>> {
    const { dossierId, folder } = input.ref;
    const isFollowed = (await file.record(folder))?.toCancel === false;
    let isKnown = isFollowed || (await file.noted(folder, cancelAsked)) > 0;
    return pollUntilSettled(
      async (signal): Promise<Reading<DossierCancelled>> => {
        const { dossier } = await dossiers.status(dossierId, 'interactive', signal);
        isKnown = true;
        const sight = sightOf(dossier);
        if (isSettled(sight.state)) return { kind: 'settled', value: { kind: 'settled', sight } };
        if ((await file.noted(folder, cancelTaken)) > 0) return stillThere(dossier, sight);
        return sendCancel(input.ref, dossier, signal);
      },
      {
        ...input,
        what: 'the cancellation of a dossier',
        // Asked for before each read: a wrong id is told at once.
        get refusalPatienceMs() {
          return isKnown ? refusalPatienceMs : 0;
        },
      },
    );
  }

  async function sendCancel(
    { dossierId, folder }: DossierRef,
    before: Dossier,
    signal: AbortSignal,
  ): Promise<Reading<DossierCancelled>> {
    const leaving: { isNew: boolean | null } = { isNew: null };
    const beforeSend = async (): Promise<void> => {
      leaving.isNew = (await file.note(folder, cancelAsked, now())) === 1;
    };
    try {
      const { dossier: after } = await dossiers.cancel(dossierId, signal, beforeSend);
      await file.note(folder, cancelTaken, now());
      return afterCancel(after);
    } catch (error) {
      const { receipt } = receiptOfError(error, now);
      if (leaving.isNew === true && receipt.kind !== 'unknown')
        await file.takeBack(folder, cancelAsked);
      if (!isPermanent(error)) throw error;
      // The one before may have been taken: what comes of it is waited for, and no more is sent.
      const mayBeTaken = leaving.isNew !== true;
      if (mayBeTaken) await file.note(folder, cancelTaken, now());
      const { dossier } = await dossiers.status(dossierId, 'interactive', signal);
      const reached = afterCancel(dossier);
      if (reached.kind === 'settled') return reached;
      if (mayBeTaken) return stillThere(before, sightOf(dossier));
      const { code, detail, message } = error;
      const sight = sightOf(dossier);
      const value = { kind: 'refused', code, message: detail ?? message, sight } as const;
      return { kind: 'settled', value };
    }
  }

  /** Puts the end on file and on the audit trail. Repeated, what was filed first stands. */
  async function finalizeDossier(input: {
    ref: DossierRef;
    outcome: Omit<
      DossierOutcome,
      'workId' | 'dossierId' | 'settledAt' | 'caused' | 'possibleAttempt' | 'cancelRequested'
    >;
  }): Promise<DossierOutcome> {
    const { outcome, ref } = input;
    const retries = await closedRetries(ref);
    const open = retries.filter(({ attempt }) => attempt?.receipt === null);
    const caused = retries.filter((retry) => learnerOf(retry) === ref.workId);
    const end: DossierOutcome = {
      ...outcome,
      workId: ref.workId,
      dossierId: ref.dossierId,
      caused: caused.length,
      possibleAttempt: open.length > 0,
      cancelRequested: (await file.noted(ref.folder, cancelAsked)) > 0,
      settledAt: iso(),
    };
    const by = await askedBy(ref.folder);
    const stands = await file.putOutcome(ref.folder, end, [
      ...open.flatMap((retry) => {
        const { attempt } = retry;
        return attempt === null
          ? []
          : dossierRetryEntry(retry, attempt, { by, workId: ref.workId });
      }),
      dossierOutcomeEntry(end, by),
    ]);
    metrics.dossierEnded(stands.status);
    if (stands.possibleAttempt) metrics.retryEnded('unknown');
    return stands;
  }

  /** Those that this work may have sent, or learnt of. One whose answer was lost is read back a last time. */
  async function closedRetries(ref: DossierRef): Promise<Retry[]> {
    const own: Retry[] = [];
    for (const retry of await file.retries(ref.dossierId)) {
      const isOwn =
        learnerOf(retry) === ref.workId || (await file.noted(ref.folder, sendOf(retry))) > 0;
      if (isOwn) own.push(retry);
    }
    const last = own.at(-1);
    if (last?.attempt?.receipt !== null) return own;
    const attempt = await dossiers.status(ref.dossierId, 'interactive').then(
      ({ dossier }) => attemptAfter(dossier, last.from),
      () => null,
    );
    if (attempt === null) return own;
    const receipt = await putBegun(last, last.attempt, { attempt, readBack: true, ref });
    return [...own.slice(0, -1), { ...last, attempt: { ...last.attempt, receipt } }];
  }

  /**
   * Puts a work on file that runs already: what is on file of it has surely begun.
   *
   * @returns how it ended, when it had run before
   */
  async function beginFollow({
    record,
  }: {
    record: DossierRecord;
  }): Promise<DossierOutcome | null> {
    const folder = dossierFolder(record.workId);
    const ended = await file.outcome(folder);
    if (ended === null) await file.putRecord(folder, record);
    return ended;
  }

  return { awaitDossier, retryDossier, cancelDossier, beginFollow, finalizeDossier };
}

function unsettled(
  dossier: Dossier,
  sight: DossierSight,
): Extract<Reading<DossierSight>, { kind: 'unsettled' }> {
  return {
    kind: 'unsettled',
    value: sight,
    status: statusOf(sight),
    unknownWord: sight.state === 'unknown' ? sight.statusWord : null,
    pollAfterMs: dossier.pollAfterMs,
    details: dossier.coverage,
  };
}

function afterCancel(dossier: Dossier): Reading<DossierCancelled> {
  const sight = sightOf(dossier);
  if (!isSettled(sight.state)) return stillThere(dossier, sight);
  return { kind: 'settled', value: { kind: 'settled', sight } };
}

function stillThere(dossier: Dossier, sight: DossierSight): Reading<DossierCancelled> {
  return {
    ...unsettled(dossier, sight),
    status: 'cancelling',
    value: { kind: 'settled', sight },
  };
}

/** It may be taken later: the same request goes again after a while. */
function again(pollAfterMs: number | null): Reading<Retried> {
  const value: Retried = { kind: 'moved' };
  return { kind: 'unsettled', value, status: 'retrying', unknownWord: null, pollAfterMs };
}

/** A cancellation has left, or was about to. */
const cancelAsked = ['cancel', 'asked'] as const;
/** The service has heard of it: it need not be sent again. */
const cancelTaken = ['cancel', 'taken'] as const;

/** It may be sent by this work, too. */
function sendOf({ from, number }: Retry): string[] {
  return ['retry', `${from}-${number}`];
}

/** The work that learnt of an attempt that was begun; null: none was, as far as is known. */
function learnerOf({ attempt }: Retry): string | null {
  const receipt = attempt?.receipt ?? null;
  return receipt?.kind === 'accepted' ? (receipt as BegunAttempt).told.by : null;
}

/** The same for every work about this attempt: two of them cannot begin two attempts. */
function retryKey({ dossierId, from, number }: Retry): string {
  const words = `dossier/${dossierId}|attempt ${from + 1}|${number}`;
  return `dossier-retry-${createHash('sha256').update(words).digest('hex')}`;
}

function attemptAfter({ attempt }: Dossier, from: number): number | null {
  const number = attempt?.number ?? null;
  return number !== null && number > from ? number : null;
}

function begunElsewhere(attempt: number): Reading<Retried> {
  return { kind: 'settled', value: { kind: 'begun', attempt, by: 'elsewhere' } };
}
