import type { WaitReason, WaitScope } from '../../domain/attention';
import type { Store } from '../../store/store';

/** Stores why workflows wait: readable with no worker running. */
export function createWaitingActivities({ store }: { store: Store }) {
  return {
    /** Idempotent; `reason` null: no person is needed. */
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
