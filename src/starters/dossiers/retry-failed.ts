import { Command } from 'commander';
import { reviewPolicies, type ReviewPolicy } from '../../domain/dossiers/follow';
import {
  RetryPlanner,
  type RetryPlan,
  type RetryPlanTerms,
} from '../../domain/dossiers/retry-plan';
import { startBatch, withBatch } from '../cli/batch';
import { withActor, withDetach, withLanguage, type StartFlags } from '../cli/flags';
import { oneOf, sinceOf, wholeNumber } from '../cli/terminal';
import type { CommandContext } from '../jobs/context';
import { retryBatch } from './batch';
import { dossierBatchKind } from './kind';
import { deadlineOption } from './deadline';
import { eachDossier } from './list';

/** `diligence dossier retry-failed`. */
export function retryFailedCommand(): Command {
  const request = withLanguage(withDetach(withActor(new Command('retry-failed'))));
  return withBatch(request, 10)
    .description('Try failed dossiers of the list again: each new attempt may be charged.')
    .option(
      '--since <when>',
      'changed since: a date (UTC), an instant, or a time ago (7d)',
      sinceOf,
    )
    .option('--limit <n>', 'dossiers at most', wholeNumber(1, 10_000), 20)
    .option(
      '--max-attempts <n>',
      'leave those whose attempt has this number (default: one more of each)',
      wholeNumber(2, 20),
    )
    .option(
      '--on-review <policy>',
      'a dossier that needs a review then: leave it, wait, accept it, or fail',
      oneOf(reviewPolicies),
      'leave',
    )
    .addOption(deadlineOption('time to the end of each'))
    .option('--out <folder>', 'result folder (default: out/<id>)')
    .option('--json', 'one JSON document on standard output')
    .action(async (flags: RetryFlags, command: Command) => {
      const { label = null, limit, maxAttempts = null, onReview, since } = flags;
      const terms = { since: since?.at ?? null, limit, maxAttempts };
      // A relative time is another instant on every call.
      const words = [since?.words ?? null, limit, maxAttempts, onReview];
      await startBatch(command, dossierBatchKind, (ctx) =>
        retryBatch(ctx, { label, onReview, words }, () => planRetries(ctx, terms, flags)),
      );
    });
}

interface RetryFlags extends StartFlags {
  since?: { at: number; words: string };
  limit: number;
  maxAttempts?: number;
  onReview: ReviewPolicy;
}

/** Reads the list once, and sends nothing. */
async function planRetries(
  { log }: CommandContext,
  terms: RetryPlanTerms,
  { dryRun }: RetryFlags,
): Promise<RetryPlan> {
  const planner = new RetryPlanner(terms);
  const unreadable = await eachDossier('failed', (dossier) => planner.consider(dossier));
  for (let left = unreadable; left > 0; left -= 1) planner.consider(null);
  if (dryRun === true) {
    for (const { dossierId, from } of planner.plan.dossiers) {
      log(`  ${dossierId}  attempt ${from + 1}`);
    }
  }
  return planner.plan;
}
