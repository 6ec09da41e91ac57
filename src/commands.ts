import type { Command } from 'commander';

/** Commands that are loaded together: their names, the module, and what makes them there. */
type Family = readonly [names: string, module: string, makers: string];

/**
 * In the order of `--help`. Each is loaded when it is asked for: what only others need (the worker, the
 * sandbox, sheets) would double the time of a command that is over at once.
 */
const families: readonly Family[] = [
  ['certificate', './starters/certificates/commands', 'certificateCommand'],
  ['credit', './starters/credit/commands', 'creditCommand'],
  ['engine', './starters/credit/engine', 'engineCommand'],
  ['monitor', './starters/monitors/commands', 'monitorCommand'],
  ['profile', './starters/profiles/commands', 'profileCommand'],
  ['dossier', './starters/dossiers/commands', 'dossierCommand'],
  ['trace', './starters/traces/commands', 'traceCommand'],
  ['lens', './starters/lens/commands', 'lensCommand'],
  ['expiring renew', './starters/certificates/expiring', 'validityCommands'],
  ['investigate', './starters/investigations/commands', 'investigateCommand'],
  ['report', './starters/investigations/report/command', 'reportCommand'],
  ['list show result cancel pause resume', './starters/job-commands', 'jobCommands'],
  ['inbox', './starters/list-jobs', 'inboxCommand'],
  ['resolve', './starters/resolve', 'resolveCommand'],
  ['cost', './starters/cost', 'costCommand'],
  ['dev stop', './starters/operate/dev/dev', 'devCommands'],
  ['logs', './starters/operate/logs', 'logsCommand'],
  ['demo', './starters/operate/demo', 'demoCommand'],
  ['worker', './workers/command', 'workerCommand'],
  ['sandbox', './sandbox', 'sandboxCommand'],
  ['codec-server', './codec-server/command', 'codecServerCommand'],
  ['setup', './starters/operate/setup', 'setupCommand'],
  ['keys', './starters/operate/keys', 'keysCommand'],
  ['erase', './starters/operate/erase', 'eraseCommand'],
  ['backup restore', './starters/operate/backup', 'backupCommand restoreCommand'],
  ['audit', './starters/operate/audit', 'auditCommand'],
  ['doctor', './doctor/command', 'doctorCommand'],
];

export const commandFamilies = families.map(([names, module, makers]) => ({
  names: names.split(' '),
  load: (): Command[] => {
    const made = require(module) as Record<string, () => Command | Command[]>;
    return makers.split(' ').flatMap((maker) => made[maker]?.() ?? []);
  },
}));

/** Those of the family of a word; all for a word that names none: help and spelling need them. */
export function commandsFor(word: string | undefined): Command[] {
  const named = commandFamilies.filter(({ names }) => names.includes(word ?? ''));
  return (named.length > 0 ? named : commandFamilies).flatMap(({ load }) => load());
}
