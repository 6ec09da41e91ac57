import { Command } from 'commander';
import { reviewPolicies, type ReviewPolicy } from '../../domain/dossiers/follow';
import { inputFlags, startInput, withInput } from '../cli/batch';
import {
  refuseFlagsBeside,
  type StartFlags,
  withActor,
  withDetach,
  withLanguage,
  withStart,
} from '../cli/flags';
import { start } from '../cli/start-command';
import { oneOf, wholeNumber } from '../cli/terminal';
import type { InputFile } from '../jobs/batches/request';
import type { CommandContext } from '../jobs/context';
import { UsageError } from '../jobs/errors';
import { planCancel, planFollow, mostAttempts } from './request';
import { followBatch } from './batch';
import { dossierBatchKind, dossierKind } from './kind';
import { dossierIdOf, idCommand } from './ids';
import { dossierListCommand } from './list';
import { retryFailedCommand } from './retry-failed';

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
      const { input, maxAttempts, onReview } = flags;
      if (input !== undefined && (id ?? flags.id) !== undefined)
        throw new UsageError([
          '--input does not go with an id',
          '--input não vale junto com um id',
        ]);
      const many = (ctx: CommandContext, file: InputFile) =>
        followBatch(ctx, { ...file, maxAttempts, onReview });
      if (await startInput(command, dossierBatchKind, many)) return;
      refuseFlagsBeside(['one dossier', 'um só dossiê'], inputFlags, command);
      const request = { ...flags, id: dossierIdOf(id, flags) };
      await start(command, dossierKind, (ctx) => planFollow(ctx, request));
    });
}

function cancelCommand(): Command {
  return withLanguage(withDetach(withActor(idCommand('cancel'))))
    .description('Cancel a dossier at the service, and show the state that it reaches.')
    .option('--out <folder>', 'result folder (default: out/<id>)')
    .option('--json', 'one JSON document on standard output')
    .action(async (id: string | undefined, flags: { id?: string }, command: Command) => {
      const dossierId = dossierIdOf(id, flags);
      await start(command, dossierKind, (ctx) => planCancel(ctx, dossierId));
    });
}
