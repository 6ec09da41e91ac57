import type { CreditAssumptions } from '../assumptions';
import type { Service } from '../http/service';
import { EnginesApi } from './engines';
import { OperationsApi } from './operations';
import { SpecificationApi } from './specification';

/** Everything but an upload and a result is small: a slower response is lost. */
const longestReadMs = 30_000;

export interface CreditApi {
  service: Service;
  specification: SpecificationApi;
  operations: OperationsApi;
  engines: EnginesApi;
}

/** @param timeoutMs total time of one upload or one result */
export function creditApi(
  service: Service,
  assumptions: CreditAssumptions,
  timeoutMs: number,
): CreditApi {
  const readTimeoutMs = Math.min(timeoutMs, longestReadMs);
  const specification = new SpecificationApi(service, assumptions, readTimeoutMs);
  return {
    service,
    specification,
    operations: new OperationsApi(service, specification, { timeoutMs, readTimeoutMs }),
    engines: new EnginesApi(service, readTimeoutMs),
  };
}
