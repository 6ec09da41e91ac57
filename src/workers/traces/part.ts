import { createTraceActivities } from '../../activities/traces/traces';
import { TracesApi } from '../../apis/investigation/traces';
import type { InvestigationBase } from '../part';

export function traces({ common, service, timeoutMs, environment }: InvestigationBase) {
  const api = new TracesApi(service, environment.traceNames, timeoutMs);
  const deps = { ...common, traces: api };
  return { activities: createTraceActivities(deps) };
}
