import type { createDossierActivities } from '../../activities/dossiers/dossiers';
import type { createDossierReportActivities } from '../../activities/dossiers/reports';
import { jobActivities } from '../core/job-activities';

type Activities = ReturnType<typeof createDossierActivities> &
  ReturnType<typeof createDossierReportActivities>;

export function dossierActivities(queueSuffix: string, interactive: boolean) {
  return jobActivities<Activities>('investigation', queueSuffix, interactive);
}
