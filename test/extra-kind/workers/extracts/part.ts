import { createExtractActivities } from '../../activities/extracts/extracts';
import { ExtractsApi } from '../../apis/extracts/extracts';
import type { InvestigationBase } from '../part';

export function extracts({ common, service, timeoutMs }: InvestigationBase) {
  const api = new ExtractsApi(service, timeoutMs);
  return { activities: createExtractActivities({ ...common, extracts: api }) };
}
