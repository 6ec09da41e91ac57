/** Bodies of the control routes of monitors. */

import { z } from 'zod';
import { section } from '../scenario-parts';
import { changeScript, monitorFields } from './monitor-scenario';

export const changesBody = z.strictObject({
  monitorId: z.string(),
  changes: z.array(changeScript).min(1),
});
export const acknowledgeBody = z.strictObject({
  monitorId: z.string(),
  /** All that are open, when left out. */
  changeIds: z.array(z.string()).optional(),
});
export const monitorBody = z.strictObject({ monitorId: z.string(), set: section(monitorFields) });
