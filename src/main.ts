#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { commandsFor } from './commands';
import { hideSecretsOf, redactText } from './protection/redaction';
import { reportError, reportUncaught, usageWords } from './starters/cli/errors';
import { outliveReaders, say, setScreenLanguage } from './starters/cli/terminal';

/** The process of a command: what it must outlive, and how it ends. */
async function main(): Promise<void> {
  const words = process.argv.slice(2);
  // Nothing else is loaded for it.
  if (['--version', '-V'].includes(words[0] ?? '')) {
    process.stdout.write(`${ownVersion()}\n`);
    return;
  }
  const { loadDotenv } = require('./environment') as typeof import('./environment');
  outliveReaders();
  process.on('uncaughtException', (error) => process.exit(reportUncaught(error)));
  // A part of a larger whole (the worker or sandbox of `dev`) ends when the whole is gone.
  if (process.send !== undefined)
    process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  try {
    loadDotenv();
    await runCommand(words);
  } catch (error) {
    process.exitCode = reportError(error, words.includes('--json'));
  } finally {
    // The channel to the whole would keep a part alive that has nothing left to do.
    process.removeAllListeners('disconnect');
    if (process.connected) process.disconnect();
  }
}

/** The command line: which commands there are. Leaves the exit code in `process.exitCode`. */
export async function runCommand(words: readonly string[]): Promise<void> {
  // Whatever is written here is about people: nobody else on this machine reads it.
  process.umask(0o077);
  hideSecretsOf(process.env);
  const { screenLanguage } = require('./environment') as typeof import('./environment');
  const language = screenLanguage(words);
  // Programs read `--json`, and what stands beside it.
  setScreenLanguage(words.includes('--json') ? 'en' : language);
  // For what is printed before the flag is read.
  if (words.some((word) => /^--lang(?:=|$)/.test(word))) process.env['DILIGENCE_LANG'] = language;
  const program = new Command('diligence')
    .description('A durable backend for due-diligence back offices.')
    .version(ownVersion())
    .showHelpAfterError(say('(--help shows what there is)', '(--help mostra o que há)'));
  for (const command of commandsFor(words[0])) program.addCommand(command);
  program.addHelpText(
    'after',
    `
Exit codes: 0 done; 1 failed, refused or not found; 2 wrong usage or configuration, nothing sent;
3 ended, but a person is needed; 130 interrupted, the work goes on.`,
  );
  exitByErrors(program);
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    process.exitCode = reportError(error, words.includes('--json'));
  }
}

function ownVersion(): string {
  const text = readFileSync(join(__dirname, '..', 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/** Commander prints the mistake, which quotes it, and throws: 2 for wrong usage, 0 for `--help`. */
function exitByErrors(command: Command): void {
  command.exitOverride();
  command.configureOutput({
    writeErr: (text) => process.stderr.write(redactText(text)),
    outputError: (text, write) => {
      write(usageWords(text));
    },
  });
  for (const child of command.commands) exitByErrors(child);
}

if (require.main === module) void main();
