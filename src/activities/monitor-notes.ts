import { MonitorPasses } from '../archive/monitor-passes';
import type { SweepNote } from '../domain/monitors/watch';
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
  archive,
  warn,
}: Pick<MonitorDependencies, 'archive' | 'warn'>) {
  const passes = new MonitorPasses(archive);

  async function noteSweeps({ list, page, sweeps }: NotesInput): Promise<void> {
    const pass = await passes.pass(list, page);
    if (pass === null) return;
    const before = new Map(pass.left?.map(({ monitorId, why }) => [monitorId, why]));
    const left = new Map(before);
    for (const { monitorId, left: words, fault } of sweeps) {
      if (words.length === 0) left.delete(monitorId);
      else left.set(monitorId, words.join('; '));
      // Once, not at every pass.
      if (fault !== null && before.get(monitorId)?.startsWith(fault) !== true) {
        warn('a sweep ended with a fault', { monitor: monitorId, why: fault });
      }
    }
    const entries = [...left].map(([monitorId, why]) => ({ monitorId, why }));
    await passes.putPass(list, page, { ...pass, left: entries });
  }

  return { noteSweeps };
}
