/** What the service says of work that failed. Its contents are not shown: what was found of them. */
export interface ServiceFailure {
  /** Null: not told, or not one word. */
  code: string | null;
  /** Prose of the service, which may quote a person: for the store and the outcome, never a log. */
  message: string | null;
  retryable: boolean | null;
  /** As the service asks; null when it asks for nothing. */
  retryAfterMs: number | null;
}

/** The code of an answer that nobody can read. */
export const unreadableAnswer = 'unreadable_answer';
