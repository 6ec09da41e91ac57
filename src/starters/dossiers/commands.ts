import { Command } from 'commander';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { DossierRepository } from '../../store/dossiers/dossiers';
import { dossierDecisionEntry } from '../../domain/dossiers/audit';
import { jobIdAt } from '../../domain/job';
import {
  dossierFolder,
  dossierWorkflowId,
  reviewPolicies,
  type DossierOutcome,
  type DossierRecord,
  type ReviewPolicy,
} from '../../domain/dossiers/follow';
import type { EngineClient } from '../../temporal/connection';
import type { FollowDossierInput } from '../../workflows/inputs';
import { cancelUpdate } from '../../workflows/messages';
import { inputFlags, startInput, withInput } from '../cli/batch';
import { withActor, withDetach, withStart, type StartFlags } from '../cli/flags';
import { refuseFlagsBeside } from '../cli/form-flags';
import { start } from '../cli/start-command';
import { oneOf, tell, wholeNumber } from '../cli/terminal';
import type { InputFile } from '../jobs/batches/ask';
import { isNotFound, type CommandContext } from '../jobs/context';
import { CommandError, UsageError } from '../jobs/errors';
import type { Job } from '../jobs/job-kind';
import { auditStart, isWithin, type Ask } from '../jobs/start-job';
import { followBatch } from './batch';
import { dossierBatchKind } from './batch-kind';
import { dossierIdOf, idCommand, mostAttempts } from './ids';
import { dossierKind } from './kind';
import { dossierListCommand } from './list';
import { retryFailedCommand } from './retry-failed';

/** Far above what the workflow gives a cancellation, whose bound is its own. */
const cancelDeadlineMs = 3_600_000;

type FollowFlags = StartFlags & {
  input?: string;
  id?: string;
  maxAttempts: number;
  onReview: ReviewPolicy;
};

/** `diligence dossier ...`. */
export function dossierCommand(): Command {
  const command = new Command('dossier').description(
    'Dossiers: followed to their end, tried again, cancelled.',
  );
  const commands = [followCommand(), cancelCommand(), dossierListCommand(), retryFailedCommand()];
  for (const one of commands) command.addCommand(one);
  return command;
}

function followCommand(): Command {
  return withInput(withStart(idCommand('follow'), { deadline: '7d' }), 'ids of dossiers', 10)
    .description('Follow a dossier, or each of an input, to its end: costs nothing by itself.')
    .option(
      '--max-attempts <n>',
      'the highest attempt number that it may cause: each retry may be charged',
      wholeNumber(1, mostAttempts),
      1,
    )
    .option(
      '--on-review <policy>',
      'a dossier that needs a review: wait for a decision, accept it, fail, or leave it',
      oneOf(reviewPolicies),
      'wait',
    )
    .action(async (id: string | undefined, flags: FollowFlags, command: Command) => {
      const { deadline, input, label = null, maxAttempts, maxAge, onReview, rerun } = flags;
      if (input !== undefined && (id ?? flags.id) !== undefined)
        throw new UsageError('--input does not go with an id');
      const many = (ctx: CommandContext, file: InputFile) =>
        followBatch(ctx, { ...file, maxAttempts, onReview });
      if (await startInput(command, dossierBatchKind, many)) return;
      refuseFlagsBeside('one dossier', inputFlags, command);
      const dossierId = dossierIdOf(id, flags);
      const terms = { maxAttempts, onReview, toCancel: false, label, deadlineMs: deadline };
      await start(command, dossierKind, (ctx) =>
        prepare(ctx, { dossierId, ...terms }, { maxAgeMs: rerun === true ? 0 : (maxAge ?? 0) }),
      );
    });
}

function cancelCommand(): Command {
  return withDetach(withActor(idCommand('cancel')))
    .description('Cancel a dossier at the service, and show the state that it reaches.')
    .option('--out <folder>', 'result folder (default: out/<id>)')
    .option('--json', 'one JSON document on standard output')
    .action(async (id: string | undefined, flags: { id?: string }, command: Command) => {
      const dossierId = dossierIdOf(id, flags);
      const terms = { maxAttempts: 1, onReview: 'wait', toCancel: true } as const;
      const asked = { dossierId, ...terms, deadlineMs: cancelDeadlineMs };
      await start(command, dossierKind, (ctx) => prepare(ctx, asked, { maxAgeMs: 0 }));
    });
}

type Asked = Pick<
  DossierRecord,
  'dossierId' | 'maxAttempts' | 'onReview' | 'toCancel' | 'label' | 'deadlineMs'
>;

/**
 * Who follows it already is shown; an interrupted job goes on when it was asked for in the same terms. Nobody
 * is given what somebody else has asked for: that may cost money, or cancel the dossier.
 */
async function prepare(
  ctx: CommandContext,
  asked: Asked,
  { maxAgeMs }: { maxAgeMs: number },
): Promise<Ask<DossierRecord, DossierOutcome>> {
  const { dossierId, maxAttempts, onReview, toCancel, deadlineMs = 0 } = asked;
  const workflowId = dossierWorkflowId(dossierId);
  const newest = await ctx.store.jobs.find(workflowId);
  return {
    standing: newest as Job<DossierRecord, DossierOutcome> | null,
    stands: isWithin(maxAgeMs, newest),
    record: () => record(ctx, asked),
    goesOn: ({ id, input }) => {
      const isSame = termsOf(input) === termsOf(asked);
      if (!isSame) tell(`${id} was interrupted, and is left: it was asked for ${termsOf(input)}`);
      return isSame;
    },
    attach: async (engine, { id, input }) => {
      if (!toCancel && termsOf(input) !== termsOf(asked))
        tell(`it was asked for ${termsOf(input)}`);
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
  { audit, environment }: CommandContext,
  engine: EngineClient,
  { dossierId, id: workId }: { dossierId: string; id: string },
): Promise<void> {
  const by = environment.actor;
  const entry = dossierDecisionEntry('cancel_remote', { workId, by }, Date.now());
  await audit.appendAndAnchor([entry]);
  const handle = engine.client.workflow.getHandle(dossierWorkflowId(dossierId));
  try {
    tell(await handle.executeUpdate(cancelUpdate, { args: [{ now: true, remote: true }] }));
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
