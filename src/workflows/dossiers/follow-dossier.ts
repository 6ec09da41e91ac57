import type { DossierOutcome } from '../../domain/dossiers/follow';
import { dossierEnd } from '../../domain/job-ends';
import { orderAnswer } from '../../domain/order-answers';
import { runJob } from '../core/run-job';
import type { FollowDossierInput } from '../inputs';
import { dossierActivities } from './activities';
import { FollowedDossier } from './followed-dossier';

/** Follows one dossier to its outcome and stores it. */
export async function followDossier(input: FollowDossierInput): Promise<DossierOutcome> {
  const { record, ref } = input;
  const calls = dossierActivities(input);
  return runJob<ReturnType<FollowedDossier['outcomeOf']>, DossierOutcome>({
    kind: 'dossier',
    folder: input.ref.folder,
    stage: 'following',
    async steps(job) {
      const dossier = new FollowedDossier(job, input, calls);
      const ended = record === undefined ? null : await calls.recording.beginFollow({ record });
      // Finalizing returns what is stored.
      if (ended !== null) return dossier.outcomeOf(ended, null, null);
      return dossier.toItsEnd();
    },
    finalize: (outcome) => calls.recording.finalizeDossier({ ref, outcome }),
    end: dossierEnd,
    onCancel: ({ remote }) => orderAnswer(remote === true ? 'cancelling_dossier' : 'not_followed'),
  });
}
