/** Puts the sandbox together: one engine, and the resources that register their routes with it. */

import { createCertificates, type CertificateHeld } from './certificates/certificates';
import type { CertificateCounts } from './certificates/certificate-counts';
import { certificatePdf } from './certificates/certificate-pdf';
import { SandboxClock, type ClockMode } from './clock';
import { createCredit, creditBasePath, type CreditState } from './credit/credit';
import type { CreditReceived, OperationCounts } from './credit/credit-log';
import { parseCreditNames, type CreditNames, type CreditNamesInput } from './credit/credit-names';
import { controlPrefix, createControl } from './engine/control';
import { Credentials } from './engine/credentials';
import { listen } from './engine/http-server';
import { RateLimit } from './engine/rate-limit';
import { RequestLog, type ReceivedRequest } from './engine/request-log';
import { Router } from './engine/router';
import { addressOf, createService } from './engine/service';
import { FaultPlan } from './faults/fault-plan';
import type { MonitorCounts, MonitorReceived } from './monitors/monitor-log';
import { monitorsPath } from './monitors/monitor-routes';
import type { ChangeScriptInput } from './monitors/monitor-scenario';
import type { MonitorFields } from './monitors/monitor-shelf';
import { createMonitors, type ChangeHeld, type MonitorHeld } from './monitors/monitors';
import {
  parseScenario,
  patchScenario,
  type Scenario,
  type ScenarioInput,
  type ScenarioPatch,
} from './scenario';

export interface SandboxOptions {
  /** Default 127.0.0.1. */
  host?: string | undefined;
  /** Default 0: any free port. */
  port?: number | undefined;
  /** The token that works. Default `sandbox-token`. */
  token?: string | undefined;
  /** The token that works at the credit service. Default `credit-sandbox-token`. */
  creditToken?: string | undefined;
  /** Names of the credit service that its specification does not show. */
  creditNames?: CreditNamesInput | undefined;
  /** The same seed, scenario and requests give the same answers. Default 1. */
  seed?: number | undefined;
  scenario?: ScenarioInput | undefined;
  /** Default real. */
  clock?: ClockMode | undefined;
  /** Requests kept in the log; the oldest go first. Default 200,000. */
  receivedCapacity?: number | undefined;
  /** Issuances held; beyond it requests are refused with 507. Default 200,000. */
  certificateCapacity?: number | undefined;
  /** Operations held; beyond it uploads are refused with 507. Default 10,000. */
  operationCapacity?: number | undefined;
  /** Titulos held over all operations; beyond it likewise. Default 2,000,000. */
  tituloCapacity?: number | undefined;
  /** Changes held over all monitors; beyond it more are refused. Default 1,000,000. */
  changeCapacity?: number | undefined;
}

export interface SandboxState {
  /** Instant on the sandbox's clock. */
  at: string;
  certificates: CertificateHeld[];
}

export interface Sandbox {
  /** What INVESTIGATION_BASE_URL is set to. */
  baseUrl: string;
  /** What CREDIT_BASE_URL is set to. */
  creditBaseUrl: string;
  origin: string;
  port: number;
  clock: {
    /** Milliseconds since 1970. */
    now(): number;
    /** @throws RangeError */
    advance(ms: number): void;
    /** @throws RangeError */
    set(iso: string): void;
  };
  /** Merges into the scenario in force. Documents named in the patch begin their steps again. */
  configure(patch: ScenarioPatch): void;
  /** The scenario in force, everything filled in. */
  scenario(): Scenario;
  setToken(token: string, valid: boolean): void;
  state(): SandboxState;
  received(): ReceivedRequest[];
  counts(): CertificateCounts[];
  /** The credit service: a token, a log and counts of its own. */
  credit: {
    names: CreditNames;
    setToken(token: string, valid: boolean): void;
    state(): CreditState;
    received(): CreditReceived[];
    counts(): OperationCounts[];
  };
  /** Monitors: the token of the investigation service, a log and counts of their own. */
  monitors: {
    state(): MonitorHeld[];
    /** Of one monitor, or of all. */
    changes(monitorId?: string): ChangeHeld[];
    received(): MonitorReceived[];
    counts(): MonitorCounts;
    /** @returns their ids */
    addChanges(monitorId: string, changes: readonly ChangeScriptInput[]): string[];
    /** By another client: all that are open when none is named. @returns ids of those that moved */
    acknowledgeElsewhere(monitorId: string, changeIds?: readonly string[]): string[];
    /** What a read shows: status, health, subscription, `execution_allowed`, `blocking_reason`. */
    set(monitorId: string, fields: Partial<MonitorFields>): void;
  };
  /** As it was at the start: scenario, clock, tokens; nothing held, nothing received. */
  reset(): void;
  close(): Promise<void>;
}

const defaultCapacity = 200_000;
const defaultOperationCapacity = 10_000;
const defaultTituloCapacity = 2_000_000;
const defaultChangeCapacity = 1_000_000;
export const defaultCreditToken = 'credit-sandbox-token';

