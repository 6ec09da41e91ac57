import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataConverter } from '@temporalio/common';
import { lockHolder } from '../store/process-lock';
import type { Store } from '../store/store';
import { ConfigError, type Environment } from '../environment';
import type { Tell } from '../domain/job';
import { connectClient, engineAddress, type EngineAddress, type EngineClient } from './connection';
import { dataConverterOf } from './payload/data-converter';
import {
  engineLockPath,
  engineLogPath,
  noteUse,
  runningEngine,
  type EngineRecord,
} from './engine-record';
import { findPayloadKeys } from './payload/payload-keys';
import { proveKeys } from './payload/store-keys';
import { hasEnded, tailOf } from './processes';

/** Our entry point, regardless of the running program. */
const ownProgram = join(__dirname, '..', 'main.js');

/** The installation: its keys seal the data of this store. */
export interface EngineSite {
  environment: Environment;
  store: Store;
}

/** Building the Temporal CLI takes minutes at the first start. */
const startTimeoutMs = 15 * 60_000;

/**
 * A client of `TEMPORAL_ADDRESS`, or else of the data directory's own server, which is started in the background when
 * none is running.
 *
 * @param say gets one line per step
 * @throws ConfigError when no service is configured and nothing runs, or the payload keys are not
 *   those of the store
 */
export async function openEngine(site: EngineSite, say: Tell): Promise<EngineClient> {
  const address = engineAddress(site.environment.variables);
  const converterFor = await converterOf(site, address, say);
  if (address.kind === 'server') return connect(address, converterFor);
  return connectEmbedded(await embeddedEngine(site.environment, say), converterFor);
}

/**
 * A client if there is a server; starts none. Null when the data directory's own server is not running.
 *
 * @throws EngineUnreachableError when `TEMPORAL_ADDRESS` does not answer
 * @throws ConfigError when the payload keys are not those of the store
 */
export const engineIfRunning = (site: EngineSite, say: Tell) =>
  connectIfRunning(site.environment, (address) => converterOf(site, address, say));

/** Like `engineIfRunning`, without keys: for callers that read no payload. */
export const reachEngine = (environment: Environment) =>
  connectIfRunning(environment, async () => () => ({}));

type ConverterFor = (namespace: string) => DataConverter;

async function connectIfRunning(
  { dataDir, variables }: Environment,
  converter: (address: EngineAddress) => Promise<ConverterFor>,
): Promise<EngineClient | null> {
  const address = engineAddress(variables);
  if (address.kind === 'server') return connect(address, await converter(address));
  const record = await runningEngine(dataDir);
  return record === null ? null : connectEmbedded(record, await converter(address));
}

async function converterOf(
  { environment, store }: EngineSite,
  address: EngineAddress,
  say: Tell,
): Promise<ConverterFor> {
  const keys = await findPayloadKeys(environment, address.kind, say);
  await proveKeys(store, keys);
  return (namespace) => dataConverterOf(keys, namespace, environment.aadNamespace);
}

const connect = (
  server: Omit<Parameters<typeof connectClient>[0], 'dataConverter'>,
  converterFor: ConverterFor,
) => connectClient({ ...server, dataConverter: converterFor(server.namespace) });

async function connectEmbedded(
  record: EngineRecord,
  converterFor: ConverterFor,
): Promise<EngineClient> {
  const { address, namespace } = record;
  const engine = await connect({ connectionOptions: {}, address, namespace }, converterFor);
  return { ...engine, record };
}

async function embeddedEngine(environment: Environment, say: Tell): Promise<EngineRecord> {
  const { dataDir, investigation, credit } = environment;
  const running = await runningEngine(dataDir);
  // A server that closes as idle right now does not count.
  if (running !== null && (await noteUse(dataDir))) {
    for (const [variable, asked, served] of [
      ['INVESTIGATION_BASE_URL', investigation, running.investigationBaseUrl],
      ['CREDIT_BASE_URL', credit, running.creditBaseUrl ?? credit?.baseUrl],
    ] as const) {
      if (asked === null || asked.baseUrl === served) continue;
      throw new ConfigError(variable, [
        `is not what the engine of ${dataDir} works against: run \`diligence stop\` first, or use another DILIGENCE_DATA_DIR`,
        `não é o endereço que o servidor de ${dataDir} usa: rode \`diligence stop\` antes, ou use outro DILIGENCE_DATA_DIR`,
      ]);
    }
    return running;
  }
  if (investigation === null && credit === null) {
    throw new ConfigError('INVESTIGATION_BASE_URL', [
      'is not set: set it and INVESTIGATION_TOKEN, or run `diligence dev` in another terminal, which brings a sandbox',
      'falta definir: defina-o com INVESTIGATION_TOKEN, ou rode `diligence dev` em outro terminal, que traz um sandbox',
    ]);
  }
  return startInBackground(environment, say);
}

async function startInBackground(
  { dataDir, variables }: Environment,
  say: Tell,
): Promise<EngineRecord> {
  const logPath = engineLogPath(dataDir, 'engine');
  mkdirSync(dirname(logPath), { recursive: true, mode: 0o700 });
  const log = openSync(logPath, 'a', 0o600);
  const from = (await readFile(logPath)).length;
  const child = spawn(process.execPath, [ownProgram, 'dev', '--on-demand'], {
    detached: true,
    stdio: ['ignore', log, log],
    env: { ...variables, DILIGENCE_DATA_DIR: dataDir },
  });
  closeSync(log);
  child.unref();
  say(
    `starting the background engine (log: ${logPath}; \`diligence stop\` ends it)`,
    `iniciando o servidor em segundo plano (log: ${logPath}; \`diligence stop\` o encerra)`,
  );
  const deadlineAt = Date.now() + startTimeoutMs;
  let printed = from;
  while (Date.now() < deadlineAt) {
    // Before the record is read: writing it may be the last action of that process.
    const isOver = child.pid === undefined || hasEnded(child.pid);
    const record = await runningEngine(dataDir);
    if (record !== null) return record;
    printed = await printNewLines(logPath, printed, say);
    // Another command may have been first: then wait for its server.
    if (isOver && (await lockHolder(engineLockPath(dataDir))) === null) break;
    await sleep(200);
  }
  const tail = await tailOf(logPath, from);
  throw new Error(`the background engine did not start; the end of its log:\n${tail}`);
}

/** The first start may build the server: prints the output of the build. */
async function printNewLines(path: string, from: number, say: Tell): Promise<number> {
  const text = (await readFile(path)).subarray(from).toString('utf8');
  const end = text.lastIndexOf('\n');
  if (end < 0) return from;
  for (const line of text.slice(0, end).split('\n')) if (line !== '') say(line, line);
  return from + Buffer.byteLength(text.slice(0, end + 1));
}
