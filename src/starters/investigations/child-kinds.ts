import type { JobKind as KindName } from '../../domain/job';
import { certificateKind } from '../certificates/kind';
import { analysisKind } from '../credit/kind';
import { dossierKind } from '../dossiers/kind';
import type { JobKind } from '../jobs/job-kind';
import { lensKind } from '../lens/kind';
import { sweepKind } from '../monitors/kind';
import { profileKind } from '../profiles/kind';
import { traceKind } from '../traces/kind';

const kinds = [
  certificateKind,
  analysisKind,
  dossierKind,
  lensKind,
  sweepKind,
  profileKind,
  traceKind,
] as readonly JobKind[];

export function childKindOf(name: KindName): JobKind {
  const found = kinds.find(({ kind }) => kind === name);
  if (found === undefined) throw new RangeError(`no step asks for jobs of kind ${name}`);
  return found;
}
