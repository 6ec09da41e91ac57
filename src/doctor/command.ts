import { Command } from 'commander';
import { assumptionTable, type Assumption } from '../apis/assumption-table';
import {
  ConfigError,
  readConfigFile,
  readEnvironment,
  valueOf,
  type Environment,
} from '../environment';
import { engineAddress } from '../temporal/connection';
import { examineCredit } from './credit';
import { examineEngine, examineEngineSettings } from './engine';
import { fail, ok, type Finding } from './finding';
import {
  examineStore,
  examineDataDir,
  examineIdKey,
  examineTemporalCli,
  examineTokenFiles,
} from './machine';
import { examineMonitors, examineSinks } from './monitors';
import { examinePayloadKeys } from './payload-keys';
import { examineService, examineTransport } from './service';

/** `diligence doctor`: checks everything that can be checked without side effects. */
export function doctorCommand(): Command {
  return new Command('doctor')
    .description(
      'Check settings, disk, keys, store, service, token, clock, engine and workers; send nothing.',
    )
    .option('--json', 'one JSON document on standard output')
    .option('--assumptions', 'print what the specification does not show, and what is assumed')
    .addHelpText(
      'after',
      '\nExit codes: 0 no failure (warnings are none), 1 a failure, 2 wrong settings.',
    )
    .action(async (flags: { json?: true; assumptions?: true }) => {
      if (flags.assumptions === true) return printAssumptions(flags.json === true);
      process.exitCode = await examine(flags.json === true);
    });
}

async function examine(json: boolean): Promise<number> {
  const settings = readSettings();
  const findings = [settings.finding];
  if (settings.environment !== null) findings.push(...(await examineAll(settings.environment)));
  const failed = findings.some(({ state }) => state === 'fail');
  const exitCode = settings.environment === null ? 2 : failed ? 1 : 0;
  if (json) printLine(JSON.stringify({ findings, exitCode }, null, 2));
  else printFindings(findings);
  return exitCode;
}

function readSettings(): { finding: Finding; environment: Environment | null } {
  try {
    const environment = readEnvironment();
    const wrong = examineEngineSettings();
    if (wrong !== null) return { finding: wrong, environment: null };
    return {
      finding: ok('environment', 'every variable and key of ours can be read'),
      environment,
    };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const fix = `fix ${error.variable} in the environment, in .env or in diligence.config.json`;
    return { finding: fail('environment', error.message, fix), environment: null };
  }
}

async function examineAll(environment: Environment): Promise<Finding[]> {
  const dataDir = await examineDataDir(environment);
  // Before the store is opened, which restricts an open key file.
  const idKey = await examineIdKey(environment);
  const { findings, store } = await examineStore(environment);
  return [
    ...dataDir,
    idKey,
    ...(await examineTokenFiles(environment)),
    ...findings,
    await examinePayloadKeys(environment, store),
    ...examineTransport(environment),
    ...(await examineService(environment)),
    ...(await examineMonitors(environment, store)),
    ...(await examineSinks(environment, store)),
    ...(await examineCredit(environment)),
    ...(engineAddress().kind === 'embedded' ? [await examineTemporalCli()] : []),
    ...(await examineEngine(environment, store ?? null)),
  ];
}

function printFindings(findings: readonly Finding[]): void {
  for (const { check, state, detail, fix } of findings) {
    printLine(`${state.padEnd(5)} ${check}: ${detail}`);
    if (fix !== null) printLine(`      fix: ${fix}`);
  }
  const count = (state: Finding['state']): number =>
    findings.filter((finding) => finding.state === state).length;
  printLine(`${count('ok')} in order, ${count('warn')} to know of, ${count('fail')} to fix`);
}

interface AssumptionInForce extends Omit<Assumption, 'keys'> {
  settings: { key: string; value: unknown; from: 'default' | 'file' }[];
}

function assumptionsInForce(): AssumptionInForce[] {
  const { config, given } = readConfigFile(process.env['DILIGENCE_CONFIG'] || undefined);
  return assumptionTable.map(({ keys, ...row }) => ({
    ...row,
    settings: keys.map((key) => ({
      key,
      value: valueOf(config, key),
      from: valueOf(given, key) === undefined ? 'default' : 'file',
    })),
  }));
}

function printAssumptions(json: boolean): void {
  const assumptions = assumptionsInForce();
  if (json) return printLine(JSON.stringify({ assumptions }, null, 2));
  for (const { area, matter, value, reason, settings } of assumptions) {
    printLine(`${area}: ${matter}\n  ${value}\n  because ${reason}`);
    for (const { key, value: set, from } of settings) {
      printLine(`  ${key} = ${JSON.stringify(set)} (${from})`);
    }
  }
}

function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}
