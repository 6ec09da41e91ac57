import { Command } from 'commander';
import { request } from 'undici';
import { StatusError } from '../apis/http/errors';
import { Service } from '../apis/http/service';
import { Token } from '../apis/http/token';
import { assumptionTable } from '../apis/assumptions';
import { CertificatesApi } from '../apis/investigation/certificates';
import { findIdKey } from '../archive/id-key';
import { openArchive } from '../archive/open-archive';
import { queueKinds, queueName, queueSuffix } from '../domain/queues';
import { readEnvironment, type Environment } from '../environment';
import { connectClient, engineAddress, type EngineClient } from '../temporal/connection';
import { queuePollers } from '../temporal/queue-pollers';
import { runningEngine } from '../temporal/engine-record';

/** One thing looked at. `warn`: works, but a person should know. */
interface Finding {
  check: string;
  state: 'ok' | 'warn' | 'fail';
  detail: string;
}

const oneDayMs = 86_400_000;

/** `diligence doctor`: looks at everything that can be looked at without side effects. */
export function doctorCommand(): Command {
  return new Command('doctor')
    .description(
      'Check address, token, archive, clock, engine, workers and retention; send nothing.',
    )
    .option('--json', 'one JSON document on standard output')
    .option('--assumptions', 'print what the specification does not show, and what is assumed')
    .action(async (flags: { json?: true; assumptions?: true }) => {
      if (flags.assumptions === true) return printAssumptions(flags.json === true);
      const findings = await examine();
      if (flags.json === true) process.stdout.write(`${JSON.stringify({ findings }, null, 2)}\n`);
      else for (const { check, state, detail } of findings) print(check, state, detail);
      process.exitCode = findings.some(({ state }) => state === 'fail') ? 1 : 0;
    });
}

async function examine(): Promise<Finding[]> {
  const environment = readEnvironment();
  const findings: Finding[] = [];
  const archiveId = await examineArchive(environment, findings);
  await examineService(environment, findings);
  await examineEngine(environment, archiveId, findings);
  return findings;
}

async function examineArchive(
  environment: Environment,
  findings: Finding[],
): Promise<string | null> {
  try {
    const { idKey } = await findIdKey(environment.dataDir, environment.idKey);
    const archive = await openArchive(environment.archiveUrl, idKey);
    await archive.replace(
      'doctor/last-write.json',
      JSON.stringify({ at: new Date().toISOString() }),
    );
    const detail = `${environment.archiveUrl} can be written (id ${archive.id.slice(0, 8)})`;
    findings.push({ check: 'archive', state: 'ok', detail });
    return archive.id;
  } catch (error) {
    findings.push({ check: 'archive', state: 'fail', detail: (error as Error).message });
    return null;
  }
}

async function examineService(environment: Environment, findings: Finding[]): Promise<void> {
  const settings = environment.investigation;
  const engine = settings === null ? await runningEngine(environment.dataDir) : null;
  if (settings === null) {
    findings.push({
      check: 'service',
      state: engine === null ? 'fail' : 'warn',
      detail:
        engine === null
          ? 'INVESTIGATION_BASE_URL is not set'
          : `INVESTIGATION_BASE_URL is not set; the running engine works against ${engine.investigationBaseUrl}`,
    });
    return;
  }
  const token = settings.certificatesToken ?? settings.token;
  const service = new Service({
    baseUrl: settings.baseUrl,
    token: 'file' in token ? Token.fromFile(token.file) : Token.of(token.value),
    ratePerSecond: 5,
  });
  try {
    await new CertificatesApi(service, environment.certificates).proveAccess();
    findings.push({ check: 'service', state: 'ok', detail: `${settings.baseUrl} takes the token` });
  } catch (error) {
    const refused = error instanceof StatusError && error.meansCredentials;
    const detail = refused
      ? 'the token is refused (INVESTIGATION_TOKEN, or CERTIFICATES_TOKEN)'
      : (error as Error).message;
    findings.push({ check: 'service', state: 'fail', detail });
  } finally {
    await service.close();
  }
  await examineClock(settings.baseUrl, findings);
}

