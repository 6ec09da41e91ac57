import type { createDossierActivities } from '../../activities/dossiers/dossiers';
import type { createDossierReportActivities } from '../../activities/dossiers/reports';

export type Activities = ReturnType<typeof createDossierActivities> &
  ReturnType<typeof createDossierReportActivities>;
