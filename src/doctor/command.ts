import { Command } from 'commander';
import { assumptionTable } from '../apis/assumptions';
import { ConfigError, readEnvironment, type Environment } from '../environment';
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
import { examineService } from './service';

/** `diligence doctor`: looks at everything that can be looked at without side effects. */
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
    return { finding: ok('environment', 'every variable of ours can be read'), environment };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const cure = `mend ${error.variable} in the environment or in .env (see .env.example)`;
    return { finding: fail('environment', error.message, cure), environment: null };
  }
}

async function examineAll(environment: Environment): Promise<Finding[]> {
  const dataDir = await examineDataDir(environment);
  // Before the store is opened, which shuts a key file that is open to others.
  const idKey = await examineIdKey(environment);
  const { findings, store } = await examineStore(environment);
  return [
    ...dataDir,
    idKey,
    ...(await examineTokenFiles(environment)),
    ...findings,
    ...(await examinePayloadKeys(environment, store)),
    ...(await examineService(environment)),
    ...(await examineMonitors(environment, store)),
    ...(await examineSinks(environment, store)),
    ...(await examineCredit(environment)),
    ...(engineAddress().kind === 'embedded' ? [await examineTemporalCli()] : []),
    ...(await examineEngine(environment, store ?? null)),
  ];
}

function printFindings(findings: readonly Finding[]): void {
  for (const { check, state, detail, cure } of findings) {
    printLine(`${state.padEnd(5)} ${check}: ${detail}`);
    if (cure !== null) printLine(`      cure: ${cure}`);
  }
  const count = (state: Finding['state']): number =>
    findings.filter((finding) => finding.state === state).length;
  printLine(`${count('ok')} in order, ${count('warn')} to know of, ${count('fail')} to mend`);
}

function printAssumptions(json: boolean): void {
  if (json) {
    printLine(JSON.stringify({ assumptions: assumptionTable }, null, 2));
    return;
  }
  for (const { area, matter, value, variable, reason } of assumptionTable) {
    printLine(`${area}: ${matter}\n  ${value}\n  because ${reason}`);
    if (variable !== null) printLine(`  overridden by ${variable}`);
  }
}

function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}