/** Deadlines and the age of what is reused hang on the clock: compares with the service's. */
async function examineClock(baseUrl: string, findings: Finding[]): Promise<void> {
  try {
    const answer = await request(new URL(baseUrl).origin, {
      method: 'HEAD',
      headersTimeout: 5_000,
    });
    await answer.body.dump();
    const header = answer.headers.date;
    const theirs = Date.parse(Array.isArray(header) ? (header[0] ?? '') : (header ?? ''));
    if (Number.isNaN(theirs)) {
      findings.push({
        check: 'clock',
        state: 'warn',
        detail: 'the service names no time to compare',
      });
      return;
    }
    const seconds = Math.round(Math.abs(theirs - Date.now()) / 1_000);
    findings.push({
      check: 'clock',
      state: seconds <= 30 ? 'ok' : 'warn',
      detail: `${seconds} s from the service's`,
    });
  } catch {
    findings.push({ check: 'clock', state: 'warn', detail: 'the service could not be asked' });
  }
}

async function examineEngine(
  environment: Environment,
  archiveId: string | null,
  findings: Finding[],
): Promise<void> {
  const place = engineAddress();
  const embedded = place.kind === 'embedded' ? await runningEngine(environment.dataDir) : null;
  if (place.kind === 'embedded' && embedded === null) {
    const detail = 'none runs on this data directory: the next command that needs one starts it';
    findings.push({ check: 'engine', state: 'ok', detail });
    return;
  }
  try {
    const engine = await (place.kind === 'server'
      ? connectClient(place)
      : connectClient({
          connectionOptions: {},
          address: embedded?.address ?? '',
          namespace: embedded?.namespace ?? 'default',
        }));
    try {
      await examineServer(engine, findings);
      if (archiveId !== null) await examinePollers(engine, archiveId, findings);
    } finally {
      await engine.close();
    }
  } catch (error) {
    findings.push({ check: 'engine', state: 'fail', detail: (error as Error).message });
  }
}

async function examineServer(engine: EngineClient, findings: Finding[]): Promise<void> {
  const { workflowService } = engine.connection;
  const { serverVersion } = await workflowService.getSystemInfo({});
  const detail = `${engine.address}, server ${serverVersion ?? 'unknown'}`;
  findings.push({ check: 'engine', state: 'ok', detail });
  const { config } = await workflowService.describeNamespace({ namespace: engine.namespace });
  const seconds = Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0);
  const days = (seconds * 1_000) / oneDayMs;
  findings.push({
    check: 'retention',
    state: days >= 7 ? 'ok' : 'warn',
    detail: `closed workflows are kept ${days.toFixed(1)} days (results stay in the archive)`,
  });
}

async function examinePollers(
  engine: EngineClient,
  archiveId: string,
  findings: Finding[],
): Promise<void> {
  for (const kind of queueKinds) {
    const suffix = queueSuffix(archiveId);
    const pollers = await queuePollers(engine, kind, suffix);
    const declared = readEnvironment().workers;
    const tooMany = pollers.length > declared;
    findings.push({
      check: `queue ${queueName(kind, suffix)}`,
      state: pollers.length === 0 ? 'fail' : tooMany ? 'warn' : 'ok',
      detail: tooMany
        ? `${pollers.length} workers poll, DILIGENCE_WORKERS says ${declared}: the rates are exceeded`
        : `${pollers.length} worker(s) poll it`,
    });
  }
}

function printAssumptions(json: boolean): void {
  if (json) process.stdout.write(`${JSON.stringify({ assumptions: assumptionTable }, null, 2)}\n`);
  else {
    for (const { area, matter, value, variable, reason } of assumptionTable) {
      process.stdout.write(`${area}: ${matter}\n  ${value}\n  because ${reason}\n`);
      if (variable !== null) process.stdout.write(`  overridden by ${variable}\n`);
    }
  }
}

function print(check: string, state: string, detail: string): void {
  process.stdout.write(`${state.padEnd(5)} ${check}: ${detail}\n`);
}
