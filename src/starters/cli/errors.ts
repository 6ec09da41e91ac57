import { CommanderError } from 'commander';
import { errorLine, redactError, redactText } from '../../protection/redaction';
import type { ErrorEnvelope } from '../jobs/envelope';
import { WordedError } from '../../domain/core/worded-error';
import { exitCodes, isReaderGone, printJson, say, printNote } from './terminal';

/** By name: importing the classes would double the time of a short command. */
const kinds: Readonly<Record<string, { code: string; exitCode: number }>> = {
  UsageError: { code: 'usage', exitCode: exitCodes.usage },
  SheetError: { code: 'input', exitCode: exitCodes.usage },
  InputFileError: { code: 'input', exitCode: exitCodes.usage },
  ConfigError: { code: 'configuration', exitCode: exitCodes.usage },
  StoreConfigError: { code: 'configuration', exitCode: exitCodes.usage },
  CommandError: { code: 'refused', exitCode: exitCodes.failed },
  EngineUnreachableError: { code: 'unreachable', exitCode: exitCodes.failed },
  EngineStartError: { code: 'tool', exitCode: exitCodes.failed },
  ToolNotFoundError: { code: 'tool', exitCode: exitCodes.failed },
  DevServerError: { code: 'tool', exitCode: exitCodes.failed },
};

/** Prints the error without values that it may quote, and returns the exit code. */
export function reportError(error: unknown, json = false): number {
  if (error instanceof CommanderError) return reportUsage(error, json);
  const {
    code: errno,
    name,
    message,
  } = error instanceof Error ? (error as NodeJS.ErrnoException) : noError;
  if (isReaderGone() && errno === 'EPIPE') return exitCodes.done;
  const kind = kinds[name];
  const { code, exitCode } = kind ?? { code: 'failed', exitCode: exitCodes.failed };
  const { address, port } = error as { address?: string; port?: number };
  const said =
    errno === 'EADDRINUSE'
      ? `another process listens on ${address}:${port}: choose another port`
      : kind === undefined
        ? errorLine(error)
        : redactText(message);
  printNote(`diligence: ${error instanceof WordedError ? say(...error.words) : said}`);
  const envelope = { error: { code, message: said, field: fieldOf(message) }, exitCode };
  if (json) printJson(envelope satisfies ErrorEnvelope);
  return exitCode;
}

const noError = { name: '', message: '', code: undefined };

/** Sentences of commander; what they quote is unchanged. */
const usageSentences: readonly (readonly [RegExp, string])[] = [
  [/^error: /, 'erro: '],
  [/unknown option ('[^']*')/, 'opção desconhecida $1'],
  [/unknown command ('[^']*')/, 'comando desconhecido $1'],
  [/required option ('[^']*') not specified/, 'falta a opção obrigatória $1'],
  [/missing required argument ('[^']*')/, 'falta o argumento $1'],
  [/option ('[^']*') argument missing/, 'falta o valor da opção $1'],
  [/option ('[^']*') argument (.*) is invalid\./, 'a opção $1 não aceita o valor $2.'],
  [
    /command-argument value (.*) is invalid for argument ('[^']*')\./,
    'o argumento $2 não aceita o valor $1.',
  ],
  [
    /too many arguments(?: for ('[^']*'))?\. Expected (\d+) arguments? but got (\d+)/,
    'argumentos demais: $3, onde cabem $2',
  ],
  [/option ('[^']*') cannot be used with option ('[^']*')/, 'a opção $1 não vale junto com $2'],
  [/\(Did you mean (one of )?([^?]*)\?\)/, '(Seria $2?)'],
];

/** What commander prints of wrong usage, in the language of the screen. */
export function usageWords(text: string): string {
  return say(
    text,
    usageSentences.reduce((said, [english, own]) => said.replace(english, own), text),
  );
}

/** Commander has printed the message with its quotes: 2 for wrong usage, 0 for `--help`. */
function reportUsage({ exitCode, message: quoting }: CommanderError, json: boolean): number {
  if (exitCode === 0) return exitCodes.done;
  const message = redactText(quoting.replace(/^error: /, ''));
  const error = { code: 'usage', message, field: fieldOf(message) };
  if (json) printJson({ error, exitCode: exitCodes.usage } satisfies ErrorEnvelope);
  return exitCodes.usage;
}

/** The flag or variable at fault, with which a message begins. */
function fieldOf(message: string): string | null {
  return (
    /^(?:(?:error: )?(?:\w+ )?option '[^']*?)?(--[a-z-]+|[A-Z][A-Z_]+(?=:))/.exec(message)?.[1] ??
    null
  );
}

export function reportUncaught(error: unknown): number {
  printNote(`diligence: ${errorLine(error)}`);
  for (const frame of redactError(error).at) printNote(`    at ${frame}`);
  return exitCodes.failed;
}
