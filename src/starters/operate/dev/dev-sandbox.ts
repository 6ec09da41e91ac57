import type { ChildProcess } from 'node:child_process';
import type { Environment } from '../../../environment';
import type { Store } from '../../../store/store';
import { engineLogPath, retireIdleRecord } from '../../../temporal/engine-record';
import { takeStoreForSandbox } from '../../../temporal/sandbox-store';
import { startPart } from '../supervised';
import pino from 'pino';
import {
  codecLog,
  codecsFor,
  serveCodec,
  type CodecServer,
} from '../../../codec-server/serve-codec';
import type { KeyRing } from '../../../protection/key-ring';
import type { DevServer } from '../../../temporal/dev-server';
import { printNote } from '../../cli/terminal';
import { setTimeout as sleep } from 'node:timers/promises';
import { retentionScheduleId } from '../../../domain/core/retention';
import { connectClient, type EngineClient } from '../../../temporal/connection';

const sandboxToken = 'sandbox-token';
const creditSandboxToken = 'credit-sandbox-token';

export interface RunningSandbox {
  baseUrl: string;
  creditBaseUrl: string;
  process: ChildProcess;
}

export async function startSandboxProcess(
  environment: Environment,
  store: Store,
  { scenario, seed }: { scenario?: string; seed?: string },
): Promise<RunningSandbox> {
  await takeStoreForSandbox(environment, store);
  const { dataDir } = environment;
  const tokens = ['--token', sandboxToken, '--credit-token', creditSandboxToken];
  const args = ['--port', '0', ...tokens];
  if (scenario !== undefined) args.push('--scenario', scenario);
  if (seed !== undefined) args.push('--seed', seed);
  const log = engineLogPath(dataDir, 'sandbox');
  const { child, ready } = await startPart(['sandbox', ...args], log, { execArgv: [] });
  return { ...(ready as Addresses), process: child };
}

type Addresses = Pick<RunningSandbox, 'baseUrl' | 'creditBaseUrl'>;

function settingsOf({ baseUrl, creditBaseUrl }: Addresses): Record<string, string> {
  return {
    INVESTIGATION_BASE_URL: baseUrl,
    INVESTIGATION_TOKEN: sandboxToken,
    CREDIT_BASE_URL: creditBaseUrl,
    CREDIT_TOKEN: creditSandboxToken,
  };
}

/** For commands that call a service themselves: `engine`, `monitor update`, `doctor`. */
export function sandboxSettings(addresses: Addresses): string[] {
  return Object.entries(settingsOf(addresses)).map(([name, value]) => `export ${name}=${value}`);
}

export function whyNoSandbox({ investigation }: Environment): string {
  const set = investigation === null ? 'CREDIT_BASE_URL' : 'INVESTIGATION_BASE_URL';
  return `no sandbox: ${set} is set, and work goes to that service (\`dev --sandbox\` brings one)`;
}

const serviceVariables = ['INVESTIGATION_TOKEN', 'CERTIFICATES_TOKEN', 'CREDIT_TOKEN']
  .flatMap((name) => [name, `${name}_FILE`])
  .concat('INVESTIGATION_BASE_URL', 'CREDIT_BASE_URL');

/** Variables without service settings. Empty values: a missing one would be read from `.env`. */
export function withoutServices(variables: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...variables, ...Object.fromEntries(serviceVariables.map((name) => [name, ''])) };
}

/** Variables of a worker that uses the sandbox. */
export function variablesWith(
  sandbox: RunningSandbox,
  variables: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  const allowed = [variables['DILIGENCE_ALLOWED_HOSTS'], '127.0.0.1'].filter(Boolean);
  // Its files have their own port.
  const hosts = { DILIGENCE_ALLOWED_HOSTS: allowed.join(',') };
  return { ...withoutServices(variables), ...settingsOf(sandbox), ...hosts };
}

/**
 * Decodes payloads for the UI of the embedded server, at the address configured when the server started: for users of
 * this machine, and for the UI's own pages only.
 * @returns null when there is no UI, or the address is in use (then printed)
 */
export async function serveCodecForUi(
  environment: Environment,
  keys: KeyRing,
  { codecPort, uiPort, namespace }: DevServer,
): Promise<CodecServer | null> {
  if (codecPort === null || uiPort === null) return null;
  const dest = engineLogPath(environment.dataDir, 'codec-server');
  const { onServed } = codecLog(pino.destination({ dest, mkdir: true, mode: 0o600, sync: true }));
  try {
    return await serveCodec({
      listen: { host: '127.0.0.1', port: codecPort },
      codecs: codecsFor(keys, [namespace], environment.aadNamespace),
      origins: [`http://127.0.0.1:${uiPort}`, `http://localhost:${uiPort}`],
      access: null,
      onServed,
    });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    printNote(
      `the UI cannot show payloads: port ${codecPort} of its codec server is not to be had (${code ?? 'error'}); \`diligence stop\` and another start take another`,
    );
    return null;
  }
}

/** Resolves when nothing has run for this long; never without a bound. */
export async function idleFor(
  server: DevServer,
  dataDir: string,
  minutes: number | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (minutes === undefined) return new Promise(() => undefined);
  const { address, namespace } = server;
  // Counts running workflows, and reads no payload.
  const engine = await connectClient({
    connectionOptions: {},
    address,
    namespace,
    dataConverter: {},
  });
  const idleMs = minutes * 60_000;
  const lookEveryMs = Math.min(15_000, idleMs / 4);
  let busyAt = Date.now();
  while (!signal.aborted) {
    await sleep(lookEveryMs, undefined, { signal }).catch(() => undefined);
    if (await isBusy(engine)) busyAt = Date.now();
    const isOver = !signal.aborted && Date.now() - busyAt >= idleMs;
    if (isOver && (await retireIdleRecord(dataDir, idleMs))) {
      printNote(`nothing has run for ${minutes} minutes`);
      break;
    }
  }
  await engine.close();
}

/**
 * Whether jobs run, or a schedule will start some; the retention schedule catches up at the next
 * start. Unknown counts as busy.
 */
async function isBusy({ client }: EngineClient): Promise<boolean> {
  try {
    const running = await client.workflow.count("ExecutionStatus = 'Running'");
    if (running.count > 0) return true;
    for await (const { scheduleId, state } of client.schedule.list())
      if (!state.paused && scheduleId !== retentionScheduleId) return true;
    return false;
  } catch {
    return true;
  }
}
