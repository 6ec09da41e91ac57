import { WorkflowUpdateFailedError } from '@temporalio/client';
import type { Command } from 'commander';
import { dossierDecisionEntry } from '../../domain/dossiers/audit';
import {
  dossierWorkflowId,
  reviewActions,
  type DossierOutcome,
  type ReviewAction,
} from '../../domain/dossiers/follow';
import type { EngineClient } from '../../temporal/connection';
import { decideDossierUpdate } from '../../workflows/messages';
import { withActor } from '../cli/flags';
import { oneOf, print, printJson, tell, wholeNumber } from '../cli/terminal';
import { isNotFound, openContext, runningUnder, withEngine } from '../jobs/context';
import { CommandError, UsageError } from '../jobs/errors';
import { findJob } from '../jobs/find-job';
import { dossierIdOf, idCommand, mostAttempts } from './ids';

interface DecideFlags {
  id?: string;
  action: ReviewAction;
  note: string;
  maxAttempts?: number;
  by?: string;
  json?: true;
}

/** `diligence dossier decide`. */
export function decideCommand(): Command {
  return withActor(idCommand('decide'))
    .description('Decide about a dossier that needs a review, while it is followed.')
    .requiredOption('--action <action>', reviewActions.join(', '), oneOf(reviewActions))
    .requiredOption('--note <text>', 'why: it is kept')
    .option(
      '--max-attempts <n>',
      'with retry: the highest attempt number that the work may cause from now on',
      wholeNumber(1, mostAttempts),
    )
    .option('--json', 'one JSON document on standard output')
    .action(async (id: string | undefined, flags: DecideFlags) => {
      await decide(dossierIdOf(id, flags), flags);
    });
}

async function decide(dossierId: string, flags: DecideFlags): Promise<void> {
  if (flags.note.trim() === '') throw new UsageError('--note: say why');
  if (flags.maxAttempts !== undefined && flags.action !== 'retry') {
    throw new UsageError('--max-attempts goes with --action retry');
  }
  const place = await openContext(tell, flags.by);
  const { id, outcome } = await findJob<unknown, DossierOutcome>(
    place,
    dossierWorkflowId(dossierId),
  );
  const { action, maxAttempts, note } = flags;
  const by = place.environment.actor;
  const at = new Date();
  await withEngine(place, async (engine) => {
    // The newest on file need not be the one that runs: works of a batch are as old as their batch.
    const runs = await followerOf(engine, dossierId);
    const workId = runs ?? id;
    if (runs === null && outcome !== null) {
      throw new CommandError(
        `${workId} has ended (${outcome.status}): \`diligence dossier follow --id ${dossierId}\` follows it again`,
      );
    }
    const entry = dossierDecisionEntry(action, { workId, by }, at.getTime());
    await place.audit.appendAndAnchor([entry]);
    const handle = engine.client.workflow.getHandle(dossierWorkflowId(dossierId));
    const decision = {
      action,
      note,
      by,
      at: at.toISOString(),
      maxAttempts: maxAttempts ?? null,
    };
    try {
      const answer = await handle.executeUpdate(decideDossierUpdate, { args: [decision] });
      if (flags.json === true) printJson({ id: workId, action, answer });
      else print(answer);
    } catch (error) {
      await place.audit.appendAndAnchor([{ ...entry, result: 'refused' }]);
      if (isNotFound(error)) throw new CommandError(`${workId} does not run`);
      throw refusalOf(workId, error);
    }
  });
}

/** The work that follows a dossier now: all works about it go by one workflow id. Null when none does. */
async function followerOf(engine: EngineClient, dossierId: string): Promise<string | null> {
  const workflowId = dossierWorkflowId(dossierId);
  const running = await runningUnder(engine, workflowId);
  return running && (running.startedFor ?? workflowId);
}

/** A refused update says why. */
export function refusalOf(workId: string, error: unknown): unknown {
  if (!(error instanceof WorkflowUpdateFailedError)) return error;
  return new CommandError(`${workId}: ${error.cause?.message ?? 'refused'}`);
}
