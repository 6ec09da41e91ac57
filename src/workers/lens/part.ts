import { createLensActivities } from '../../activities/lens/lens';
import { LensApi } from '../../apis/investigation/lens';
import type { InvestigationBase } from '../part';

export function lens({ common, service, timeoutMs, environment }: InvestigationBase) {
  const api = new LensApi(service, environment.lens, timeoutMs);
  const deps = { ...common, lens: api };
  return { activities: createLensActivities(deps) };
}
