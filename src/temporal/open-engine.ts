import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError, type Environment } from '../environment';
import { connectClient, engineAddress, type EngineClient } from './connection';
import { engineLogPath, runningEngine, type EngineRecord } from './engine-record';
import { hasEnded } from './tools-pid';

/** Building the Temporal CLI takes minutes on a first start. */
const startTimeoutMs = 15 * 60_000;

/**
 * A client of the engine: of `TEMPORAL_ADDRESS`, else of the data directory's own process, which
 * is started in the background when none runs (DESIGN 5, "Embedded").
 *
 * @param say gets one line per thing done
 * @throws ConfigError when no service is configured and nothing runs
 */
export async function openEngine(
  environment: Environment,
  say: (line: string) => void,
): Promise<EngineClient> {
  const place = engineAddress();
  if (place.kind === 'server') return connectClient(place);
  const record = await embeddedEngine(environment, say);
  const { address, namespace } = record;
  return connectClient({ connectionOptions: {}, address, namespace });
}

async function embeddedEngine(
  environment: Environment,
  say: (line: string) => void,
): Promise<EngineRecord> {
  const { dataDir, investigation } = environment;
  const running = await runningEngine(dataDir);
  if (running !== null) {
    if (investigation !== null && running.investigationBaseUrl !== investigation.baseUrl) {
      throw new ConfigError(
        'INVESTIGATION_BASE_URL',
        `is not what the engine of ${dataDir} works against: run \`diligence stop\` first, or use another DILIGENCE_DATA_DIR`,
      );
    }
    return running;
  }
  if (investigation === null) {
    throw new ConfigError(
      'INVESTIGATION_BASE_URL',
      'is not set: set it and INVESTIGATION_TOKEN, or run `diligence dev` in another terminal, which brings a sandbox',
    );
  }
  return startInBackground(dataDir, say);
}

async function startInBackground(
  dataDir: string,
  say: (line: string) => void,
): Promise<EngineRecord> {
  const logPath = engineLogPath(dataDir, 'engine');
  mkdirSync(dirname(logPath), { recursive: true, mode: 0o700 });
  const log = openSync(logPath, 'a', 0o600);
  const from = (await readFile(logPath)).length;
  const child = spawn(process.execPath, [process.argv[1] ?? '', 'dev', '--idle-minutes', '10'], {
    detached: true,
    stdio: ['ignore', log, log],
    env: { ...process.env, DILIGENCE_DATA_DIR: dataDir },
  });
  closeSync(log);
  child.unref();
  say(`starting the background engine (log: ${logPath}; \`diligence stop\` ends it)`);
  const deadlineAt = Date.now() + startTimeoutMs;
  let told = from;
  let goneAt: number | null = null;
  while (Date.now() < deadlineAt) {
    const record = await runningEngine(dataDir);
    if (record !== null) return record;
    told = await tellNewLines(logPath, told, say);
    // Another command may have been first: then ours gives way, and the record appears all the same.
    const ended = child.pid === undefined || hasEnded(child.pid);
    if (ended) goneAt ??= Date.now();
    if (goneAt !== null && Date.now() - goneAt > 20_000) break;
    await sleep(200);
  }
  const tail = (await readFile(logPath, 'utf8')).trimEnd().split('\n').slice(-5).join('\n');
  throw new Error(`the background engine did not start; the end of its log:\n${tail}`);
}

/** A first start may build the server: what it says of that is passed on. */
async function tellNewLines(
  path: string,
  from: number,
  say: (line: string) => void,
): Promise<number> {
  const text = (await readFile(path)).subarray(from).toString('utf8');
  const end = text.lastIndexOf('\n');
  if (end < 0) return from;
  for (const line of text.slice(0, end).split('\n')) if (line !== '') say(line);
  return from + Buffer.byteLength(text.slice(0, end + 1));
}
