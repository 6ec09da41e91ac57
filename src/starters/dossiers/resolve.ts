import { WorkflowUpdateFailedError } from '@temporalio/client';
import { refusalWords } from '../jobs/begin/order-job';
import { answerWords, orderAnswer } from '../../domain/order-answers';
import type { DossierRecord, ReviewAction } from '../../domain/dossiers/follow';
import { decideDossierUpdate } from '../../workflows/messages';
import { runningUnder } from '../jobs/context';
import { RefusedDecisionError, type Resolver } from '../jobs/decide/resolve';
import { singleResolver } from '../jobs/decide/resolve-single';
import type { JobKind } from '../jobs/job-kind';

/** A resolution signals a dossier that waits for a review; an ended one is followed again. */
export const dossierResolver = (kind: JobKind<DossierRecord>): Resolver => ({
  async check(ctx, engine, job, request) {
    if (job.status !== null) await singleResolver(kind).check?.(ctx, engine, job, request);
  },
  async carryOut(ctx, engine, job, decision, deadlineMs) {
    if (job.status !== null)
      return singleResolver(kind).carryOut(ctx, engine, job, decision, deadlineMs);
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
});
