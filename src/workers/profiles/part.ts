import { createProfileActivities } from '../../activities/profiles/profiles';
import { ProfilesApi } from '../../apis/investigation/profile';
import type { InvestigationBase } from '../part';

export function profiles({ common, service, timeoutMs }: InvestigationBase) {
  const api = new ProfilesApi(service, timeoutMs);
  const deps = { ...common, profiles: api };
  return { activities: createProfileActivities(deps) };
}
