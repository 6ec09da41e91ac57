import type { Command } from 'commander';

/** Commands that are loaded together. */
interface CommandFamily {
  names: readonly string[];
  load: () => Command[];
}

/**
 * In the order of `--help`. Each is loaded when it is asked for: what only others need (the worker, the
 * sandbox, sheets) would double the time of a command that is over at once.
 */
export const commandFamilies: readonly CommandFamily[] = [
  {
    names: ['certificate'],
    load: () => [
      (
        require('./starters/certificate') as typeof import('./starters/certificate')
      ).certificateCommand(),
    ],
  },
  {
    names: ['credit'],
    load: () => [
      (require('./starters/credit') as typeof import('./starters/credit')).creditCommand(),
    ],
  },
  {
    names: ['engine'],
    load: () => [
      (require('./starters/engine') as typeof import('./starters/engine')).engineCommand(),
    ],
  },
  {
    names: ['monitor'],
    load: () => [
      (require('./starters/monitor') as typeof import('./starters/monitor')).monitorCommand(),
    ],
  },
  {
    names: ['profile'],
    load: () => [
      (require('./starters/profile') as typeof import('./starters/profile')).profileCommand(),
    ],
  },
  {
    names: ['dossier'],
    load: () => [
      (require('./starters/dossier') as typeof import('./starters/dossier')).dossierCommand(),
    ],
  },
  {
    names: ['trace'],
    load: () => [(require('./starters/trace') as typeof import('./starters/trace')).traceCommand()],
  },
  {
    names: ['lens'],
    load: () => [(require('./starters/lens') as typeof import('./starters/lens')).lensCommand()],
  },
  {
    names: ['list', 'status', 'result', 'cancel', 'pause', 'resume'],
    load: () => (require('./starters/works') as typeof import('./starters/works')).workCommands(),
  },
  {
    names: ['dev', 'stop'],
    load: () => (require('./starters/dev') as typeof import('./starters/dev')).devCommands(),
  },
  {
    names: ['demo'],
    load: () => [(require('./starters/demo') as typeof import('./starters/demo')).demoCommand()],
  },
  {
    names: ['worker'],
    load: () => [
      (require('./workers/command') as typeof import('./workers/command')).workerCommand(),
    ],
  },
  {
    names: ['sandbox'],
    load: () => [(require('./sandbox') as typeof import('./sandbox')).sandboxCommand()],
  },
  {
    names: ['codec-server'],
    load: () => [
      (
        require('./codec-server/command') as typeof import('./codec-server/command')
      ).codecServerCommand(),
    ],
  },
  {
    names: ['setup'],
    load: () => [(require('./starters/setup') as typeof import('./starters/setup')).setupCommand()],
  },
  {
    names: ['keys'],
    load: () => [(require('./starters/keys') as typeof import('./starters/keys')).keysCommand()],
  },
  {
    names: ['erase'],
    load: () => [(require('./starters/erase') as typeof import('./starters/erase')).eraseCommand()],
  },
  {
    names: ['backup', 'restore'],
    load: () => {
      const { backupCommand, restoreCommand } =
        require('./starters/backup') as typeof import('./starters/backup');
      return [backupCommand(), restoreCommand()];
    },
  },
  {
    names: ['audit'],
    load: () => [(require('./starters/audit') as typeof import('./starters/audit')).auditCommand()],
  },
  {
    names: ['doctor'],
    load: () => [
      (require('./doctor/command') as typeof import('./doctor/command')).doctorCommand(),
    ],
  },
];

/** Those of the family of a word; all for a word that names none: help and spelling need them. */
export function commandsFor(word: string | undefined): Command[] {
  const named = commandFamilies.filter(({ names }) => names.includes(word ?? ''));
  return (named.length > 0 ? named : commandFamilies).flatMap(({ load }) => load());
}
