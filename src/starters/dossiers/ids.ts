import { Command } from 'commander';
import { isUuid } from '../../domain/core/uuid';
import { namedOnce } from '../cli/terminal';
import { UsageError } from '../jobs/errors';

export function idCommand(name: string): Command {
  return new Command(name)
    .argument('[id]', 'the id of the dossier: a UUID')
    .option('--id <id>', 'the same, by name');
}

/** @throws UsageError before anything is sent */
export function dossierIdOf(positional: string | undefined, flags: { id?: string }): string {
  const id = namedOnce(positional, flags.id, { flagName: '--id', what: ['dossiers', 'dossiês'] });
  if (id === undefined)
    throw new UsageError(['--id: which dossier? give its id', '--id: qual dossiê? informe o id']);
  if (!isUuid(id))
    throw new UsageError([
      '--id: expected the id of a dossier, a UUID',
      '--id: espera-se o id de um dossiê, um UUID',
    ]);
  return id.trim().toLowerCase();
}
