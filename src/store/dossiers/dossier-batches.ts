import type { DossierBatchOutcome, DossierBatchRecord } from '../../domain/dossiers/retry-batch';
import type { RetryPlan } from '../../domain/dossiers/retry-plan';
import { dossierBatchEnd } from '../../domain/job-ends';
import type { Store } from '../store';
import { JobsOfKind } from '../core/jobs-of-kind';

/** Retries of many dossiers on file: what was asked for, what was planned, and how it ended. */
export class DossierBatchRepository extends JobsOfKind<DossierBatchRecord, DossierBatchOutcome> {
  constructor(store: Store) {
    super(store, {
      root: 'dossier-batches/',
      start: ({ workId: id }) => ({ id, kind: 'dossier-batch' }),
      end: (outcome) => ({ endedAt: outcome.settledAt, ...dossierBatchEnd(outcome) }),
    });
  }

  plan(folder: string): Promise<RetryPlan | null> {
    return this.store.records.getJson<RetryPlan>(`${folder}/plan.json`);
  }

  /** The first one filed stays, and is returned. */
  async putPlan(folder: string, plan: RetryPlan): Promise<RetryPlan> {
    const put = await this.store.records.putJson(`${folder}/plan.json`, plan);
    return put === 'stored' ? plan : ((await this.plan(folder)) ?? plan);
  }
}
