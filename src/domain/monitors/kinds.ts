import { done, failed, type Cells, type KindFacts } from '../core/kind';
import type { SweepOutcome } from './sweep';

/** Later sweeps continue with what one has left. */
const statuses: Cells<SweepOutcome['status'] | 'cancelled'> = {
  swept: done,
  cancelled: done,
  interrupted: failed,
  partly: failed,
  failed,
};

const service = 'investigation';

export const monitorKinds = {
  'monitor-sweep': { service, statuses, root: 'sweeps', workflow: 'monitorSweep' },
  'monitor-scan': { service, statuses, root: 'scans', workflowParts: Infinity },
} satisfies Record<string, KindFacts>;
