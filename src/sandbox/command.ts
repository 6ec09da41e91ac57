/** `diligence sandbox`: the sandbox on a terminal. */

import { readFileSync } from 'node:fs';
import { Command, InvalidArgumentError } from 'commander';
import { ScenarioError } from './core/scenario-parts';
import { parseScenario } from './scenario';
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

/** A word of a flag, refused unless it is as expected. */
const word =
  <Value>(read: (text: string) => Value | null, expected: string) =>
  (text: string): Value => {
    const value = read(text);
    if (value === null) throw new InvalidArgumentError(`Expected ${expected}.`);
    return value;
  };
const wholeNumber = (highest: number) =>
  word(
    (text) => (/^\d+$/.test(text) && Number(text) <= highest ? Number(text) : null),
    `a whole number from 0 to ${highest}`,
  );
const port = wholeNumber(65_535);
const someText = word((text) => text || null, 'some text');
const origin = word(
  (text) => (/^https?:/.test(text) && URL.canParse(text) ? new URL(text).origin : null),
  'an address such as http://sandbox:4011',
);

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** @throws Error that names what is wrong: a file, what is in it, or an address */
async function start(flags: SandboxFlags): Promise<Sandbox> {
  const { filesPort, host, scenario: file } = flags;
  const source = `--scenario ${file}`;
  let of = source;
  try {
    const scenario = file && parseScenario(readFileSync(file, 'utf8'), source);
    of = `--host ${host} --port ${flags.port} --files-port ${filesPort}`;
    return await startSandbox({ ...flags, scenario: scenario || undefined });
  } catch (error) {
    if (error instanceof ScenarioError) throw error;
    throw new Error(`${of}: ${reasonOf(error)}`, { cause: error });
  }
}

function describe(sandbox: Sandbox, { token, creditToken, seed, json }: SandboxFlags): string {
  const { baseUrl, creditBaseUrl, filesOrigin, port: served } = sandbox;
  const environment = {
    INVESTIGATION_BASE_URL: baseUrl,
    INVESTIGATION_TOKEN: token,
    CREDIT_BASE_URL: creditBaseUrl,
    CREDIT_TOKEN: creditToken,
    DILIGENCE_ALLOWED_HOSTS: new URL(filesOrigin).hostname,
  };
  const control = `${sandbox.origin}/_sandbox`;
  if (json) {
    const addresses = {
      baseUrl,
      creditBaseUrl,
      origin: sandbox.origin,
      filesOrigin,
      port: served,
      control,
    };
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
    .option('--files-origin <url>', 'how clients reach them, when not by host and port', origin)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--token <text>', 'the token that works', someText, 'sandbox-token')
    .option('--seed <number>', 'fixes all chance', wholeNumber(2 ** 32 - 1), 1)
    .option('--scenario <file>', 'JSON file with timings and faults (docs/sandbox.md)')
    .option('--credit-token <text>', 'the same of the credit service', someText, defaultCreditToken)
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
      const { baseUrl, creditBaseUrl } = sandbox;
      process.send?.({ baseUrl, creditBaseUrl });
      process.stdout.write(`${describe(sandbox, flags)}\n`);
      await stopped;
      await sandbox.close();
    });
}
