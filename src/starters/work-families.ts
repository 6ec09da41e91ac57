import { dossierWorks } from './dossier-outcome';
import { dossierBatchWorks } from './dossier-retry-failed';
import { inquiryBatchWorks } from './inquiry-batch-outcome';
import { lensWorks } from './lens-outcome';
import { monitorWorks } from './monitor-works';
import { profileWorks } from './profile-outcome';
import { traceWorks } from './trace-outcome';
import type { WorkFamily, WorksById } from './work-family';

/** Those that `list` shows. A new resource adds itself here. */
export const workFamilies: readonly WorkFamily[] = [
  profileWorks,
  dossierWorks,
  dossierBatchWorks,
  traceWorks,
  lensWorks,
  inquiryBatchWorks,
];

export function familyOf(id: string): WorksById | undefined {
  return [...workFamilies, monitorWorks].find((family) => family.owns(id));
}
