import type { z } from 'zod';
import { traceStates } from '../../../domain/traces/search';
import { camel, flag, idText } from '../../http/tolerant';
import {
  asItCame,
  billing,
  failure,
  listAsItCame,
  pollAfterMs,
  reported,
  stateOf,
} from './wire-fields';

/** The service's shape of a trace search (specification: "Trace search"), and ours. */
export const traceWire = camel({
  id: idText,
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
}).transform(({ artifacts, id: traceId, pollAfterSeconds, status, ...wire }) => ({
  ...wire,
  traceId,
  ...stateOf(traceStates, status),
  artifacts: artifacts ?? [],
  pollAfterMs: pollAfterSeconds,
}));

export type Trace = z.infer<typeof traceWire>;
