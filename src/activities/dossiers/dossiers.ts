import { DossierRepository } from '../../store/dossiers/dossiers';
import { dossierOutcomeEntry, dossierRetryEntry } from '../../domain/dossiers/audit';
import {
  dossierFolder,
  isSettled,
  sightOf,
  type DossierOutcome,
  type DossierRecord,
  type DossierRef,
  type DossierSight,
} from '../../domain/dossiers/follow';
import type { PollRequest, Polled } from '../../domain/core/service/poll-request';
import { createPolling, type Reading } from '../core/poll-until-settled';
import { cancelRequested, createDossierCancelActivities } from './cancellations';
import type { DossierDependencies } from '../dependencies';
import { requestedBy, refusalPatienceMs, unsettled } from './readings';
import { createDossierRetries, learnerOf } from './retries';

export interface AwaitDossierInput extends PollRequest {
  ref: DossierRef;
  /** Reads that show an attempt before this one are of the past; null: any counts. */
  atLeast: number | null;
  /** Epoch milliseconds since which that attempt is known; null with `atLeast`. */
  startedAt: number | null;
  /** It is known to need a review: only what comes after it ends the wait. */
  inReview: boolean;
}

/** So long a status may lag behind the answer to a retry. */
const pastPatienceMs = 10 * 60_000;
/** Following a dossier, asking for another attempt, and cancelling it. */
export function createDossierActivities(deps: DossierDependencies) {
  const { store, dossiers, metrics, now } = deps;
  const file = new DossierRepository(store);
  const pollUntilSettled = createPolling(deps);
  const iso = (): string => new Date(now()).toISOString();
  const { retryDossier, closedRetries } = createDossierRetries(deps);

  /**
   * Returns when the dossier has settled, needs a review, or its status changed; also when the
   * service goes on showing an attempt from before `atLeast`, as it is.
   */
  async function awaitDossier(input: AwaitDossierInput): Promise<Polled<DossierSight>> {
    const { atLeast, startedAt, inReview, ref } = input;
    return pollUntilSettled(
      async (signal): Promise<Reading<DossierSight>> => {
        const { dossier } = await dossiers.status(ref.dossierId, 'poll', signal);
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

  /** Puts the end on file and on the audit trail. Repeated, what was stored first stands. */
  async function finalizeDossier(input: {
    ref: DossierRef;
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
      dossierId: ref.dossierId,
      caused: caused.length,
      possibleAttempt: open.length > 0,
      cancelRequested: (await file.noted(ref.folder, cancelRequested)) > 0,
      settledAt: iso(),
    };
    const by = await requestedBy(file, ref.folder);
    const first = await file.putOutcome(ref.folder, end, [
      ...open.flatMap((retry) => {
        const { attempt } = retry;
        return attempt === null ? [] : dossierRetryEntry(retry, attempt, { by, jobId: ref.jobId });
      }),
      dossierOutcomeEntry(end, by),
    ]);
    metrics.dossierEnded(first.status);
    if (first.possibleAttempt) metrics.retryEnded('unknown');
    return first;
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
    const folder = dossierFolder(record.jobId);
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
