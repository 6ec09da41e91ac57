import { dossierWorks } from './dossiers/outcome';
import { batchFamily } from './cli/batch';
import { analysisBatches } from './credit/batch';
import { dossierBatches } from './dossiers/batch';
import { lensWorks } from './lens/outcome';
import { monitorWorks } from './monitors/works';
import { profileBatches } from './profiles/batch';
import { profileWorks } from './profiles/outcome';
import { traceBatches } from './traces/batch';
import { traceWorks } from './traces/outcome';
import type { WorkFamily } from './cli/work-family';

/** A new resource adds itself here. */
const workFamilies: readonly WorkFamily[] = [
  profileWorks,
  dossierWorks,
  traceWorks,
  lensWorks,
  ...[traceBatches, profileBatches, analysisBatches, dossierBatches].map(batchFamily),
  monitorWorks,
];

export function familyOf(id: string): WorkFamily | undefined {
  return workFamilies.find((family) => family.owns(id));
}
