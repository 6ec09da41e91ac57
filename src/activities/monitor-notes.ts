import type { SweepNote } from '../domain/monitors/watch';
import { MonitorListRepository } from '../store/monitors/lists';
import type { MonitorDependencies } from './dependencies';

export interface NotesInput {
  /** Name of the list of monitors. */
  list: string;
  page: number;
  /** Of the page: those that have ended. */
  sweeps: readonly SweepNote[];
}

/** Puts into the pass on file what the sweeps of a page left, in place of what earlier ones had. */
export function createMonitorNoteActivities({
  store,
  warn,
}: Pick<MonitorDependencies, 'store' | 'warn'>) {
  const lists = new MonitorListRepository(store);

  async function noteSweeps({ list, page, sweeps }: NotesInput): Promise<void> {
    const pass = await lists.look(list, page);
    if (pass === null) return;
    const before = new Map(pass.left?.map(({ monitorId, why }) => [monitorId, why]));
    for (const { monitorId, fault } of sweeps) {
      // Once, not at every pass.
      if (fault !== null && before.get(monitorId)?.startsWith(fault) !== true) {
        warn('a sweep ended with a fault', { monitor: monitorId, why: fault });
      }
    }
    await lists.putLeft(list, page, sweeps);
  }

  return { noteSweeps };
}
