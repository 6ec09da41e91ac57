/** `diligence sandbox`: the sandbox on a terminal. */

import { readFileSync } from 'node:fs';
import { Command, InvalidArgumentError } from 'commander';
import { parseScenario, ScenarioError, type ScenarioInput } from './scenario';
import { startSandbox, type Sandbox } from './start-sandbox';

interface SandboxFlags {
  port: number;
  host: string;
  token: string;
  seed: number;
  scenario?: string;
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
  const { port, host, token, seed } = flags;
  const scenario = flags.scenario === undefined ? undefined : readScenario(flags.scenario);
  try {
    return await startSandbox({ port, host, token, seed, scenario });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `--host ${host} --port ${port}: cannot listen there (${reason}); expected a free port of this machine`,
      { cause: error },
    );
  }
}

function describe(sandbox: Sandbox, { token, seed, json }: SandboxFlags): string {
  const environment = { INVESTIGATION_BASE_URL: sandbox.baseUrl, INVESTIGATION_TOKEN: token };
  const control = `${sandbox.origin}/_sandbox`;
  if (json) {
    const { baseUrl, origin, port } = sandbox;
    return JSON.stringify({ baseUrl, origin, port, control, seed, environment });
  }
  return [
    `Sandbox of the investigation service on ${sandbox.baseUrl}`,
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
    .description('Start an imitation of the investigation service, to develop and test against.')
    .option('--port <number>', 'port to listen on, 0 for any', wholeNumber(0, 65_535), 4010)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--token <text>', 'the token that works', nonEmpty, 'sandbox-token')
    .option('--seed <number>', 'fixes all chance', wholeNumber(0, 2 ** 32 - 1), 1)
    .option('--scenario <file>', 'JSON file with timings and faults (docs/sandbox.md)')
    .option('--json', 'print one JSON document instead of text')
    .allowExcessArguments(false)
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : usageExitCode))
    .action(async (flags: SandboxFlags) => {
      let sandbox: Sandbox;
      try {
        sandbox = await start(flags);
      } catch (error) {
        const where = error instanceof ScenarioError ? '--scenario ' : '';
        process.stderr.write(`sandbox: ${where}${(error as Error).message}\n`);
        process.exitCode = usageExitCode;
        return;
      }
      const stopped = stopSignal();
      process.stdout.write(`${describe(sandbox, flags)}\n`);
      await stopped;
      await sandbox.close();
    });
}
