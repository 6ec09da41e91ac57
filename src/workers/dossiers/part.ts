import { createDossierActivities } from '../../activities/dossiers/dossiers';
import { createDossierReportActivities } from '../../activities/dossiers/reports';
import { DossiersApi } from '../../apis/investigation/dossiers';
import type { InvestigationBase } from '../part';

export function dossiers({ common, service, timeoutMs, environment }: InvestigationBase) {
  const api = new DossiersApi(service, environment.dossierNames, timeoutMs);
  const deps = { ...common, dossiers: api };
  return {
    activities: { ...createDossierActivities(deps), ...createDossierReportActivities(deps) },
  };
}