/**
 * @throws ScenarioError when the scenario, or the names of the credit service, cannot be used.
 * @throws RangeError when a token is empty.
 * @throws Error of node:net (EADDRINUSE, EACCES) when the address cannot be listened on.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { host = '127.0.0.1', seed = 1, token = 'sandbox-token' } = options;
  const { creditToken = defaultCreditToken } = options;
  if (token === '' || creditToken === '') {
    throw new RangeError('sandbox: the token is empty; expected any other text');
  }
  const creditNames = parseCreditNames(options.creditNames ?? {});
  const firstScenario = parseScenario(options.scenario ?? {});
  let scenario = firstScenario;
  const inForce = () => scenario;

  const clock = new SandboxClock(options.clock ?? 'real');
  const faults = new FaultPlan(seed, inForce);
  const credentials = new Credentials(token);
  const log = new RequestLog(options.receivedCapacity ?? defaultCapacity);
  const rateLimit = new RateLimit(clock, () => scenario.rateLimitPerSecond);
  const certificates = createCertificates({
    seed,
    clock,
    scenario: inForce,
    faults,
    pdf: await certificatePdf(),
    capacity: options.certificateCapacity ?? defaultCapacity,
  });
  const router = new Router(certificates.routes);
  const service = createService({
    seed,
    clock,
    scenario: inForce,
    router,
    credentials,
    rateLimit,
    faults,
    log,
  });

  const credit = createCredit({
    seed,
    clock,
    scenario: inForce,
    names: creditNames,
    token: creditToken,
    operationCapacity: options.operationCapacity ?? defaultOperationCapacity,
    tituloCapacity: options.tituloCapacity ?? defaultTituloCapacity,
    receivedCapacity: options.receivedCapacity ?? defaultCapacity,
  });

  const monitors = createMonitors({
    seed,
    clock,
    scenario: inForce,
    credentials,
    changeCapacity: options.changeCapacity ?? defaultChangeCapacity,
    receivedCapacity: options.receivedCapacity ?? defaultCapacity,
  });

  const configure = (patch: unknown) => {
    scenario = patchScenario(scenario, patch);
    const { documents, credit: creditPatch, monitors: monitorPatch } = patch as ScenarioPatch;
    if (documents !== undefined) faults.restart(Object.keys(documents));
    if (creditPatch !== undefined) credit.restartFaults();
    if (monitorPatch !== undefined) monitors.patched(monitorPatch);
  };
  const replaceScenario = (replacement: unknown) => {
    scenario = parseScenario(replacement);
    faults.restart();
    credit.restartFaults();
    monitors.patched({ seeded: {} });
  };
  const state = (): SandboxState => ({ at: clock.isoNow(), certificates: certificates.held() });
  const setToken = (named: string, valid: boolean) => credentials.setValid(named, valid);
  const reset = () => {
    scenario = firstScenario;
    clock.reset();
    faults.restart();
    credentials.reset();
    rateLimit.reset();
    certificates.reset();
    log.clear();
    credit.reset();
    monitors.reset();
  };

  const serveControl = createControl({
    health: () => ({ status: 'ok', seed, clock: clock.mode, now: clock.isoNow() }),
    state,
    received: () => log.received(),
    clearReceived: () => log.clear(),
    counts: () => certificates.counts(),
    scenario: inForce,
    replaceScenario,
    configure,
    clock,
    setToken,
    credit,
    monitors,
    reset,
  });
  const server = await listen({ host, port: options.port ?? 0 }, (request, response) => {
    const { path, query } = addressOf(request);
    if (path.startsWith(controlPrefix)) return serveControl(request, response, path);
    if (path.startsWith(`${monitorsPath}/`)) return monitors.serve(request, response, path, query);
    return path.startsWith('/credit/')
      ? credit.serve(request, response, path, query)
      : service.serve(request, response);
  });

  const origin = `http://${host.includes(':') ? `[${host}]` : host}:${server.port}`;
  return {
    baseUrl: `${origin}/api/v1`,
    creditBaseUrl: `${origin}${creditBasePath}`,
    origin,
    port: server.port,
    clock: {
      now: () => clock.now(),
      advance: (ms) => clock.advance(ms),
      set: (iso) => clock.set(iso),
    },
    configure,
    scenario: inForce,
    setToken,
    state,
    received: () => log.received(),
    counts: () => certificates.counts(),
    credit: {
      names: creditNames,
      setToken: credit.setToken,
      state: credit.state,
      received: credit.received,
      counts: credit.counts,
    },
    monitors: {
      state: monitors.state,
      changes: monitors.changes,
      received: monitors.received,
      counts: monitors.counts,
      addChanges: monitors.addChanges,
      acknowledgeElsewhere: (monitorId, changeIds) =>
        monitors.acknowledgeElsewhere({ monitorId, changeIds: changeIds && [...changeIds] })
          .acknowledged,
      set: (monitorId, set) => void monitors.set({ monitorId, set }),
    },
    reset,
    close: async () => {
      const closed = server.close();
      clock.reset();
      await closed;
    },
  };
}
