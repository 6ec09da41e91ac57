import { dossierFolder } from '../../domain/dossiers/follow';
import { dossierEnd } from '../../domain/job-ends';
import { DossierRepository } from '../../store/dossiers/dossiers';
import { jobBatchKind } from '../jobs/batches/batch-kind';
import { billedCharges } from '../jobs/batches/rules';
import { writeDossierFolder } from './folder';

export const dossierBatchKind = jobBatchKind({
  kind: 'dossier-batch',
  service: 'investigation',
  noun: 'dossiers',
  unstarted: 'followed',
  columns: ['remote', 'attempts', 'caused', 'possible_attempt', 'risk', 'files'],
  chargeColumns: ['caused', 'possible_attempt'],
  charges: billedCharges,
  ending: async (ctx, jobId) => {
    const folder = dossierFolder(jobId);
    const outcome = await new DossierRepository(ctx.store).outcome(folder);
    if (outcome === null) return null;
    const { attempts, caused, error, filed, possibleAttempt, remote, risk } = outcome;
    const { settledAt, status } = outcome;
    return {
      jobId,
      status,
      ...(dossierEnd(outcome).needsAttention && { isDoubted: true }),
      cells: {
        remote,
        attempts: attempts.at(-1)?.number ?? null,
        caused,
        possible_attempt: possibleAttempt,
        risk: risk?.level ?? null,
        files: filed.length,
      },
      error,
      settledAt,
      billing: attempts.map(({ billing }) => billing),
      isErased: outcome.erased === true,
      answer: async () => null,
      exportTo: (to) => writeDossierFolder(ctx, { folder, id: jobId, outcome }, to),
    };
  },
  hasStarted: async ({ store }, jobId) =>
    (await new DossierRepository(store).record(dossierFolder(jobId))) !== null,
});
