import type { MonitorDependencies } from '../activities/dependencies';
import type { ProfileDependencies } from '../activities/profiles';
import { ProfilesApi } from '../apis/investigation/profile';

/** The part of the composition root for profiles: on the service of monitors, whose rate they share. */
export function profileDependencies(
  { monitors, archive, audit, nameOf, warn, now, random }: MonitorDependencies,
  { stopping }: { stopping: AbortSignal },
): ProfileDependencies {
  const { service, timeoutMs } = monitors;
  return {
    profiles: new ProfilesApi(service, timeoutMs),
    archive,
    audit,
    nameOf,
    stopping,
    warn,
    now,
    random,
  };
}
