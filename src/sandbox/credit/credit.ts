/** The credit-analysis service: its routes, and the operations and engines that it holds. */

import type { SandboxClock } from '../clock';
import type { JsonObject } from '../engine/answer';
import { Credentials } from '../engine/credentials';
import { RateLimit } from '../engine/rate-limit';
import { Router } from '../engine/router';
import type { Scenario } from '../scenario';
import { CreditFaultPlan } from './credit-fault-plan';
import { CreditLog, type CreditReceived } from './credit-log';
import type { CreditNames } from './credit-names';
import { createCreditService } from './credit-service';
import { engineRoutes } from './engine-routes';
import { engineOnWire, EngineShelf } from './engines';
import { createOperations, type OperationHeld } from './operation-routes';
import { specificationRoute } from './specification-route';

/** The base address ends in the version, and the paths begin with it again, as documented. */
export const creditBasePath = '/credit/api/v1';
const prefix = `${creditBasePath}/v1`;
const engineCapacity = 10_000;

export interface CreditParts {
  seed: number;
  clock: SandboxClock;
  scenario(): Scenario;
  names: CreditNames;
  token: string;
  /** Operations, and titulos over all of them, held at most; beyond it uploads are refused. */
  operationCapacity: number;
  tituloCapacity: number;
  receivedCapacity: number;
}

export interface CreditState {
  operations: OperationHeld[];
  engines: JsonObject[];
}

export function createCredit(parts: CreditParts) {
  const { clock, names, seed } = parts;
  const scenario = () => parts.scenario().credit;
  const credentials = new Credentials(parts.token);
  const faults = new CreditFaultPlan(seed, scenario);
  const log = new CreditLog(parts.receivedCapacity);
  const rateLimit = new RateLimit(clock, () => scenario().rateLimitPerSecond);
  const engines = new EngineShelf(seed, engineCapacity);
  const { operationCapacity, tituloCapacity } = parts;
  const operations = createOperations({
    prefix,
    seed,
    clock,
    scenario,
    names,
    faults,
    engines,
    operationCapacity,
    tituloCapacity,
  });
  const service = createCreditService({
    seed,
    clock,
    latencyMs: () => parts.scenario().latencyMs,
    router: new Router([
      ...operations.routes,
      ...engineRoutes({ prefix, names, faults, engines }),
      specificationRoute({ basePath: creditBasePath, prefix, names, faults }),
    ]),
    credentials,
    rateLimit,
    log,
  });

  return {
    serve: service.serve,
    received: (): CreditReceived[] => log.received(),
    clearReceived: () => log.clear(),
    counts: operations.counts,
    state: (): CreditState => ({
      operations: operations.held(),
      engines: engines.all().map(engineOnWire),
    }),
    setToken: (token: string, valid: boolean) => credentials.setValid(token, valid),
    restartFaults: () => faults.restart(),
    reset(): void {
      operations.reset();
      engines.reset();
      log.clear();
      faults.restart();
      credentials.reset();
      rateLimit.reset();
    },
  };
}
