import { Context } from '@temporalio/activity';
import { AnalysisRepository } from '../../store/credit/analyses';
import { attemptState } from '../../domain/core/service/attempts';
import { analysisRequestEntries, type RequestAnswer } from '../../domain/credit/job';
import type { CreditDependencies } from '../dependencies';
import { chunkOwner, recordOf } from '../core/job-records';
import { Heartbeats } from '../core/heartbeats';

import { refused, subjectOf, unsent, type AnalysisChunk } from './requests';

/** Recovers an upload whose worker was lost. */
export function createCreditRecoveryActivities({ store, audit, now }: CreditDependencies) {
  const { attempts: attemptRepository } = store;
  const analyses = new AnalysisRepository(store);

  /**
   * Closes the chunk unless its last try was sent, reads its receipt, and calls it unknown once nothing can be
   * sent any more.
   */
  async function recoverAnalysis({ ref, chunk }: AnalysisChunk): Promise<RequestAnswer> {
    const heartbeats = new Heartbeats(now);
    const { cancelled } = Context.current();
    try {
      const record = await recordOf(analyses, ref);
      const owner = chunkOwner(chunk);
      for (;;) {
        const attempt = await attemptRepository.close(subjectOf(record), owner, now());
        const state = attemptState(attempt, now());
        if (attempt.claim.kind === 'closed') return unsent('fault', now());
        if (state.kind === 'in_flight') {
          const waitMs = Math.min(1_000, state.answerBy - now() + 50);
          await Promise.race([new Promise((done) => setTimeout(done, waitMs)), cancelled]);
          continue;
        }
        await audit.append(analysisRequestEntries(record, attempt));
        if (state.kind === 'unknown') {
          return { kind: 'unknown', reason: state.reason, afterUnknown: state.afterUnknown };
        }
        if (state.kind === 'accepted') {
          const { externalId: operationId, at: acceptedAt, afterUnknown } = state;
          return { kind: 'accepted', operationId, acceptedAt, afterUnknown };
        }
        const { receipt } = attempt;
        return receipt?.kind === 'refused' ? refused(receipt) : unsent('fault', now());
      }
    } finally {
      heartbeats.stop();
    }
  }

  return { recoverAnalysis };
}
