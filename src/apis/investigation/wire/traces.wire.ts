import { z } from 'zod';
import { traceStates, type Trace } from '../../../domain/traces/trace';
import { ContractError, type CallName } from '../../http/errors';
import { parseJson } from '../../http/problem';
import {
  asItCame,
  billing,
  failure,
  flag,
  id,
  isSameId,
  jsonApiResource,
  listAsItCame,
  parseWire,
  pollAfterMs,
  stateOf,
  reported,
} from './wire-fields';

/** The service's shape of a trace search (specification: "Trace search"), and ours. */
export const traceWire = z
  .object({
    id,
    status: reported,
    type: reported,
    target: reported,
    strategy: reported,
    partial: flag,
    coverage: asItCame,
    billing,
    artifacts: listAsItCame,
    result: asItCame,
    failure,
    poll_after_seconds: pollAfterMs,
    created_at: reported,
    updated_at: reported,
    started_at: reported,
    completed_at: reported,
  })
  .transform((wire): Trace => ({
    traceId: wire.id,
    state: stateOf(traceStates, wire.status),
    statusWord: wire.status,
    type: wire.type,
    target: wire.target,
    strategy: wire.strategy,
    partial: wire.partial,
    coverage: wire.coverage,
    billing: wire.billing,
    artifacts: wire.artifacts ?? [],
    result: wire.result,
    failure: wire.failure,
    pollAfterMs: wire.poll_after_seconds,
    createdAt: wire.created_at,
    updatedAt: wire.updated_at,
    startedAt: wire.started_at,
    completedAt: wire.completed_at,
  }));

/**
 * @param traceId the requested search; null: just created
 * @throws ContractError when the body is not JSON, lacks a required field, or is about another search
 */
export function traceFromWire(call: CallName, traceId: string | null, body: Buffer): Trace {
  const answer = parseJson(body);
  // An id in hand is never thrown away.
  const created = traceId === null ? jsonApiResource(answer) : null;
  const trace = parseWire(traceWire, call, created ?? answer);
  if (traceId === null || isSameId(trace.traceId, traceId)) return trace;
  throw new ContractError(call, [{ path: 'id', code: 'another_search' }]);
}
