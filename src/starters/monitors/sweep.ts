import { Command } from 'commander';
import { withActor, withDetach, withLanguage } from '../cli/flags';
import { start } from '../cli/start-command';
import { planScan, planSweep } from './request';
import { monitorIdsOf, monitorsOption, termsOf, withTerms, type SweepFlags } from './ids';
import { scanKind, sweepKind } from './kind';

/** `diligence monitor sweep`. */
export function sweepCommand(): Command {
  return sweepLike('sweep', 'Pull, deliver and acknowledge what is open now.', false);
}

/** `diligence monitor reconcile`. */
export function reconcileCommand(): Command {
  return sweepLike(
    'reconcile',
    'Sweep, then walk over all states: what others acknowledged is stored as such.',
    true,
  );
}

/** More than one monitor starts a scan: one probe for each, and sweeps where changes are open. */
function sweepLike(name: string, description: string, reconcile: boolean): Command {
  return withTerms(withLanguage(withDetach(withActor(new Command(name)))))
    .description(description)
    .addOption(monitorsOption())
    .option('--json', 'one JSON document on standard output')
    .addHelpText(
      'after',
      '\nExit codes: 0 all is through; 1 something is left, or it failed; 3 a person must look.',
    )
    .action(async (flags: SweepFlags & { monitors: string }, command: Command) => {
      const ids = await monitorIdsOf(flags.monitors);
      const order = { name, ids, terms: termsOf(flags), reconcile };
      const [only = ''] = ids;
      if (ids.length > 1) await start(command, scanKind, (ctx) => planScan(ctx, order));
      else await start(command, sweepKind, (ctx) => planSweep(ctx, only, order));
    });
}
