import type { StatusError } from '../apis/http/errors';
import type { DossiersApi } from '../apis/investigation/dossiers';
import type { Store } from '../store/store';
import type { AuditTrail } from '../store/audit/trail';
import {
  DossierFile,
  RetryLedger,
  type FiledReceipt,
  type FiledRetry,
} from '../store/dossiers/dossiers';
import { dossierOutcomeEntry, dossierRetryEntry } from '../domain/dossiers/audit';
import type { Dossier } from '../domain/dossiers/dossier';
import {
  dossierFolder,
  isSettled,
  sightOf,
  visibleOf,
  type DossierOutcome,
  type DossierRecord,
  type DossierRef,
  type DossierSight,
  type DossierStatus,
} from '../domain/dossiers/follow';
import {
  retriedBy,
  type Retried,
  type RetryIntent,
  type RetryReceipt,
} from '../domain/dossiers/retry';
import type { WaitOrder, Waited } from '../domain/settled-wait';
import { notSettledYet } from './failures';
import { isSurelyUnprocessed } from './keyed-requests';
import { SettledWait, isForGood, type Reading, type WaitDependencies } from './settled-wait';

export interface DossierDependencies extends WaitDependencies {
  dossiers: DossiersApi;
  store: Store;
  audit: AuditTrail;
  /** `IdKey.nameOf('document', ...)`: answers are put in the index by which an erasure finds them. */
  nameOf: (document: string) => string;
  metrics: DossierMetrics;
}

/** As `CertificateMetrics`. */
export interface DossierMetrics {
  /** An outcome was put on file. */
  dossierEnded(status: DossierStatus): void;
  /** A request for another attempt has come to its end; `unknown`: it may have begun one. */
  retryEnded(result: RetryReceipt['kind'] | 'read_back' | 'not_sent' | 'unknown'): void;
}

export interface AwaitDossierInput extends WaitOrder {
  ref: DossierRef;
  /** Reads that show an attempt before this one are of the past; null: any counts. */
  atLeast: number | null;
  /** Epoch milliseconds since which that attempt is known; null with `atLeast`. */
  begunAt: number | null;
  /** It is known to need a review: only what comes after it ends the wait. */
  inReview: boolean;
}

export interface RetryDossierInput extends WaitOrder {
  ref: DossierRef;
  /** Number of the attempt that is tried again. */
  from: number;
  /** Number of this retry within its work, from 1. */
  asked: number;
}

