import { jobFolder } from '../../domain/job';
import type { JobRef } from '../../domain/core/job-record';
import { DossierRepository } from '../../store/dossiers/dossiers';
import { dossierOutcomeEntry, dossierRetryEntry } from '../../domain/dossiers/audit';
import {
  dossierIdOf,
  isSettled,
  sightOf,
  type DossierOutcome,
  type DossierRecord,
  type DossierSight,
} from '../../domain/dossiers/follow';
import type { PollRequest, Polled } from '../../domain/core/service/poll-request';
import { storeOutcome } from '../core/job-records';
import { createPolling, type Reading } from '../core/poll-until-settled';
import { cancelRequested, createDossierCancelActivities } from './cancellations';
import type { DossierDependencies } from '../dependencies';
import { actorOf, refusalPatienceMs, unsettled } from './readings';
import { createDossierRetries, learnerOf } from './retries';

export interface AwaitDossierInput extends PollRequest {
  ref: JobRef;
  /** Reads that show an earlier attempt are outdated; null: any counts. */
  atLeast: number | null;
  /** Epoch milliseconds since which that attempt is known; null with `atLeast`. */
  startedAt: number | null;
  /** It is known to need a review: only a later status ends the poll. */
  inReview: boolean;
}

/** A status may lag this long behind the response to a retry. */
const pastPatienceMs = 10 * 60_000;
/** Follows a dossier, requests another attempt, and cancels it. */
export function createDossierActivities(deps: DossierDependencies) {
  const { store, dossiers, metrics, now } = deps;
  const file = new DossierRepository(store);
  const pollUntilSettled = createPolling(deps);
  const iso = (): string => new Date(now()).toISOString();
  const { retryDossier, closedRetries } = createDossierRetries(deps);

  /**
   * Returns when the dossier has settled, needs a review, or its status changed; also when the service keeps
   * showing an attempt before `atLeast`.
   */
  async function awaitDossier(input: AwaitDossierInput): Promise<Polled<DossierSight>> {
    const { atLeast, startedAt, inReview, ref } = input;
    return pollUntilSettled(
      async (signal): Promise<Reading<DossierSight>> => {
        const { dossier } = await dossiers.status(dossierIdOf(ref), 'poll', signal);
        const sight = sightOf(dossier);
        const { number } = sight.attempt ?? { number: null };
        const mayBePast = now() - (startedAt ?? 0) < pastPatienceMs;
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

  /** Stores and audits the outcome. Idempotent: the first stored outcome stays. */
  async function finalizeDossier(input: {
    ref: JobRef;
    outcome: Omit<
      DossierOutcome,
      'jobId' | 'dossierId' | 'settledAt' | 'caused' | 'possibleAttempt' | 'cancelRequested'
    >;
  }): Promise<DossierOutcome> {
    const { outcome, ref } = input;
    const retries = await closedRetries(ref);
    const open = retries.filter(({ attempt }) => attempt?.receipt === null);
    const caused = retries.filter((retry) => learnerOf(retry) === ref.jobId);
    const end: DossierOutcome = {
      ...outcome,
      jobId: ref.jobId,
      dossierId: dossierIdOf(ref),
      caused: caused.length,
      possibleAttempt: open.length > 0,
      cancelRequested: (await file.noted(ref.folder, cancelRequested)) > 0,
      settledAt: iso(),
    };
    const job = await actorOf(file, ref);
    if (end.possibleAttempt)
      metrics.count('diligence_retries_total', { kind: 'dossier', result: 'unknown' });
    return storeOutcome(deps, 'dossier', file, ref, end, [
      ...open.flatMap((retry) => {
        const { attempt } = retry;
        return attempt === null ? [] : dossierRetryEntry(retry, attempt, job);
      }),
      dossierOutcomeEntry(end, job),
    ]);
  }

  /**
   * Stores the job of a dossier that runs already.
   *
   * @returns its outcome, if it had ended before
   */
  async function beginFollow({
    record,
  }: {
    record: DossierRecord;
  }): Promise<DossierOutcome | null> {
    const folder = jobFolder(record.jobId);
    const ended = await file.outcome(folder);
    if (ended === null) await file.putRecord(folder, record);
    return ended;
  }

  return {
    awaitDossier,
    retryDossier,
    ...createDossierCancelActivities(deps),
    beginFollow,
    finalizeDossier,
  };
}
