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
        require('./starters/certificates/commands') as typeof import('./starters/certificates/commands')
      ).certificateCommand(),
    ],
  },
  {
    names: ['credit'],
    load: () => [
      (
        require('./starters/credit/commands') as typeof import('./starters/credit/commands')
      ).creditCommand(),
    ],
  },
  {
    names: ['engine'],
    load: () => [
      (
        require('./starters/credit/engine') as typeof import('./starters/credit/engine')
      ).engineCommand(),
    ],
  },
  {
    names: ['monitor'],
    load: () => [
      (
        require('./starters/monitors/commands') as typeof import('./starters/monitors/commands')
      ).monitorCommand(),
    ],
  },
  {
    names: ['profile'],
    load: () => [
      (
        require('./starters/profiles/commands') as typeof import('./starters/profiles/commands')
      ).profileCommand(),
    ],
  },
  {
    names: ['dossier'],
    load: () => [
      (
        require('./starters/dossiers/commands') as typeof import('./starters/dossiers/commands')
      ).dossierCommand(),
    ],
  },
  {
    names: ['trace'],
    load: () => [
      (
        require('./starters/traces/commands') as typeof import('./starters/traces/commands')
      ).traceCommand(),
    ],
  },
  {
    names: ['lens'],
    load: () => [
      (
        require('./starters/lens/commands') as typeof import('./starters/lens/commands')
      ).lensCommand(),
    ],
  },
  {
    names: ['list', 'show', 'result', 'cancel', 'pause', 'resume'],
    load: () =>
      (
        require('./starters/job-commands') as typeof import('./starters/job-commands')
      ).jobCommands(),
  },
  {
    names: ['inbox', 'resolve'],
    load: () => [
      (require('./starters/inbox') as typeof import('./starters/inbox')).inboxCommand(),
      (require('./starters/resolve') as typeof import('./starters/resolve')).resolveCommand(),
    ],
  },
  {
    names: ['dev', 'stop'],
    load: () =>
      (require('./starters/operate/dev') as typeof import('./starters/operate/dev')).devCommands(),
  },
  {
    names: ['demo'],
    load: () => [
      (
        require('./starters/operate/demo') as typeof import('./starters/operate/demo')
      ).demoCommand(),
    ],
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
    load: () => [
      (
        require('./starters/operate/setup') as typeof import('./starters/operate/setup')
      ).setupCommand(),
    ],
  },
  {
    names: ['keys'],
    load: () => [
      (
        require('./starters/operate/keys') as typeof import('./starters/operate/keys')
      ).keysCommand(),
    ],
  },
  {
    names: ['erase'],
    load: () => [
      (
        require('./starters/operate/erase') as typeof import('./starters/operate/erase')
      ).eraseCommand(),
    ],
  },
  {
    names: ['backup', 'restore'],
    load: () => {
      const { backupCommand, restoreCommand } =
        require('./starters/operate/backup') as typeof import('./starters/operate/backup');
      return [backupCommand(), restoreCommand()];
    },
  },
  {
    names: ['audit'],
    load: () => [
      (
        require('./starters/operate/audit') as typeof import('./starters/operate/audit')
      ).auditCommand(),
    ],
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
