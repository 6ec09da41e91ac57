import { dossierWorks } from './dossiers/outcome';
import { dossierBatchWorks } from './dossiers/retry-failed';
import { inquiryBatchWorks } from './inquiry-batch-outcome';
import { lensWorks } from './lens/outcome';
import { monitorWorks } from './monitors/works';
import { profileWorks } from './profiles/outcome';
import { traceWorks } from './traces/outcome';
import type { WorkFamily } from './cli/work-family';

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
