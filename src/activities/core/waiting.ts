import type { WaitReason } from '../../domain/attention';
import type { Store } from '../../store/store';

/** What workflows say of themselves in the store: people read it with no worker running. */
export function createWaitingActivities({ store }: { store: Store }) {
  return {
    /** Repeated, it notes the same; `reason` null: nobody is needed any more. */
    async noteWaiting(note: {
      folder: string;
      source: string;
      reason: WaitReason | null;
      /** That it is about; null: it is about no rows. */
      rows: number | null;
    }): Promise<void> {
      const { folder, source, reason, rows } = note;
      await store.inbox.wait(folder, source, reason, new Date().toISOString(), rows);
    },
  };
}
