import { dossierWorks } from './dossier-outcome';
import { profileWorks } from './profile-outcome';
import { traceWorks } from './trace-outcome';
import type { WorkFamily } from './work-family';

/** A new resource adds itself here. */
export const workFamilies: readonly WorkFamily[] = [profileWorks, dossierWorks, traceWorks];

export function familyOf(id: string): WorkFamily | undefined {
  return workFamilies.find((family) => family.owns(id));
}
