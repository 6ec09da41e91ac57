import { WorkflowUpdateFailedError } from '@temporalio/client';
import { refusalWords } from '../jobs/begin/order-job';
import { answerWords, orderAnswer } from '../../domain/order-answers';
import type { DossierOutcome, DossierRecord, ReviewAction } from '../../domain/dossiers/follow';
import { decideDossierUpdate } from '../../workflows/messages';
import { runningUnder } from '../jobs/context';
import { RefusedDecisionError, type Resolver } from '../jobs/decide/resolve';
import { singleResolver } from '../jobs/decide/resolve-single';

const dossiersEnded = singleResolver<DossierRecord>({
  workflow: 'followDossier',
  fence: async () => null,
  async changed({ store }, { folder }, { maxAttempts }, { action }) {
    const outcome = await store.jobs.outcome<DossierOutcome>(folder);
    const number = outcome?.attempts.at(-1)?.number ?? 1;
    // The resolution allows exactly one more attempt.
    return { onReview: 'wait', maxAttempts: action === 'retry' ? number + 1 : maxAttempts };
  },
  args: (_, { jobId, dossierId, maxAttempts, onReview, toCancel }, folder) => ({
    ref: { jobId, folder, dossierId },
    maxAttempts,
    onReview,
    toCancel,
    atOnce: true,
    interactive: true,
  }),
});

/** A resolution signals a dossier that waits for a review; an ended one is followed again. */
export const dossierResolver: Resolver = {
  async check(ctx, engine, job, request) {
    if (job.status !== null) await dossiersEnded.check?.(ctx, engine, job, request);
  },
  async carryOut(ctx, engine, job, decision, deadlineMs) {
    if (job.status !== null) return dossiersEnded.carryOut(ctx, engine, job, decision, deadlineMs);
    const { action, at, by, note, number } = decision;
    const workflowId = job.id.replace(/\/[^/]+$/, '');
    const running = await runningUnder(engine, workflowId);
    if (running?.startedFor !== job.id)
      throw new RefusedDecisionError(answerWords(orderAnswer('not_running')));
    const review = { action: action as ReviewAction, at, by, note };
    try {
      await engine.client.workflow.getHandle(workflowId).executeUpdate(decideDossierUpdate, {
        args: [review],
        // A repeated update with this id has no effect.
        updateId: `decision-${number}`,
      });
    } catch (error) {
      if (!(error instanceof WorkflowUpdateFailedError)) throw error;
      throw new RefusedDecisionError(refusalWords(error));
    }
    return { id: job.id, workflowId };
  },
};
