/** The credit-analysis service: its routes, and the operations and engines that it holds. */

import { createHash } from 'node:crypto';
import { plainProblem, Refusal } from '../http/answer';
import { Credentials } from '../http/credentials';
import type { Request } from '../http/request';
import { createService } from '../http/service';
import type { PreparedCall, ResourceParts, Route } from '../http/service';
import { underReview, without, withExtraFields, type Corruption } from '../http/corruptions';
import { creditRoles, type CreditNames, type CreditStage } from './credit-scenario';
import { createEngines, engineOnWire } from './engines';
import { openApiDocument } from './openapi-document';
import { createOperations } from './operations';

/** The base address ends in the version, and the paths begin with it again, as documented. */
export const creditBasePath = '/credit/api/v1';
const prefix = `${creditBasePath}/v1`;

interface CreditParts extends Omit<ResourceParts, 'credentials'> {
  token: string;
  names: CreditNames;
}

export function createCredit(parts: CreditParts) {
  const { names, seed } = parts;
  const scenario = () => parts.scenario().credit;
  const credentials = new Credentials(parts.token);
  const engines = createEngines(seed);
  const operations = createOperations({ ...parts, prefix, scenario, engines });
  const service = createService<CreditStage>({
    ...parts,
    credentials,
    name: 'credit',
    paths: ['/credit'],
    roles: creditRoles,
    section: scenario,
    refusal: plainProblem,
    corruptions: corruptionsIn(names),
    scriptOf: operations.scriptOf,
    isNamed: operations.isNamed,
    routes: (plan) => [
      ...operations.routes(plan),
      ...engines.routes(prefix, names),
      specificationRoute(names),
    ],
  });

  return {
    ...service,
    names,
    counts: operations.counts,
    state: () => ({ operations: operations.held(), engines: engines.all().map(engineOnWire) }),
    setToken: (token: string, valid: boolean) => credentials.setValid(token, valid),
  };
}

/** Operations have their id and status in fields that can be renamed; engines have `id`. */
function corruptionsIn({ idField, statusField }: CreditNames): Record<string, Corruption> {
  return {
    missing_id: (json) => without(json, idField in json ? idField : 'id'),
    unknown_status: (json) => ({ ...json, [statusField]: underReview({})['status'] }),
    // Extra fields within a schema would be fields of what it describes.
    extra_fields: (json) =>
      'openapi' in json ? { ...json, 'x-campo-novo': true } : withExtraFields(json),
  };
}

/** The only call that needs no token. */
function specificationRoute(names: CreditNames): Route<CreditStage> {
  const json = openApiDocument(names, creditBasePath);
  const sum = createHash('sha256').update(JSON.stringify(json)).digest('hex');
  const headers = { etag: `"${sum.slice(0, 32)}"`, 'cache-control': 'no-cache' };
  const prepare = ({ headers: asked }: Request): PreparedCall => {
    if (names.document === 'none')
      throw new Refusal(404, 'not_found', 'There is no specification.');
    const isKnown = asked['if-none-match'] === headers.etag;
    const act = () => (isKnown ? { status: 304, headers } : { status: 200, headers, json });
    return { subject: '', id: null, act };
  };
  return ['GET', `${prefix}/openapi.json`, 'specification', prepare, { auth: 'open' }];
}
