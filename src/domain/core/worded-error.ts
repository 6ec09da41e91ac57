import type { Words } from '../job';

/** An error for people, in each of their languages. Its message is the English one. */
export class WordedError extends Error {
  readonly words: Words;

  constructor(words: Words, options?: ErrorOptions) {
    super(words[0], options);
    this.words = words;
  }
}
