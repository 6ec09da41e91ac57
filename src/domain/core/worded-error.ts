import type { Words } from '../job';

/** An error for people, in each of their languages, or in English for operators only. Its message is the English one. */
export class WordedError extends Error {
  readonly words: Words;

  constructor(words: Words | string, options?: ErrorOptions) {
    const [en, pt] = typeof words === 'string' ? [words, words] : words;
    super(en, options);
    this.words = [en, pt];
  }
}
