import { z } from 'zod';
import { isUuid } from '../../domain/core/documents/documents';
import {
  reviewPolicies,
  type DossierOutcome,
  type DossierRecord,
} from '../../domain/dossiers/follow';
import { jobFolder, jobIdAt } from '../../domain/job';
import { DossierRepository } from '../../store/dossiers/dossiers';
import { oneCell, ofFile } from '../jobs/batches/request';
import { orderJob } from '../jobs/begin/order-job';
import { inputTerms, startTerms, type StartTerms } from '../jobs/begin/request';
import { planOne, rowsBy } from '../jobs/begin/same-request';
import type { StartPlan } from '../jobs/begin/start-job';
import { startable, startableBatch } from '../jobs/begin/startable';
import type { CommandContext } from '../jobs/context';
import { UsageError } from '../jobs/errors';
import type { Job } from '../jobs/job-kind';
import { dossierBatchKind, dossierKind } from './kind';

type DossierJob = Job<DossierRecord, DossierOutcome>;
type Terms = Pick<DossierRecord, 'maxAttempts' | 'onReview'>;
type Follow = Terms & Pick<DossierRecord, 'dossierId' | 'toCancel'>;

/** Far above the bound that the workflow sets for a cancellation. */
const cancelDeadlineMs = 3_600_000;

const terms = {
  // More attempts are a mistake.
  maxAttempts: z
    .int()
    .min(1)
    .max(20)
    .default(1)
    .describe('the highest attempt number that it may cause: each retry may be charged'),
  onReview: z.enum(reviewPolicies).default('wait').meta({
    value: 'policy',
    description: 'a dossier that needs a review: wait for a decision, accept it, fail, or leave it',
  }),
  ...startTerms('7d'),
};

const dossierRequest = z.strictObject({
  id: z.string().describe('of the dossier: a UUID'),
  ...terms,
});

const dossierBatchRequest = z.strictObject({ ...inputTerms('ids of dossiers', 10), ...terms });

export const dossier = startable(dossierKind, dossierRequest, (ctx, request) => {
  const { id, maxAttempts, onReview } = request;
  const follow = { dossierId: dossierIdOf(id), maxAttempts, onReview, toCancel: false };
  return planDossier(ctx, follow, request);
});

/** Cancels it at the service, and follows it. */
export function planCancel(
  ctx: CommandContext,
  dossierId: string,
): Promise<StartPlan<DossierRecord, DossierOutcome>> {
  const follow = { dossierId, maxAttempts: 1, onReview: 'wait', toCancel: true } as const;
  return planDossier(ctx, follow, { deadline: cancelDeadlineMs, maxAge: 0 });
}

/**
 * A running job of the dossier is followed; an interrupted one is resumed when its terms are the same. A command
 * never takes over a retry or cancel that another command requested: that may cost money, or cancel the dossier.
 */
async function planDossier(
  ctx: CommandContext,
  follow: Follow,
  start: StartTerms,
): Promise<StartPlan<DossierRecord, DossierOutcome>> {
  const { log, reader, store } = ctx;
  const words = wordsOf(follow);
  const isSame = ({ input }: Pick<DossierJob, 'input'>): boolean => wordsOf(input) === words;
  const plan = await planOne<string, DossierRecord, DossierOutcome>(
    ctx,
    {
      newest: (id) => newestOf(ctx, id),
      // The service has finished it: only `--rerun` looks whether it was retried elsewhere.
      isFinal: ({ erased, status }, job) =>
        erased !== true && ['completed', 'failed', 'cancelled'].includes(status) && isSame(job),
      put: async (_, { terms: order }) => {
        const record = { ...recordOf(ctx, follow), ...order };
        const keyed = order.label && ctx.idKey.nameOf('document', order.label);
        await new DossierRepository(store).putRecord(jobFolder(record.jobId), record, keyed);
        return record;
      },
    },
    follow.dossierId,
    start,
    {
      onUnknown: follow.toCancel ? 'cancel' : 'report',
      rerun: true,
      maxAttempts: follow.maxAttempts,
    },
  );
  return {
    ...plan,
    goesOn: (job) => {
      if (isSame(job)) return true;
      const its = wordsOf(job.input);
      log(
        reader.say(
          `${job.id} was interrupted, and is left: it was asked for ${its}`,
          `${job.id} foi interrompido, e fica como está: foi pedido com ${its}`,
        ),
      );
      return false;
    },
    attach: async (_, job) => {
      if (!follow.toCancel && !isSame(job))
        log(`${reader.say('it was asked for', 'foi pedido com')} ${wordsOf(job.input)}`);
      if (!follow.toCancel || job.input.toCancel) return;
      // Through the job that follows it.
      log(await orderJob(ctx, dossierKind, job, 'cancel_now', { remote: true }));
    },
  };
}

function wordsOf({ maxAttempts, onReview, toCancel }: Follow): string {
  if (toCancel) return 'to cancel the dossier';
  return `with --max-attempts ${maxAttempts} --on-review ${onReview}`;
}

async function newestOf({ store }: CommandContext, dossierId: string): Promise<DossierJob | null> {
  return (await store.jobs.find(`dossier/${dossierId}`)) as DossierJob | null;
}

function recordOf({ environment }: CommandContext, follow: Follow): DossierRecord {
  const now = new Date();
  const jobId = jobIdAt(`dossier/${follow.dossierId}`, now);
  return { jobId, ...follow, createdAt: now.toISOString(), createdBy: environment.actor };
}

export function dossierIdOf(id: string): string {
  const reading = readId(id);
  if ('document' in reading) return reading.document;
  throw new UsageError([
    'ID: expected the id of a dossier, a UUID',
    'ID: espera-se o id de um dossiê, um UUID',
  ]);
}

function readId(text: string) {
  const document = text.trim().toLowerCase();
  if (isUuid(document)) return { document, note: '' };
  const code = document === '' ? 'empty' : 'wrong_shape';
  return { code, message: 'Expected the id of a dossier, a UUID.' };
}

export const dossiers = startableBatch(
  dossierBatchKind,
  dossierBatchRequest,
  (ctx, { maxAttempts, onReview, ...file }) => ({
    ...ofFile(file, 'dossiers', oneCell('dossier', 'an id', readId)),
    ...dossierRows(ctx, () => ({ maxAttempts, onReview }), { atOnce: false }),
    terms: ['follow', maxAttempts, onReview],
  }),
);

/**
 * The jobs of a batch's rows: an open one of the same terms is resumed, a completed one is in the store. The
 * record is stored at the start: a job that never started would be shown as interrupted.
 */
export function dossierRows(
  ctx: CommandContext,
  termsOf: (dossierId: string) => Terms,
  { atOnce }: { atOnce: boolean },
) {
  const args = (_: unknown, { input: record }: { input: DossierRecord }) => {
    const { maxAttempts, onReview } = record;
    return { record, maxAttempts, onReview, toCancel: false, atOnce };
  };
  const follow = (dossierId: string): Follow => {
    return { dossierId, ...termsOf(dossierId), toCancel: false };
  };
  return rowsBy<DossierRecord, DossierOutcome>(
    ctx,
    { args },
    {
      newest: async (id) => {
        const job = await newestOf(ctx, id);
        if (job === null || job.input.toCancel) return null;
        const isOther = wordsOf(job.input) !== wordsOf(follow(id));
        return job.outcome === null && isOther ? null : job;
      },
      isFinal: ({ erased, status }) => status === 'completed' && erased !== true,
      put: async (id) => recordOf(ctx, follow(id)),
    },
    undefined,
  );
}
