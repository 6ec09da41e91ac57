/** `diligence sandbox`: the sandbox on a terminal. */

import { readFileSync } from 'node:fs';
import { Command, InvalidArgumentError } from 'commander';
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

function wholeNumber(highest: number) {
  return (text: string): number => {
    if (/^\d+$/.test(text) && Number(text) <= highest) return Number(text);
    throw new InvalidArgumentError(`Expected a whole number from 0 to ${highest}.`);
  };
}
const port = wholeNumber(65_535);

function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol.startsWith('http') === true) return url.origin;
  throw new InvalidArgumentError('Expected an address such as http://sandbox:4011.');
}

function nonEmpty(text: string): string {
  if (text === '') throw new InvalidArgumentError('Expected some text.');
  return text;
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** @throws Error that names the file, or what is wrong in it */
function readScenario(file: string): ScenarioInput {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const wrong = `cannot read it (${reasonOf(error)}); expected a JSON file`;
    throw new Error(`--scenario ${file}: ${wrong}`, { cause: error });
  }
  return parseScenario(text, `--scenario ${file}`);
}

async function start(flags: SandboxFlags): Promise<Sandbox> {
  const scenario = flags.scenario === undefined ? undefined : readScenario(flags.scenario);
  try {
    return await startSandbox({ ...flags, scenario });
  } catch (error) {
    const { filesPort, host } = flags;
    const files = filesPort === 0 ? '' : ` --files-port ${filesPort}`;
    const wrong = `cannot listen there (${reasonOf(error)}); expected a free port of this machine`;
    throw new Error(`--host ${host} --port ${flags.port}${files}: ${wrong}`, { cause: error });
  }
}

function describe(sandbox: Sandbox, { token, creditToken, seed, json }: SandboxFlags): string {
  const { baseUrl, creditBaseUrl, filesOrigin, origin } = sandbox;
  const environment = {
    INVESTIGATION_BASE_URL: baseUrl,
    INVESTIGATION_TOKEN: token,
    CREDIT_BASE_URL: creditBaseUrl,
    CREDIT_TOKEN: creditToken,
    DILIGENCE_ALLOWED_HOSTS: new URL(filesOrigin).hostname,
  };
  const control = `${origin}/_sandbox`;
  if (json) {
    const addresses = { baseUrl, creditBaseUrl, origin, filesOrigin, port: sandbox.port, control };
    return JSON.stringify({ ...addresses, seed, environment });
  }
  return [
    `Sandbox of the investigation service on ${baseUrl}`,
    `Sandbox of the credit service on ${creditBaseUrl}`,
    `Uploads and downloads on ${filesOrigin}`,
    `Control routes on ${control}`,
    '',
    'Set these where the client runs:',
    ...Object.entries(environment).map(([name, value]) => `  export ${name}=${value}`),
    '',
    'Ctrl-C stops it.',
  ].join('\n');
}

export function sandboxCommand(): Command {
  return new Command('sandbox')
    .description('Start imitations of the two services, to develop and test against.')
    .option('--port <number>', 'port to listen on, 0 for any', port, 4010)
    .option('--files-port <number>', 'port of uploads and downloads, 0 for any', port, 0)
    .option('--files-origin <url>', 'how clients reach them, when not by host and port', originOf)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--token <text>', 'the token that works', nonEmpty, 'sandbox-token')
    .option('--seed <number>', 'fixes all chance', wholeNumber(2 ** 32 - 1), 1)
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
        process.stderr.write(`sandbox: ${reasonOf(error)}\n`);
        process.exitCode = usageExitCode;
        return;
      }
      const stopped = new Promise<void>((resolve) => {
        for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
      });
      process.stdout.write(`${describe(sandbox, flags)}\n`);
      await stopped;
      await sandbox.close();
    });
}
