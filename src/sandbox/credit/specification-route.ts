/** The call for the published specification; the only one that needs no token. */

import { createHash } from 'node:crypto';
import { Refusal } from '../engine/problem';
import type { CreditFaultPlan } from './credit-fault-plan';
import type { CreditNames } from './credit-names';
import type { CreditRequest, CreditRoute, PreparedCreditCall } from './credit-service';
import { openApiDocument } from './openapi-document';

export interface SpecificationParts {
  basePath: string;
  /** Path below which the route stands. */
  prefix: string;
  names: CreditNames;
  faults: CreditFaultPlan;
}

export function specificationRoute(parts: SpecificationParts): CreditRoute {
  const { basePath, faults, names, prefix } = parts;
  const json = openApiDocument(names, basePath);
  const sum = createHash('sha256').update(JSON.stringify(json)).digest('hex');
  const headers = { etag: `"${sum.slice(0, 32)}"`, 'cache-control': 'no-cache' };

  async function prepare({ incoming }: CreditRequest): Promise<PreparedCreditCall> {
    if (names.document === 'none') {
      throw new Refusal(404, 'not_found', 'There is no specification.');
    }
    const isKnown = incoming.headers['if-none-match'] === headers.etag;
    return {
      trouble: () => faults.nextOf('specification'),
      act: (trouble) => {
        if (isKnown) return { status: 304, headers, body: null };
        const told = trouble?.kind === 'extra_fields' ? { ...json, 'x-campo-novo': true } : json;
        return { status: 200, headers, body: { json: told } };
      },
    };
  }

  return { method: 'GET', path: `${prefix}/openapi.json`, isOpen: true, query: [], prepare };
}
