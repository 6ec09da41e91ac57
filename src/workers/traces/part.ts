import { createTraceActivities } from '../../activities/traces/traces';
import { TracesApi } from '../../apis/investigation/traces';
import type { InvestigationBase } from '../part';

export function traces({ common, service, timeoutMs, environment, metrics }: InvestigationBase) {
  const api = new TracesApi(service, environment.traceNames, timeoutMs);
  const deps = { ...common, traces: api, metrics: metrics.traces };
  return { activities: createTraceActivities(deps) };
}
