import { investigationFolder } from '../../domain/investigations/investigation';
import { stepStatuses } from '../../domain/investigations/investigation';
import { InvestigationRepository } from '../../store/investigations/investigations';
import { jobBatchKind } from '../jobs/batches/batch-kind';
import { noCharges } from '../jobs/batches/rules';
import { findJob } from '../jobs/find-job';

export const investigationBatchKind = jobBatchKind({
  kind: 'investigation-batch',
  service: 'investigation',
  noun: 'investigations',
  unstarted: 'lost',
  columns: stepStatuses,
  chargeColumns: [],
  charges: noCharges,
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
      exportTo: async (to) => {
        const { writeInvestigationFolder } = require('./folder') as typeof import('./folder');
        return writeInvestigationFolder(ctx, (await findJob(ctx, jobId)) as never, to);
      },
    };
  },
  hasStarted: async ({ store }, jobId) =>
    (await store.rows.itemsAfter(investigationFolder(jobId), -1, 1)).length > 0,
});
