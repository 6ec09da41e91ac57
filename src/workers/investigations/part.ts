import { createInvestigationActivities } from '../../activities/investigations/investigations';
import type { InvestigationBase } from '../part';

export function investigations({ common, idKey }: InvestigationBase) {
  return { activities: createInvestigationActivities({ ...common, idKey }) };
}
