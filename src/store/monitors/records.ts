import type { Store } from '../store';
import { ChangeRepository } from './changes';
import { MonitorListRepository } from './lists';
import { MonitorRepository } from './monitors';
import {
  scanRepository,
  sweepRepository,
  type ScanRepository,
  type SweepRepository,
} from './passes';
import { UnreadableItemRepository } from './unreadable-items';

export interface MonitorRecords {
  changes: ChangeRepository;
  monitors: MonitorRepository;
  unreadable: UnreadableItemRepository;
  lists: MonitorListRepository;
  sweeps: SweepRepository;
  scans: ScanRepository;
}

/** @param nameOf keyed name of a document */
export function monitorRecords(store: Store, nameOf: (text: string) => string): MonitorRecords {
  return {
    changes: new ChangeRepository(store, nameOf),
    monitors: new MonitorRepository(store, nameOf),
    unreadable: new UnreadableItemRepository(store, nameOf),
    lists: new MonitorListRepository(store),
    sweeps: sweepRepository(store),
    scans: scanRepository(store),
  };
}
