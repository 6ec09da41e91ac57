import { Command } from 'commander';
import { withActor, withDetach, withLanguage } from '../cli/flags';
import { start } from '../cli/start-command';
import { withStart } from '../cli/start-flags';
import { dossierKind } from './kind';
import { dossierListCommand, retryFailedCommand } from './list';
import { dossier, dossierIdOf, dossiers, planCancel } from './request';

export function dossierCommand(): Command {
  const follow = new Command('follow').description(
    'Follow a dossier, or each of an input, to its end: costs nothing by itself.',
  );
  return new Command('dossier')
    .description('Dossiers: followed to their end, tried again, cancelled.')
    .addCommand(withStart(follow, { one: dossier, many: dossiers, argument: 'id' }))
    .addCommand(cancelCommand())
    .addCommand(dossierListCommand())
    .addCommand(retryFailedCommand());
}

function cancelCommand(): Command {
  return withLanguage(withDetach(withActor(new Command('cancel'))))
    .argument('<id>', 'of the dossier: a UUID')
    .description('Cancel a dossier at the service, and show the state that it reaches.')
    .option('--out <folder>', 'result folder (default: out/<id>)')
    .option('--json', 'one JSON document on standard output')
    .action(async (id: string, _flags: object, command: Command) => {
      const dossierId = dossierIdOf(id);
      await start(command, dossierKind, (ctx) => planCancel(ctx, dossierId));
    });
}
