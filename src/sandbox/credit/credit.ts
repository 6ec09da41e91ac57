/** The credit-analysis service: its routes, and the operations and engines that it holds. */

import { firstSteps } from '../faults/fault-scenario';
import type { JsonObject } from '../http/answer';
import { Credentials } from '../http/credentials';
import { plainProblem } from '../http/refusal';
import { createService, type ResourceParts } from '../http/service';
import { underReview, without, type Spoilings } from '../http/spoilt-answer';
import type { CreditNames } from './credit-names';
import { creditRoles, isOfOperation, type CreditStage } from './credit-scenario';
import { engineRoutes, specificationRoute } from './engine-routes';
import { engineOnWire, EngineShelf } from './engines';
import { createOperations, type OperationHeld, type OperationParts } from './operation-routes';

/** The base address ends in the version, and the paths begin with it again, as documented. */
export const creditBasePath = '/credit/api/v1';
const prefix = `${creditBasePath}/v1`;
const engineCapacity = 10_000;

interface CreditParts
  extends Omit<ResourceParts, 'credentials'>, Pick<OperationParts, 'names' | 'capacity'> {
  token: string;
}

export interface CreditState {
  operations: OperationHeld[];
  engines: JsonObject[];
}

export function createCredit(parts: CreditParts) {
  const { names, seed } = parts;
  const scenario = () => parts.scenario().credit;
  const credentials = new Credentials(parts.token);
  const engines = new EngineShelf(seed, engineCapacity);
  const operations = createOperations({ ...parts, prefix, scenario, engines });
  const { reset, ...service } = createService<CreditStage>({
    ...parts,
    credentials,
    name: 'credit',
    roles: creditRoles,
    section: scenario,
    refusal: plainProblem,
    spoilings: spoilingsIn(names),
    stepsOf: (stage, { subject: sha256, variant: name = '' }) => {
      if (!isOfOperation(stage)) return firstSteps(scenario().calls[stage]);
      const steps = operations.scriptOf({ sha256, name })?.[stage];
      return operations.isNamed({ sha256, name }) ? steps : firstSteps(steps);
    },
    routes: (plan) => [
      ...operations.routes(plan),
      ...engineRoutes(prefix, names, engines),
      specificationRoute(creditBasePath, prefix, names),
    ],
  });

  return {
    ...service,
    paths: ['/credit'],
    names,
    counts: operations.counts,
    state: (): CreditState => ({
      operations: operations.held(),
      engines: engines.all().map(engineOnWire),
    }),
    setToken: (token: string, valid: boolean) => credentials.setValid(token, valid),
    patched: (): void => service.restartFaults(),
    reset(): void {
      reset();
      operations.reset();
      engines.reset();
      credentials.reset();
    },
  };
}

/** Operations have their id and status in fields that can be renamed; engines have `id`. */
function spoilingsIn({ idField, statusField }: CreditNames): Spoilings {
  return {
    missing_id: (json) => without(json, idField in json ? idField : 'id'),
    unknown_status: (json) => ({ ...json, [statusField]: underReview({})['status'] }),
  };
}
