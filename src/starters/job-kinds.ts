import type { JobKind as KindName } from '../domain/job';
import { certificateBatchKind, certificateKind, decisionKind } from './certificates/kind';
import { analysisKind } from './credit/kind';
import { dossierKind } from './dossiers/kind';
import type { JobKind } from './jobs/job-kind';
import { lensKind } from './lens/kind';
import { profileKind } from './profiles/kind';
import { traceKind } from './traces/kind';

/** A new kind of job adds itself here. */
export const kinds = [
  certificateKind,
  certificateBatchKind,
  decisionKind,
  analysisKind,
  profileKind,
  traceKind,
  lensKind,
  dossierKind,
] as readonly JobKind[];

export function kindOf(name: KindName): JobKind {
  const found = kinds.find(({ kind }) => kind === name);
  if (found === undefined) throw new RangeError(`jobs of kind ${name} are not registered`);
  return found;
}
