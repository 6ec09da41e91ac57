import type { WaitReason, WaitScope } from '../../domain/attention';
import type { Store } from '../../store/store';

/** What workflows say of themselves in the store: people read it with no worker running. */
export function createWaitingActivities({ store }: { store: Store }) {
  return {
    /** Repeated, it notes the same; `reason` null: nobody is needed any more. */
    async noteWaiting(note: {
      folder: string;
      source: string;
      reason: WaitReason | null;
      about: WaitScope;
    }): Promise<void> {
      const { about, folder, source, reason } = note;
      await store.inbox.wait(folder, source, reason, new Date().toISOString(), about);
    },
  };
}
