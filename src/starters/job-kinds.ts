import type { JobKind as KindName } from '../domain/job';
import { certificateBatchKind, certificateKind, decisionKind } from './certificates/kind';
import { analysisBatchKind } from './credit/batch-kind';
import { analysisKind } from './credit/kind';
import { dossierBatchKind } from './dossiers/batch-kind';
import { dossierKind } from './dossiers/kind';
import type { JobKind } from './jobs/job-kind';
import { lensKind } from './lens/kind';
import { scanKind, sweepKind } from './monitors/kind';
import { profileBatchKind } from './profiles/batch-kind';
import { profileKind } from './profiles/kind';
import { traceBatchKind } from './traces/batch-kind';
import { traceKind } from './traces/kind';

/** A new kind of job adds itself here. */
export const kinds = [
  certificateKind,
  certificateBatchKind,
  decisionKind,
  analysisKind,
  analysisBatchKind,
  profileKind,
  profileBatchKind,
  traceKind,
  traceBatchKind,
  lensKind,
  dossierKind,
  dossierBatchKind,
  sweepKind,
  scanKind,
] as readonly JobKind[];

export function kindOf(name: KindName): JobKind {
  const found = kinds.find(({ kind }) => kind === name);
  if (found === undefined) throw new RangeError(`jobs of kind ${name} are not registered`);
  return found;
}
