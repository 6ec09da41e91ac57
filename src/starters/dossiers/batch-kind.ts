import {
  dossierFolder,
  type DossierOutcome,
  type DossierRecord,
} from '../../domain/dossiers/follow';
import { dossierEnd } from '../../domain/job-ends';
import { DossierRepository } from '../../store/dossiers/dossiers';
import { jobBatchKind } from '../jobs/batches/batch-kind';
import { billedCharges } from '../jobs/batches/rules';
import { exportJob } from '../jobs/export-job';
import type { EndedJob } from '../jobs/job-kind';
import { dossierKind } from './kind';

export const dossierBatchKind = jobBatchKind({
  kind: 'dossier-batch',
  service: 'investigation',
  noun: ['dossiers', 'dossiês'],
  unstarted: 'followed',
  columns: ['remote', 'attempts', 'caused', 'possible_attempt', 'risk', 'files'],
  chargeColumns: ['caused', 'possible_attempt'],
  charges: billedCharges,
  child: dossierKind,
  ending: async (ctx, jobId) => {
    const folder = dossierFolder(jobId);
    const outcome = await new DossierRepository(ctx.store).outcome(folder);
    if (outcome === null) return null;
    const { attempts, caused, error, stored, possibleAttempt, remote, risk } = outcome;
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
        files: stored.length,
      },
      error,
      settledAt,
      billing: attempts.map(({ billing }) => billing),
      isErased: outcome.erased === true,
      answer: async () => null,
      exportTo: async (to, options) => {
        const job = await ctx.store.jobs.find(jobId);
        const ended = job as EndedJob<DossierRecord, DossierOutcome> | null;
        return ended === null ? [] : exportJob(ctx, dossierKind, ended, { ...options, folder: to });
      },
    };
  },
  hasStarted: async ({ store }, jobId) =>
    (await new DossierRepository(store).record(dossierFolder(jobId))) !== null,
});
