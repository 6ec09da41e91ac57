import { WorkflowUpdateFailedError } from '@temporalio/client';
import { z } from 'zod';
import { isUuid } from '../../domain/core/uuid';
import { dossierDecisionEntry } from '../../domain/dossiers/audit';
import {
  dossierFolder,
  dossierWorkflowId,
  reviewPolicies,
  type DossierOutcome,
  type DossierRecord,
} from '../../domain/dossiers/follow';
import { jobIdAt } from '../../domain/job';
import { answerWords } from '../../domain/order-answers';
import { DossierRepository } from '../../store/dossiers/dossiers';
import type { EngineClient } from '../../temporal/connection';
import type { FollowDossierInput } from '../../workflows/inputs';
import { cancelUpdate } from '../../workflows/messages';
import { isNotFound, type CommandContext } from '../jobs/context';
import { CommandError } from '../jobs/errors';
import type { Job } from '../jobs/job-kind';
import { inputTerms, startTerms } from '../jobs/begin/request';
import { auditStart, isWithin, type Ask } from '../jobs/begin/start-job';

/** More attempts than this are a mistake. */
export const mostAttempts = 20;

/** Far above what the workflow gives a cancellation, whose bound is its own. */
const cancelDeadlineMs = 3_600_000;

const termsAsked = {
  maxAttempts: z
    .int()
    .min(1)
    .max(mostAttempts)
    .default(1)
    .describe('the highest attempt number that it may cause: each retry may be charged'),
  onReview: z
    .enum(reviewPolicies)
    .default('wait')
    .describe('a dossier that needs a review: wait for a decision, accept it, fail, or leave it'),
  ...startTerms('7d'),
};

export const dossierRequest = z.strictObject({
  id: z.string().refine(isUuid, 'expected the id of a dossier, a UUID'),
  ...termsAsked,
});

export const dossierBatchRequest = z.strictObject({
  ...inputTerms('ids of dossiers', 10),
  ...termsAsked,
});

/** Follows a dossier to its end. */
export function askFollow(
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
): Promise<Ask<DossierRecord, DossierOutcome>> {
  const dossierId = id.trim().toLowerCase();
  const asked = {
    dossierId,
    maxAttempts,
    onReview,
    toCancel: false,
    label: label ?? null,
    deadlineMs: deadline,
    rerun,
  };
  return prepare(ctx, asked, { maxAgeMs: maxAge });
}

/** Cancels it at the service, and follows it. */
export function askCancel(
  ctx: CommandContext,
  dossierId: string,
): Promise<Ask<DossierRecord, DossierOutcome>> {
  const asked = { dossierId, maxAttempts: 1, onReview: 'wait', toCancel: true } as const;
  return prepare(ctx, { ...asked, deadlineMs: cancelDeadlineMs }, { maxAgeMs: 0 });
}

type Asked = Pick<
  DossierRecord,
  'dossierId' | 'maxAttempts' | 'onReview' | 'toCancel' | 'label' | 'deadlineMs' | 'rerun'
>;

/**
 * Who follows it already is shown; an interrupted job goes on when it was asked for in the same terms. Nobody
 * is given what somebody else has asked for: that may cost money, or cancel the dossier.
 */
async function prepare(
  ctx: CommandContext,
  asked: Asked,
  { maxAgeMs }: { maxAgeMs: number | undefined },
): Promise<Ask<DossierRecord, DossierOutcome>> {
  const { dossierId, maxAttempts, onReview, toCancel, deadlineMs = 0 } = asked;
  const workflowId = dossierWorkflowId(dossierId);
  const newest = await ctx.store.jobs.find(workflowId);
  const standing = newest as Job<DossierRecord, DossierOutcome> | null;
  const isAnswer = standing?.outcome != null && isFinal(standing.outcome);
  const isSameAsk = standing !== null && termsOf(standing.input) === termsOf(asked);
  return {
    standing,
    stands: isAnswer && isSameAsk && isWithin(maxAgeMs, standing) && asked.rerun !== true,
    record: () => record(ctx, asked),
    goesOn: ({ id, input }) => {
      const isSame = termsOf(input) === termsOf(asked);
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
      if (!toCancel && termsOf(input) !== termsOf(asked))
        ctx.log(`${ctx.reader.say('it was asked for', 'foi pedido com')} ${termsOf(input)}`);
      if (toCancel && !input.toCancel) await cancelThere(ctx, engine, { dossierId, id });
    },
    workflow: 'followDossier',
    workflowInput: ({ id: workId, folder }): FollowDossierInput => ({
      ref: { workId, folder, dossierId },
      deadlineAt: Date.now() + deadlineMs,
      maxAttempts,
      onReview,
      toCancel,
      atOnce: false,
      interactive: true,
      queueSuffix: ctx.queueSuffix,
    }),
  };
}

/** It has reached its end at the service: only `--rerun` looks whether somebody has it tried again. */
function isFinal({ erased, status }: DossierOutcome): boolean {
  return erased !== true && ['completed', 'failed', 'cancelled'].includes(status);
}

function termsOf({ maxAttempts, onReview, toCancel }: Asked): string {
  if (toCancel) return 'to cancel the dossier';
  return `with --max-attempts ${maxAttempts} --on-review ${onReview}`;
}

async function record(ctx: CommandContext, asked: Asked): Promise<string> {
  const { store, environment, idKey } = ctx;
  const now = new Date();
  const workId = jobIdAt(dossierWorkflowId(asked.dossierId), now);
  const createdBy = environment.actor;
  const input = { workId, ...asked, createdAt: now.toISOString(), createdBy };
  const label = asked.label == null ? null : idKey.nameOf('document', asked.label);
  await new DossierRepository(store).putRecord(dossierFolder(workId), input, label);
  const onUnknown = asked.toCancel ? 'cancel' : 'report';
  const terms = { items: 1, onUnknown, rerun: true, maxAttempts: asked.maxAttempts };
  await auditStart(ctx, workId, terms, now.getTime());
  return workId;
}

/** Through the job that follows it. */
async function cancelThere(
  { audit, environment, log, reader }: CommandContext,
  engine: EngineClient,
  { dossierId, id: workId }: { dossierId: string; id: string },
): Promise<void> {
  const by = environment.actor;
  const entry = dossierDecisionEntry('cancel_remote', { workId, by }, Date.now());
  await audit.appendAndAnchor([entry]);
  const handle = engine.client.workflow.getHandle(dossierWorkflowId(dossierId));
  try {
    const order = { now: true, remote: true };
    const answer = await handle.executeUpdate(cancelUpdate, { args: [order] });
    log(answerWords(answer, reader.say));
  } catch (error) {
    await audit.appendAndAnchor([{ ...entry, result: 'refused' }]);
    if (!isNotFound(error)) throw refusalOf(workId, error);
    throw new CommandError(`${workId} has just ended: \`diligence result ${workId}\``);
  }
}

/** A refused update says why. */
function refusalOf(workId: string, error: unknown): unknown {
  if (!(error instanceof WorkflowUpdateFailedError)) return error;
  return new CommandError(`${workId}: ${error.cause?.message ?? 'refused'}`);
}
