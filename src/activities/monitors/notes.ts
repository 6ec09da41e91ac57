import type { SweepNote } from '../../domain/monitors/watch';
import { MonitorListRepository } from '../../store/monitors/lists';
import type { MonitorDependencies } from '../dependencies';

export interface NotesInput {
  /** Those that have ended. */
  sweeps: readonly SweepNote[];
}

/** Puts on file what sweeps left, in place of what earlier ones had. */
export function createMonitorNoteActivities({
  store,
  warn,
}: Pick<MonitorDependencies, 'store' | 'warn'>) {
  const lists = new MonitorListRepository(store);

  async function noteSweeps({ sweeps }: NotesInput): Promise<void> {
    const left = await lists.left(sweeps.map(({ monitorId }) => monitorId));
    const before = new Map(left.map(({ monitorId, why }) => [monitorId, why]));
    for (const { monitorId, fault } of sweeps) {
      // Once, not at every pass.
      if (fault !== null && before.get(monitorId)?.startsWith(fault) !== true) {
        warn('a sweep ended with a fault', { monitor: monitorId, why: fault });
      }
    }
    await lists.putLeft(sweeps);
  }

  return { noteSweeps };
}
