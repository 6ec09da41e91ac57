import type { JobRef } from '../../domain/core/job-record';
import { isPermanent } from '../../apis/http/classify';
import { DossierRepository } from '../../store/dossiers/dossiers';
import type { Dossier } from '../../domain/dossiers/dossier';
import { dossierIdOf, isSettled, sightOf, type DossierSight } from '../../domain/dossiers/follow';
import type { PollRequest, Polled } from '../../domain/core/service/poll-request';
import { receiptOfError } from '../core/attempt';
import { createPolling, type Reading } from '../core/poll-until-settled';
import type { DossierDependencies } from '../dependencies';
import { refusalPatienceMs, unsettled } from './readings';

/** The result of a cancellation. */
export type DossierCancelled =
  | { kind: 'settled'; sight: DossierSight }
  | { kind: 'refused'; code: string | null; message: string; sight: DossierSight };

/** Cancelling a dossier at the service. */
export function createDossierCancelActivities(deps: DossierDependencies) {
  const { store, dossiers, now } = deps;
  const file = new DossierRepository(store);
  const pollUntilSettled = createPolling(deps);

  /** Requests the cancellation, and polls until the dossier settles. */
  async function cancelDossier(
    input: PollRequest & { ref: JobRef },
  ): Promise<Polled<DossierCancelled>> {
    const { folder } = input.ref;
    const dossierId = dossierIdOf(input.ref);
    const isFollowed = (await file.record(folder))?.toCancel === false;
    let isKnown = isFollowed || (await file.noted(folder, cancelRequested)) > 0;
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
        // Read before each poll: a wrong id is reported at once.
        get refusalPatienceMs() {
          return isKnown ? refusalPatienceMs : 0;
        },
      },
    );
  }

  async function sendCancel(
    ref: JobRef,
    before: Dossier,
    signal: AbortSignal,
  ): Promise<Reading<DossierCancelled>> {
    const { folder } = ref;
    const dossierId = dossierIdOf(ref);
    const leaving: { isNew: boolean | null } = { isNew: null };
    const beforeSend = async (): Promise<void> => {
      leaving.isNew = (await file.note(folder, cancelRequested, now())) === 1;
    };
    try {
      const { dossier: after } = await dossiers.cancel(dossierId, signal, beforeSend);
      await file.note(folder, cancelTaken, now());
      return afterCancel(after);
    } catch (error) {
      const { receipt } = receiptOfError(error, now);
      if (leaving.isNew === true && receipt.kind !== 'unknown')
        await file.takeBack(folder, cancelRequested);
      if (!isPermanent(error)) throw error;
      // The previous request may have been accepted: poll, and send no more.
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

  return { cancelDossier };
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

/** A cancellation was sent, or was about to be. */
export const cancelRequested = ['cancel', 'requested'] as const;
/** The service has accepted it: no further request. */
const cancelTaken = ['cancel', 'taken'] as const;
