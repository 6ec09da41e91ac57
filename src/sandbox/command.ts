/** `diligence sandbox`: the sandbox on a terminal. */

import { readFileSync } from 'node:fs';
import { Command, InvalidArgumentError } from 'commander';
import { ScenarioError } from './core/scenario-parts';
import { parseScenario, type ScenarioInput } from './scenario';
import { defaultCreditToken, startSandbox, type Sandbox } from './start-sandbox';

interface SandboxFlags {
  port: number;
  filesPort: number;
  filesOrigin?: string;
  host: string;
  token: string;
  seed: number;
  scenario?: string;
  creditToken: string;
  json?: true;
}

/** Wrong usage: nothing was started. */
const usageExitCode = 2;

function wholeNumber(lowest: number, highest: number) {
  return (text: string): number => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < lowest || value > highest) {
      throw new InvalidArgumentError(`Expected a whole number from ${lowest} to ${highest}.`);
    }
    return value;
  };
}

function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !url.protocol.startsWith('http')) {
    throw new InvalidArgumentError('Expected an address such as http://sandbox:4011.');
  }
  return url.origin;
}

function nonEmpty(text: string): string {
  if (text === '') throw new InvalidArgumentError('Expected some text.');
  return text;
}

/** @throws ScenarioError, or an Error that names the file. */
function readScenario(file: string): ScenarioInput {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`--scenario ${file}: cannot read it (${reason}); expected a JSON file`, {
      cause: error,
    });
  }
  return parseScenario(text, file);
}

async function start(flags: SandboxFlags): Promise<Sandbox> {
  const { port, filesPort, host } = flags;
  const scenario = flags.scenario === undefined ? undefined : readScenario(flags.scenario);
  try {
    return await startSandbox({ ...flags, scenario });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const files = filesPort === 0 ? '' : ` --files-port ${filesPort}`;
    throw new Error(
      `--host ${host} --port ${port}${files}: cannot listen there (${reason}); expected a free port of this machine`,
      { cause: error },
    );
  }
}

function describe(sandbox: Sandbox, { token, creditToken, seed, json }: SandboxFlags): string {
  const environment = {
    INVESTIGATION_BASE_URL: sandbox.baseUrl,
    INVESTIGATION_TOKEN: token,
    CREDIT_BASE_URL: sandbox.creditBaseUrl,
    CREDIT_TOKEN: creditToken,
    DILIGENCE_ALLOWED_HOSTS: new URL(sandbox.filesOrigin).hostname,
  };
  const control = `${sandbox.origin}/_sandbox`;
  if (json) {
    const { baseUrl, creditBaseUrl, filesOrigin, origin, port } = sandbox;
    const addresses = { baseUrl, creditBaseUrl, origin, filesOrigin, port, control };
    return JSON.stringify({ ...addresses, seed, environment });
  }
  return [
    `Sandbox of the investigation service on ${sandbox.baseUrl}`,
    `Sandbox of the credit service on ${sandbox.creditBaseUrl}`,
    `Uploads and downloads on ${sandbox.filesOrigin}`,
    `Control routes on ${control}`,
    '',
    'Set these where the client runs:',
    ...Object.entries(environment).map(([name, value]) => `  export ${name}=${value}`),
    '',
    'Ctrl-C stops it.',
  ].join('\n');
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
}

export function sandboxCommand(): Command {
  return new Command('sandbox')
    .description('Start imitations of the two services, to develop and test against.')
    .option('--port <number>', 'port to listen on, 0 for any', wholeNumber(0, 65_535), 4010)
    .option(
      '--files-port <number>',
      'port of uploads and downloads, 0 for any',
      wholeNumber(0, 65_535),
      0,
    )
    .option('--files-origin <url>', 'how clients reach them, when not by host and port', originOf)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--token <text>', 'the token that works', nonEmpty, 'sandbox-token')
    .option('--seed <number>', 'fixes all chance', wholeNumber(0, 2 ** 32 - 1), 1)
    .option('--scenario <file>', 'JSON file with timings and faults (docs/sandbox.md)')
    .option('--credit-token <text>', 'the same of the credit service', nonEmpty, defaultCreditToken)
    .option('--json', 'print one JSON document instead of text')
    .allowExcessArguments(false)
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : usageExitCode))
    .action(async (flags: SandboxFlags) => {
      let sandbox: Sandbox;
      try {
        sandbox = await start(flags);
      } catch (error) {
        const { message } = error as Error;
        const prefix = error instanceof ScenarioError ? '--scenario ' : '';
        process.stderr.write(`sandbox: ${prefix}${message}\n`);
        process.exitCode = usageExitCode;
        return;
      }
      const stopped = stopSignal();
      process.stdout.write(`${describe(sandbox, flags)}\n`);
      await stopped;
      await sandbox.close();
    });
}
