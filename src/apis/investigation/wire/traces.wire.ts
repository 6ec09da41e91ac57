import { traceStates, type Trace } from '../../../domain/traces/trace';
import type { CallName } from '../../http/errors';
import { camel, flag } from '../../http/tolerant';
import {
  asItCame,
  billing,
  failure,
  id,
  listAsItCame,
  pollAfterMs,
  reported,
  resourceFromWire,
  stateOf,
} from './wire-fields';

/** The service's shape of a trace search (specification: "Trace search"), and ours. */
export const traceWire = camel({
  id,
  status: reported,
  type: reported,
  target: reported,
  strategy: reported,
  partial: flag,
  coverage: asItCame,
  billing,
  artifacts: listAsItCame,
  failure,
  poll_after_seconds: pollAfterMs,
  created_at: reported,
  completed_at: reported,
}).transform(({ artifacts, id: traceId, pollAfterSeconds, status, ...wire }): Trace => ({
  ...wire,
  traceId,
  ...stateOf(traceStates, status),
  artifacts: artifacts ?? [],
  pollAfterMs: pollAfterSeconds,
}));

/**
 * @param traceId the requested search; null: just created
 * @throws ContractError as `resourceFromWire`
 */
export function traceFromWire(call: CallName, traceId: string | null, answer: unknown): Trace {
  return resourceFromWire(traceWire, call, answer, ['traceId', traceId]);
}
