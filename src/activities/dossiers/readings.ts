import type { JobRef } from '../../domain/core/job-record';
import { DossierRepository } from '../../store/dossiers/dossiers';
import type { Dossier } from '../../domain/dossiers/dossier';
import { statusOf, type DossierSight } from '../../domain/dossiers/follow';
import { type Reading } from '../core/poll-until-settled';

/** One 404 does not prove that a dossier read before is gone. */
export const refusalPatienceMs = 2 * 60_000;

/** For audit entries. */
export async function actorOf(file: DossierRepository, { folder, jobId }: JobRef) {
  return { jobId, createdBy: (await file.record(folder))?.createdBy ?? 'unknown' };
}

export function unsettled(
  dossier: Dossier,
  sight: DossierSight,
): Extract<Reading<DossierSight>, { kind: 'unsettled' }> {
  return {
    kind: 'unsettled',
    value: sight,
    status: statusOf(sight),
    unknownWord: sight.state === 'unknown' ? sight.statusWord : null,
    pollAfterMs: dossier.pollAfterMs,
    details: dossier.coverage,
  };
}
