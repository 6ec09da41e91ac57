import { dossierWorks } from './dossier-outcome';
import { dossierBatchWorks } from './dossier-retry-failed';
import { inquiryBatchWorks } from './inquiry-batch-outcome';
import { lensWorks } from './lens-outcome';
import { monitorWorks } from './monitor-works';
import { profileWorks } from './profile-outcome';
import { traceWorks } from './trace-outcome';
import type { WorkFamily } from './work-family';

/** A new resource adds itself here. */
const workFamilies: readonly WorkFamily[] = [
  profileWorks,
  dossierWorks,
  dossierBatchWorks,
  traceWorks,
  lensWorks,
  inquiryBatchWorks,
  monitorWorks,
];

export function familyOf(id: string): WorkFamily | undefined {
  return workFamilies.find((family) => family.owns(id));
}
