import type { createDossierActivities } from '../../activities/dossiers/dossiers';
import type { createDossierReportActivities } from '../../activities/dossiers/reports';
import { jobActivities } from '../core/job-activities';
import type { JobWorkflowInput } from '../inputs';

type Activities = ReturnType<typeof createDossierActivities> &
  ReturnType<typeof createDossierReportActivities>;

export function dossierActivities(input: JobWorkflowInput) {
  return jobActivities<Activities>('investigation', input);
}
