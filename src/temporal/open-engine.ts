import { spawn } from 'node:child_process';
import { closeSync, fstatSync, mkdirSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KeyRing } from '../protection/key-ring';
import { lockHolder } from '../store/process-lock';
import type { Store } from '../store/store';
import { WordedError } from '../domain/core/worded-error';
import type { Tell } from '../domain/job';
import { ConfigError, type Environment } from '../environment';
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
import { hasEnded, printedSince, tailOf } from './processes';

/** Our entry point, regardless of the running program. */
const ownProgram = join(__dirname, '..', 'main.js');

/** The installation: its keys seal the data of this store. */
export interface EngineSite {
  environment: Environment;
  store: Store;
}

class EngineStartError extends WordedError {
  override readonly name = 'EngineStartError';
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
  const { environment } = site;
  const address = engineAddress(environment.variables);
  const keys = await keysOf(site, address, say);
  const isServer = address.kind === 'server';
  return connect(environment, keys, isServer ? address : await embeddedEngine(environment, say));
}

/**
 * A client if there is a server; starts none. Null when the data directory's own server is not running.
 *
 * @throws EngineUnreachableError when `TEMPORAL_ADDRESS` does not answer
 * @throws ConfigError when the payload keys are not those of the store
 */
export const engineIfRunning = (site: EngineSite, say: Tell) =>
  connectIfRunning(site.environment, (address) => keysOf(site, address, say));

/** Like `engineIfRunning`, without keys: for callers that read no payload. */
export const reachEngine = (environment: Environment) =>
  connectIfRunning(environment, () => Promise.resolve(null));

async function connectIfRunning(
  environment: Environment,
  keysFor: (address: EngineAddress) => Promise<KeyRing | null>,
): Promise<EngineClient | null> {
  const address = engineAddress(environment.variables);
  const isServer = address.kind === 'server';
  const server = isServer ? address : await runningEngine(environment.dataDir);
  return server === null ? null : connect(environment, await keysFor(address), server);
}

async function keysOf(
  { environment, store }: EngineSite,
  { kind }: EngineAddress,
  say: Tell,
): Promise<KeyRing> {
  const keys = await findPayloadKeys(environment, kind, say);
  await proveKeys(store, keys);
  return keys;
}

async function connect(
  { aadNamespace }: Environment,
  keys: KeyRing | null,
  server: Extract<EngineAddress, { kind: 'server' }> | EngineRecord,
): Promise<EngineClient> {
  const { address, namespace } = server;
  const dataConverter = keys === null ? {} : dataConverterOf(keys, namespace, aadNamespace);
  if ('kind' in server) return connectClient({ ...server, dataConverter });
  const engine = await connectClient({ connectionOptions: {}, address, namespace, dataConverter });
  return { ...engine, record: server };
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
  return startInBackground(environment, ['dev', '--on-demand'], say);
}

/**
 * Starts our own program with these words, `dev` and its flags, as a process of its own, and waits for its engine.
 *
 * @param say gets what it prints meanwhile: the first start may build the server
 * @throws EngineStartError
 */
export async function startInBackground(
  { dataDir, variables }: Environment,
  words: readonly string[],
  say: Tell,
): Promise<EngineRecord> {
  const logPath = engineLogPath(dataDir, 'engine');
  mkdirSync(dirname(logPath), { recursive: true, mode: 0o700 });
  const log = openSync(logPath, 'a', 0o600);
  const from = fstatSync(log).size;
  const child = spawn(process.execPath, [ownProgram, ...words], {
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
  let said = 0;
  while (Date.now() < deadlineAt) {
    // Before the record is read: writing it may be the last action of that process.
    const isOver = child.pid === undefined || hasEnded(child.pid);
    const record = await runningEngine(dataDir);
    if (record !== null) return record;
    const lines = (await printedSince(logPath, from)).split('\n').slice(0, -1);
    for (const line of lines.slice(said)) say(line, line);
    said = lines.length;
    // Another command may have been first: then wait for its server.
    if (isOver && (await lockHolder(engineLockPath(dataDir))) === null) break;
    await sleep(200);
  }
  const tail = await tailOf(logPath, from);
  throw new EngineStartError([
    `the background engine did not start; the end of its log:\n${tail}`,
    `o servidor em segundo plano não iniciou; o fim do seu log:\n${tail}`,
  ]);
}
