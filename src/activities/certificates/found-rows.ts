import type { OutcomeRecord } from '../../domain/certificates/outcomes';
import type { NewFact } from '../../store/certificates/facts';
import { withStorePatience, type Patience } from '../core/store-patience';

/** Rows of one transaction: claims wait behind it. */
const savedTogether = 25;

/** Stores what a poll finds, some rows at a time and in order. A write that fails shows at the end. */
export class FoundRows {
  /** Not stored yet. */
  readonly outcomes: OutcomeRecord[] = [];
  /** Of issuances that the outcomes refer to, or that a later poll finds by id. */
  readonly facts: NewFact[] = [];
  readonly #save: (outcomes: OutcomeRecord[], facts: NewFact[]) => Promise<void>;
  #saving = Promise.resolve();

  constructor(
    save: (outcomes: OutcomeRecord[], facts: NewFact[]) => Promise<void>,
    patience: Patience,
  ) {
    this.#save = (...found) => withStorePatience(() => save(...found), patience);
  }

  /** Begins to store when there are enough. */
  saveSome(): void {
    if (this.outcomes.length >= savedTogether) this.#begin();
  }

  /** @throws StoreError of any write */
  async saveAll(): Promise<void> {
    this.#begin();
    await this.#saving;
  }

  #begin(): void {
    const [outcomes, facts] = [this.outcomes.splice(0), this.facts.splice(0)];
    this.#saving = this.#saving.then(() => this.#save(outcomes, facts));
    this.#saving.catch(() => {});
  }
}
