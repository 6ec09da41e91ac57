import { CancellationScope, workflowInfo } from '@temporalio/workflow';
import type { WaitReason, WaitScope } from '../../domain/attention';
import { needsAttentionNow, reportAttention } from './search-attributes';
import { noteWaiting } from './waiting-activities';

/** Reports to Temporal and the store why a job needs a person. */
export class Waits {
  readonly #folder: string;
  /** Undefined: the previous execution has reported. */
  #reported: WaitReason | null | undefined;
  #noted: Promise<void> = Promise.resolve();

  /** @param folder of the job */
  constructor(folder: string) {
    this.#folder = folder;
    this.#reported = needsAttentionNow() ? undefined : null;
  }

  /** Issues no command when nothing has changed. @param reason null: no person is needed */
  report(reason: WaitReason | null, about: WaitScope = null): void {
    if (reason === this.#reported) return;
    this.#reported = reason;
    reportAttention(reason !== null);
    const note = { folder: this.#folder, source: workflowInfo().workflowId, reason, about };
    // In sequence; a job that has ended is no longer waiting in the store.
    this.#noted = this.#noted.then(() =>
      CancellationScope.nonCancellable(() => noteWaiting(note)).catch(() => undefined),
    );
  }

  /** Resolves when the store has all reports: the next execution would not repeat them. */
  settled(): Promise<void> {
    return this.#noted;
  }
}
