import { CancellationScope, workflowInfo } from '@temporalio/workflow';
import type { WaitReason, WaitScope } from '../../domain/attention';
import { needsAttentionNow, reportAttention } from './search-attributes';
import { noteWaiting } from './waiting-activities';

/** Reports to the engine and the store why a person is needed for a job to go on. */
export class Waits {
  readonly #folder: string;
  /** Undefined: the run before this one has reported. */
  #reported: WaitReason | null | undefined;
  #noted: Promise<void> = Promise.resolve();

  /** @param folder of the job */
  constructor(folder: string) {
    this.#folder = folder;
    this.#reported = needsAttentionNow() ? undefined : null;
  }

  /**
   * Costs nothing when it is reported again.
   *
   * @param reason null: nobody is needed
   */
  report(reason: WaitReason | null, about: WaitScope = null): void {
    if (reason === this.#reported) return;
    this.#reported = reason;
    reportAttention(reason !== null);
    const note = { folder: this.#folder, source: workflowInfo().workflowId, reason, about };
    // One after the other; what ends meanwhile waits for nobody in the store anyway.
    this.#noted = this.#noted.then(() =>
      CancellationScope.nonCancellable(() => noteWaiting(note)).catch(() => undefined),
    );
  }

  /** Resolves when the store has what was reported: a run that follows would not know of it. */
  settled(): Promise<void> {
    return this.#noted;
  }
}
