import { WorkflowUpdateFailedError } from '@temporalio/client';
import { z } from 'zod';
import { refusalOf } from '../jobs/begin/order-job';
import { isUuid } from '../../domain/core/uuid';
import { decisionEntry } from '../../domain/core/audit';
import {
  reviewPolicies,
  type DossierOutcome,
  type DossierRecord,
} from '../../domain/dossiers/follow';
import { jobIdAt, jobFolder } from '../../domain/job';
import { answerWords } from '../../domain/order-answers';
import { DossierRepository } from '../../store/dossiers/dossiers';
import type { EngineClient } from '../../temporal/connection';
import { cancelUpdate } from '../../workflows/messages';
import { isNotFound, type CommandContext } from '../jobs/context';
import { CommandError, UsageError } from '../jobs/errors';
import { startable, startableBatch } from '../jobs/begin/startable';
import { followBatch } from './batch';
import { dossierBatchKind, dossierKind } from './kind';
import type { Job } from '../jobs/job-kind';
import { inputTerms, startTerms } from '../jobs/begin/request';
import { auditStart, isWithin, type StartPlan } from '../jobs/begin/start-job';

/** More attempts are a mistake. */
const mostAttempts = 20;

/** Far above the bound that the workflow sets for a cancellation. */
const cancelDeadlineMs = 3_600_000;

const requestTerms = {
  maxAttempts: z
    .int()
    .min(1)
    .max(mostAttempts)
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
  ...requestTerms,
});

const dossierBatchRequest = z.strictObject({
  ...inputTerms('ids of dossiers', 10),
  ...requestTerms,
});

/** Follows a dossier to its end. */
async function planFollow(
  ctx: CommandContext,
  {
    deadline,
    id,
    label,
    maxAge,
    maxAttempts,
    onReview,
    rerun = false,
  }: z.output<typeof dossierRequest>,
): Promise<StartPlan<DossierRecord, DossierOutcome>> {
  const dossierId = dossierIdOf(id);
  const request = {
    dossierId,
    maxAttempts,
    onReview,
    toCancel: false,
    label: label ?? null,
    deadlineMs: deadline,
    rerun,
  };
  return prepare(ctx, request, { maxAgeMs: maxAge });
}

/** Cancels it at the service, and follows it. */
export function planCancel(
  ctx: CommandContext,
  dossierId: string,
): Promise<StartPlan<DossierRecord, DossierOutcome>> {
  const request = { dossierId, maxAttempts: 1, onReview: 'wait', toCancel: true } as const;
  return prepare(ctx, { ...request, deadlineMs: cancelDeadlineMs }, { maxAgeMs: 0 });
}

type Requested = Pick<
  DossierRecord,
  'dossierId' | 'maxAttempts' | 'onReview' | 'toCancel' | 'label' | 'deadlineMs' | 'rerun'
>;

/**
 * A running job of the dossier is followed; an interrupted one is resumed when its terms are the same. A command
 * never
 * takes over a retry or cancel that another command requested: that may cost money, or cancel the dossier.
 */
async function prepare(
  ctx: CommandContext,
  request: Requested,
  { maxAgeMs }: { maxAgeMs: number | undefined },
): Promise<StartPlan<DossierRecord, DossierOutcome>> {
  const { dossierId, toCancel, deadlineMs = 0 } = request;
  const workflowId = `dossier/${dossierId}`;
  const newest = await ctx.store.jobs.find(workflowId);
  const existing = newest as Job<DossierRecord, DossierOutcome> | null;
  const isAnswer = existing?.outcome != null && isFinal(existing.outcome);
  const isSameRequest = existing !== null && termsOf(existing.input) === termsOf(request);
  return {
    existing,
    isAnswer: isAnswer && isSameRequest && isWithin(maxAgeMs, existing) && request.rerun !== true,
    record: () => record(ctx, request),
    goesOn: ({ id, input }) => {
      const isSame = termsOf(input) === termsOf(request);
      if (!isSame)
        ctx.log(
          ctx.reader.say(
            `${id} was interrupted, and is left: it was asked for ${termsOf(input)}`,
            `${id} foi interrompido, e fica como está: foi pedido com ${termsOf(input)}`,
          ),
        );
      return isSame;
    },
    attach: async (engine, { id, input }) => {
      if (!toCancel && termsOf(input) !== termsOf(request))
        ctx.log(`${ctx.reader.say('it was asked for', 'foi pedido com')} ${termsOf(input)}`);
      if (toCancel && !input.toCancel) await cancelThere(ctx, engine, { dossierId, id });
    },
    run: deadlineMs,
  };
}

/** The service has finished it: only `--rerun` looks whether it was retried elsewhere. */
function isFinal({ erased, status }: DossierOutcome): boolean {
  return erased !== true && ['completed', 'failed', 'cancelled'].includes(status);
}

function termsOf({ maxAttempts, onReview, toCancel }: Requested): string {
  if (toCancel) return 'to cancel the dossier';
  return `with --max-attempts ${maxAttempts} --on-review ${onReview}`;
}

async function record(ctx: CommandContext, request: Requested): Promise<string> {
  const { store, environment, idKey } = ctx;
  const now = new Date();
  const jobId = jobIdAt(`dossier/${request.dossierId}`, now);
  const createdBy = environment.actor;
  const input = { jobId, ...request, createdAt: now.toISOString(), createdBy };
  const label = request.label == null ? null : idKey.nameOf('document', request.label);
  await new DossierRepository(store).putRecord(jobFolder(jobId), input, label);
  const onUnknown = request.toCancel ? 'cancel' : 'report';
  const terms = { items: 1, onUnknown, rerun: true, maxAttempts: request.maxAttempts };
  await auditStart(ctx, jobId, terms, now.getTime());
  return jobId;
}

/** Through the job that follows it. */
async function cancelThere(
  { audit, environment, log, reader }: CommandContext,
  engine: EngineClient,
  { dossierId, id: jobId }: { dossierId: string; id: string },
): Promise<void> {
  const by = environment.actor;
  const entry = decisionEntry('cancel_remote', { jobId, by });
  await audit.appendAndAnchor([entry]);
  const handle = engine.client.workflow.getHandle(`dossier/${dossierId}`);
  try {
    const order = { now: true, remote: true };
    const answer = await handle.executeUpdate(cancelUpdate, { args: [order] });
    log(reader.say(...answerWords(answer)));
  } catch (error) {
    await audit.appendAndAnchor([{ ...entry, result: 'refused' }]);
    if (error instanceof WorkflowUpdateFailedError) throw refusalOf(jobId, error);
    if (!isNotFound(error)) throw error;
    throw new CommandError([
      `${jobId} has just ended: \`diligence result ${jobId}\``,
      `${jobId} acaba de terminar: \`diligence result ${jobId}\``,
    ]);
  }
}

/** @throws UsageError before anything is sent */
export function dossierIdOf(id: string): string {
  if (isUuid(id)) return id.trim().toLowerCase();
  throw new UsageError([
    '--id: expected the id of a dossier, a UUID',
    '--id: espera-se o id de um dossiê, um UUID',
  ]);
}

export const dossier = startable(dossierKind, dossierRequest, planFollow);
export const dossiers = startableBatch(dossierBatchKind, dossierBatchRequest, followBatch);
