import { WorkflowUpdateFailedError } from '@temporalio/client';
import { lensSubject, profileSubject, traceSubject } from '../domain/core/attempts';
import type { DossierOutcome, DossierRecord, ReviewAction } from '../domain/dossiers/follow';
import type { JobKind } from '../domain/job';
import type { LensRecord } from '../domain/lens/analyze';
import type { ProfileRecord } from '../domain/profiles/lookup';
import type { TraceRecord } from '../domain/traces/search';
import { LensRepository } from '../store/lens/lens';
import { decideDossierUpdate } from '../workflows/messages';
import { certificateResolver } from './certificates/resolve';
import { creditResolver } from './credit/resolve';
import { runningUnder } from './jobs/context';
import { CommandError } from './jobs/errors';
import { RefusedDecisionError, type Resolver } from './jobs/resolve';
import { singleResolver } from './jobs/resolve-single';

const traces = singleResolver<TraceRecord>({
  workflow: 'searchTrace',
  fence: async (_, { name }) => traceSubject(name),
  args: (_, { workId }, folder) => ({ ref: { workId, folder }, interactive: true }),
  async check({ store }, { id }, { name }, { externalId }) {
    const holder = externalId === null ? null : await store.attempts.holderOfTrace(externalId);
    if (holder !== null && holder !== traceSubject(name))
      throw new CommandError(`${id}: the search ${externalId} was made for another target`);
  },
});

const profiles = singleResolver<ProfileRecord>({
  workflow: 'lookUpProfile',
  fence: async (_, { name }) => profileSubject(name),
  args: (_, { retryRural, workId }, folder) => ({ ref: { workId, folder }, retryRural }),
});

const lens = singleResolver<LensRecord>({
  workflow: 'analyzeLens',
  fence: async ({ store }, { name }) =>
    lensSubject(name, (await new LensRepository(store).current(name)).attempt),
  args: async ({ store }, { name, workId }, folder) => ({
    ref: { workId, folder },
    attempt: (await new LensRepository(store).current(name)).attempt,
    interactive: true,
  }),
});

const dossiersEnded = singleResolver<DossierRecord>({
  workflow: 'followDossier',
  fence: async () => null,
  async changed({ store }, { folder }, { maxAttempts }, { action }) {
    const outcome = await store.jobs.outcome<DossierOutcome>(folder);
    const number = outcome?.attempts.at(-1)?.number ?? 1;
    // One more attempt is what was decided.
    return { onReview: 'wait', maxAttempts: action === 'retry' ? number + 1 : maxAttempts };
  },
  args: (_, { workId, dossierId, maxAttempts, onReview, toCancel }, folder) => ({
    ref: { workId, folder, dossierId },
    maxAttempts,
    onReview,
    toCancel,
    atOnce: true,
    interactive: true,
  }),
});

/** A dossier that waits for a review is told; one that has ended is followed again. */
const dossiers: Resolver = {
  async check(ctx, engine, job, request) {
    if (job.status !== null) await dossiersEnded.check?.(ctx, engine, job, request);
  },
  async carryOut(ctx, engine, job, decision, deadlineMs) {
    if (job.status !== null) return dossiersEnded.carryOut(ctx, engine, job, decision, deadlineMs);
    const { action, at, by, note, number } = decision;
    const workflowId = job.id.replace(/\/[^/]+$/, '');
    const running = await runningUnder(engine, workflowId);
    if (running?.startedFor !== job.id)
      throw new RefusedDecisionError('it does not run: the same command goes on with it');
    const review = { action: action as ReviewAction, at, by, note };
    try {
      await engine.client.workflow.getHandle(workflowId).executeUpdate(decideDossierUpdate, {
        args: [review],
        // Given again, it is the same.
        updateId: `decision-${number}`,
      });
    } catch (error) {
      if (!(error instanceof WorkflowUpdateFailedError)) throw error;
      throw new RefusedDecisionError(error.cause?.message ?? 'refused');
    }
    return { id: job.id, workflowId };
  },
};

const nothingGoesOn: Resolver = { carryOut: async () => null };

/** What resolving means for each kind of job. A new kind adds its line here. */
export const resolvers: Readonly<Record<JobKind, Resolver>> = {
  certificate: certificateResolver,
  'certificate-batch': certificateResolver,
  decision: nothingGoesOn,
  'credit-analysis': creditResolver,
  // Rows of these are jobs, and decided about one by one.
  'credit-batch': nothingGoesOn,
  'profile-batch': nothingGoesOn,
  'trace-batch': nothingGoesOn,
  'dossier-batch': nothingGoesOn,
  'monitor-sweep': nothingGoesOn,
  'monitor-scan': nothingGoesOn,
  profile: profiles,
  trace: traces,
  lens,
  dossier: dossiers,
};
