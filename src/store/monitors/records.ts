import type { NameOf } from '../core/subjects';
import type { Store } from '../store';
import { ChangeRepository } from './changes';
import { MonitorListRepository } from './lists';
import { MonitorRepository } from './monitors';
import { PassRepository, scanJobs, sweepJobs } from './passes';
import { UnreadableItemRepository } from './unreadable-items';

export type MonitorRecords = ReturnType<typeof monitorRecords>;

/** @param nameOf keyed name of a document */
export function monitorRecords(store: Store, nameOf: NameOf) {
  return {
    changes: new ChangeRepository(store, nameOf),
    monitors: new MonitorRepository(store, nameOf),
    unreadable: new UnreadableItemRepository(store, nameOf),
    lists: new MonitorListRepository(store),
    sweeps: new PassRepository(store, sweepJobs),
    scans: new PassRepository(store, scanJobs),
  };
}
