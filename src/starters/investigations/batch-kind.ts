import {
  investigationFolder,
  stepStatuses,
  type InvestigationOutcome,
  type InvestigationRecord,
} from '../../domain/investigations/investigation';
import { InvestigationRepository } from '../../store/investigations/investigations';
import { jobBatchKind } from '../jobs/batches/batch-kind';
import { noCharges } from '../jobs/batches/rules';
import { exportJob } from '../jobs/export-job';
import type { EndedJob } from '../jobs/job-kind';
import { investigationKind } from './kind';

export const investigationBatchKind = jobBatchKind({
  kind: 'investigation-batch',
  service: 'investigation',
  noun: ['investigations', 'investigações'],
  unstarted: 'lost',
  columns: stepStatuses,
  chargeColumns: [],
  charges: noCharges,
  child: investigationKind,
  ending: async (ctx, jobId) => {
    const outcome = await new InvestigationRepository(ctx.store).outcome(
      investigationFolder(jobId),
    );
    if (outcome === null) return null;
    const { error, settledAt, status, steps } = outcome;
    const counted = stepStatuses.map((word) => {
      return [word, steps.filter((step) => step.status === word).length] as const;
    });
    return {
      jobId,
      status,
      cells: Object.fromEntries(counted),
      error,
      settledAt,
      billing: [],
      isErased: outcome.erased === true,
      answer: async () => null,
      exportTo: async (to, options) => {
        const job = await ctx.store.jobs.find(jobId);
        const ended = job as EndedJob<InvestigationRecord, InvestigationOutcome> | null;
        return ended === null
          ? []
          : exportJob(ctx, investigationKind, ended, { ...options, folder: to });
      },
    };
  },
  hasStarted: async ({ store }, jobId) =>
    (await store.rows.itemsAfter(investigationFolder(jobId), -1, 1)).length > 0,
});