/** An intent that is on file; `isNew`: it cannot have been sent before. */
type TakenRetry = Pick<FiledRetry, 'intent'> & { isNew: boolean };

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
  const { store, audit, dossiers, metrics, now } = deps;
  const file = new DossierFile(store);
  const ledger = new RetryLedger(store);
  const wait = new SettledWait(deps);
  const iso = (): string => new Date(now()).toISOString();
  const askedBy = async (folder: string): Promise<string> =>
    (await file.record(folder))?.createdBy ?? 'unknown';

  /**
   * Returns when the dossier has settled, needs a review, or something visible changed; also when the
   * service goes on showing an attempt from before `atLeast`, as it is.
   */
  async function awaitDossier(input: AwaitDossierInput): Promise<Waited<DossierSight>> {
    const { atLeast, begunAt, inReview, ref } = input;
    return wait.until(
      async (signal): Promise<Reading<DossierSight>> => {
        const { dossier } = await dossiers.status(ref.dossierId, 'poll', signal);
        const sight = sightOf(dossier);
        const { number } = sight.attempt ?? { number: null };
        const mayBePast = now() - (begunAt ?? 0) < pastPatienceMs;
        if (atLeast !== null && number !== null && number < atLeast) {
          if (!mayBePast) return { kind: 'settled', value: sight };
          return { ...unsettled(dossier, sight), visible: input.seen ?? 'queued' };
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
   * send, the intent is on file before it leaves, and every send has the same key.
   */
  async function retryDossier(input: RetryDossierInput): Promise<Waited<Retried>> {
    const { asked, from, ref } = input;
    const { dossierId, workId } = ref;
    const wanted = { dossierId, from, workId, asked };
    return wait.until(
      async (signal): Promise<Reading<Retried>> => {
        const standing = await ledger.standing(wanted);
        const receipt = standing?.receipt ?? null;
        if (receipt?.kind === 'accepted') {
          return { kind: 'settled', value: retriedBy(receipt, from) };
        }
        const { dossier } = await dossiers.status(dossierId, 'interactive', signal);
        const attempt = attemptAfter(dossier, from);
        if (attempt !== null) {
          if (standing === null) metrics.retryEnded('not_sent');
          if (standing === null || receipt !== null) return begunElsewhere(attempt);
          return settled(standing.intent, { kind: 'accepted', attempt, readBack: true }, input);
        }
        if (receipt !== null) return { kind: 'settled', value: retriedBy(receipt, from) };
        const isOver = dossier.state === 'failed' || dossier.state === 'needs_review';
        if (!isOver) return { kind: 'settled', value: { kind: 'moved' } };
        return sendRetry(input, signal);
      },
      { ...input, what: 'the retry of a dossier', refusalPatienceMs },
    );
  }

  /** One send: once it has left it is not given up half-way, since what came of it is to be known. */
  async function sendRetry(
    input: RetryDossierInput,
    signal: AbortSignal,
  ): Promise<Reading<Retried>> {
    const { asked, from, ref } = input;
    const { dossierId, workId } = ref;
    const wanted = { dossierId, from, workId, asked };
    const key = await ledger.keyFor(wanted);
    /** As it leaves: it may have waited long for its turn, and patience with a refusal counts from then. */
    const take = (): Promise<TakenRetry> => ledger.take({ ...wanted, at: iso() });
    const leaving: { retry: TakenRetry | null } = { retry: null };
    const beforeSend = async (): Promise<void> => {
      const retry = await take();
      // Somebody else was refused meanwhile: it is to be asked for with another key.
      if (retry.intent.key !== key) throw notSettledYet(1_000);
      leaving.retry = retry;
    };
    try {
      const { dossier: begun } = await dossiers.retry(dossierId, key, signal, beforeSend);
      const { intent } = leaving.retry ?? (await take());
      const attempt = attemptAfter(begun, from);
      return await settled(intent, { kind: 'accepted', attempt, readBack: false }, input);
    } catch (error) {
      if (leaving.retry === null) throw error;
      return retryFailed(error, leaving.retry, input, signal);
    }
  }

  /** @throws what passes */
  async function retryFailed(
    error: unknown,
    { intent, isNew }: TakenRetry,
    input: RetryDossierInput,
    signal: AbortSignal,
  ): Promise<Reading<Retried>> {
    const isRefusal = isForGood(error);
    const isFinal = isRefusal && error.retryable !== true;
    if (!isNew || !isSurelyUnprocessed(error, dossiers.service)) await ledger.keep(intent);
    else if (!isFinal) await ledger.takeBack(intent);
    if (!isRefusal) throw error;
    if (!isFinal) return again(error.retryAfterMs);
    return isNew
      ? refused(error, intent, input, signal)
      : repetitionRefused(error, intent, input, signal);
  }

  /** It may be refused because somebody else has begun an attempt meanwhile. */
  async function refused(
    { code, detail, message, status }: StatusError,
    intent: RetryIntent,
    input: RetryDossierInput,
    signal: AbortSignal,
  ): Promise<Reading<Retried>> {
    const receipt = { kind: 'refused', status, code, message } as const;
    const stands = await settled(intent, receipt, input);
    const attempt = await attemptShown(input, signal);
    if (attempt !== null) return begunElsewhere(attempt);
    // What the service says of it may quote a name: not for the ledger, which is never erased.
    if (detail === null || stands.kind !== 'settled') return stands;
    return { ...stands, value: { ...stands.value, message: detail } as Retried };
  }

  /** What was sent before may have begun an attempt, and the service may not show it yet. */
  async function repetitionRefused(
    { code, detail, message, retryAfterMs, status }: StatusError,
    intent: RetryIntent,
    input: RetryDossierInput,
    signal: AbortSignal,
  ): Promise<Reading<Retried>> {
    if (now() - Date.parse(intent.at) < lostPatienceMs) return again(retryAfterMs ?? repeatMs);
    const attempt = await attemptShown(input, signal);
    if (attempt !== null) {
      return settled(intent, { kind: 'accepted', attempt, readBack: true }, input);
    }
    const value = { kind: 'unknown', status, code, message: detail ?? message } as const;
    return { kind: 'settled', value };
  }

  /** Null: none after the one that is to be tried again. */
  async function attemptShown(
    { from, ref }: RetryDossierInput,
    signal: AbortSignal,
  ): Promise<number | null> {
    const { dossier } = await dossiers.status(ref.dossierId, 'interactive', signal);
    return attemptAfter(dossier, from);
  }

  async function settled(
    intent: RetryIntent,
    receipt: RetryReceipt,
    { from, ref }: Pick<RetryDossierInput, 'from' | 'ref'>,
  ): Promise<Reading<Retried>> {
    return { kind: 'settled', value: retriedBy(await closeRetry(intent, receipt, ref), from) };
  }

  async function closeRetry(
    intent: RetryIntent,
    receipt: RetryReceipt,
    { folder, workId }: DossierRef,
  ): Promise<FiledReceipt> {
    const stands = await ledger.settle(intent, { ...receipt, by: workId });
    const readBack = stands.kind === 'accepted' && stands.readBack;
    metrics.retryEnded(readBack ? 'read_back' : stands.kind);
    const by = await askedBy(folder);
    await audit.append([dossierRetryEntry(intent, stands, { by, workId })]);
    return stands;
  }

  /** Asks the service to cancel, and waits for whatever state it reaches. */
  async function cancelDossier(
    input: WaitOrder & { ref: DossierRef },
  ): Promise<Waited<DossierCancelled>> {
    const { dossierId, folder } = input.ref;
    const isFollowed = (await file.record(folder))?.toCancel === false;
    let isKnown = isFollowed || (await file.mayHaveCancelled(folder));
    return wait.until(
      async (signal): Promise<Reading<DossierCancelled>> => {
        const { dossier } = await dossiers.status(dossierId, 'interactive', signal);
        isKnown = true;
        const sight = sightOf(dossier);
        if (isSettled(sight.state)) return { kind: 'settled', value: { kind: 'settled', sight } };
        if (await file.wasCancelTaken(folder)) return stillThere(dossier, sight);
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
      leaving.isNew = await file.putCancelAsked(folder, iso());
    };
    try {
      const { dossier: after } = await dossiers.cancel(dossierId, signal, beforeSend);
      await file.putCancelTaken(folder, iso());
      return afterCancel(after);
    } catch (error) {
      const isUntaken = isSurelyUnprocessed(error, dossiers.service);
      if (leaving.isNew === true && isUntaken) await file.takeCancelBack(folder);
      if (!isForGood(error)) throw error;
      const isFinal = error.retryable !== true;
      // The one before may have been taken: what comes of it is waited for, and no more is sent.
      const mayBeTaken = leaving.isNew !== true;
      if (isFinal && mayBeTaken) await file.putCancelTaken(folder, iso());
      const { dossier } = await dossiers.status(dossierId, 'interactive', signal);
      const reached = afterCancel(dossier);
      if (reached.kind === 'settled') return reached;
      if (!isFinal || mayBeTaken) return stillThere(before, sightOf(dossier));
      const { code, detail, message } = error;
      const sight = sightOf(dossier);
      const value = { kind: 'refused', code, message: detail ?? message, sight } as const;
      return { kind: 'settled', value };
    }
  }

  /** Puts the end on file and on the audit trail. Repeated, what was filed first stands. */
  async function concludeDossier(input: {
    ref: DossierRef;
    outcome: Omit<
      DossierOutcome,
      'workId' | 'dossierId' | 'settledAt' | 'caused' | 'possibleAttempt' | 'cancelRequested'
    >;
  }): Promise<DossierOutcome> {
    const { outcome, ref } = input;
    const retries = await closedRetries(ref);
    const open = retries.filter(({ receipt }) => receipt === null);
    const caused = retries.filter(
      ({ receipt }) => receipt?.kind === 'accepted' && receipt.by === ref.workId,
    );
    // Those with a receipt, too: it may have been filed and never told of.
    const told = retries.filter(({ receipt }) => (receipt?.by ?? ref.workId) === ref.workId);
    const end: DossierOutcome = {
      ...outcome,
      workId: ref.workId,
      dossierId: ref.dossierId,
      caused: caused.length,
      possibleAttempt: open.length > 0,
      cancelRequested: await file.mayHaveCancelled(ref.folder),
      settledAt: iso(),
    };
    const by = await askedBy(ref.folder);
    await audit.append(
      told.map(({ intent, receipt }) =>
        dossierRetryEntry(intent, receipt, { by, workId: ref.workId }),
      ),
    );
    const stands = await file.putOutcome(ref.folder, end, [dossierOutcomeEntry(end, by)]);
    metrics.dossierEnded(stands.status);
    if (stands.possibleAttempt) metrics.retryEnded('unknown');
    return stands;
  }

  /** Those that this work may have sent, or learnt of. One whose answer was lost is read back a last time. */
  async function closedRetries(ref: DossierRef): Promise<FiledRetry[]> {
    const own = (await ledger.of(ref.dossierId)).filter(
      ({ askedBy: works, receipt }) => works.includes(ref.workId) || receipt?.by === ref.workId,
    );
    const last = own.at(-1);
    if (last === undefined || last.receipt !== null) return own;
    const attempt = await dossiers.status(ref.dossierId, 'interactive').then(
      ({ dossier }) => dossier.attempt?.number ?? null,
      () => null,
    );
    const { intent } = last;
    if (attempt === null || attempt <= intent.from) return own;
    const receipt = await closeRetry(intent, { kind: 'accepted', attempt, readBack: true }, ref);
    return [...own.slice(0, -1), { ...last, receipt }];
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

  /** How a work ends that somebody else has begun; null: it never did, and another one runs. */
  async function awaitFollow(
    input: WaitOrder & { workId: string },
  ): Promise<Waited<DossierOutcome | null>> {
    const folder = dossierFolder(input.workId);
    return wait.until(
      async (): Promise<Reading<DossierOutcome | null>> => {
        const outcome = await file.outcome(folder);
        const isOurs = outcome !== null || (await file.record(folder)) !== null;
        if (!isOurs || outcome !== null) return { kind: 'settled', value: outcome };
        const visible = 'following';
        return { kind: 'unsettled', value: null, visible, unknownWord: null, pollAfterMs: null };
      },
      { ...input, what: 'a dossier that is followed' },
    );
  }

  return { awaitDossier, retryDossier, cancelDossier, beginFollow, awaitFollow, concludeDossier };
}

function unsettled(
  dossier: Dossier,
  sight: DossierSight,
): Extract<Reading<DossierSight>, { kind: 'unsettled' }> {
  return {
    kind: 'unsettled',
    value: sight,
    visible: visibleOf(sight),
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
    visible: 'cancelling',
    value: { kind: 'settled', sight },
  };
}

/** It may be taken later: the same request goes again after a while. */
function again(pollAfterMs: number | null): Reading<Retried> {
  const value: Retried = { kind: 'moved' };
  return { kind: 'unsettled', value, visible: 'retrying', unknownWord: null, pollAfterMs };
}

function attemptAfter({ attempt }: Dossier, from: number): number | null {
  const number = attempt?.number ?? null;
  return number !== null && number > from ? number : null;
}

function begunElsewhere(attempt: number): Reading<Retried> {
  return { kind: 'settled', value: { kind: 'begun', attempt, by: 'elsewhere' } };
}
