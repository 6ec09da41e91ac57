import { Command } from 'commander';
import { assumptionTable } from '../apis/assumption-table';
import { ConfigError, readConfigFile, readEnvironment, valueOf } from '../environment';
import { engineAddress } from '../temporal/connection';
import { examineCredit } from './credit';
import { examineEngine } from './engine';
import { fail, messageOf, ok, type Finding } from './finding';
import {
  examineDataDir,
  examineFiles,
  examinePayloadKeys,
  examineStore,
  examineTemporalCli,
} from './machine';
import { examineMonitors, examineService, examineSinks, examineTransport } from './service';

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
    .action(async ({ assumptions, json }: { json?: true; assumptions?: true }) => {
      if (assumptions === true) return printAssumptions(json === true);
      const { exitCode, findings } = await examine();
      process.exitCode = exitCode;
      if (json === true) printLine(JSON.stringify({ findings, exitCode }, null, 2));
      else printFindings(findings);
    });
}

async function examine(): Promise<{ findings: Finding[]; exitCode: number }> {
  let environment;
  let engine;
  try {
    environment = readEnvironment();
    engine = engineAddress();
  } catch (error) {
    const where =
      error instanceof ConfigError
        ? `${error.variable} in the environment, in .env or in diligence.config.json`
        : 'the variable, or the profile in use';
    return { findings: [fail('environment', messageOf(error), `fix ${where}`)], exitCode: 2 };
  }
  // Before the store is opened, which restricts an open key file.
  const machine = [...(await examineDataDir(environment)), ...(await examineFiles(environment))];
  const { findings: stored, store } = await examineStore(environment);
  const findings = [
    ok('environment', 'every variable and key of ours can be read'),
    ...machine,
    ...stored,
    await examinePayloadKeys(environment, store),
    ...examineTransport(environment),
    ...(await examineService(environment)),
    ...(await examineMonitors(environment, store)),
    ...(await examineSinks(environment, store)),
    ...(await examineCredit(environment)),
    ...(engine.kind === 'embedded' ? [await examineTemporalCli()] : []),
    ...(await examineEngine(environment, store)),
  ];
  return { findings, exitCode: findings.some(({ state }) => state === 'fail') ? 1 : 0 };
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

function printAssumptions(json: boolean): void {
  const { config, given } = readConfigFile(process.env['DILIGENCE_CONFIG'] || undefined);
  const assumptions = assumptionTable.map(({ keys, ...row }) => ({
    ...row,
    settings: keys.map((key) => ({
      key,
      value: valueOf(config, key),
      from: valueOf(given, key) === undefined ? 'default' : 'file',
    })),
  }));
  if (json) return printLine(JSON.stringify({ assumptions }, null, 2));
  for (const { area, matter, value, reason, settings } of assumptions) {
    printLine(`${area}: ${matter}\n  ${value}\n  because ${reason}`);
    for (const { key, value: set, from } of settings)
      printLine(`  ${key} = ${JSON.stringify(set)} (${from})`);
  }
}

function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}
