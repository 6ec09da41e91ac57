export interface ServiceFailure {
  /** Null: not reported, or not one word. */
  code: string | null;
  /** Text of the service, which may quote a person: for the store and the outcome, never a log. */
  message: string | null;
  retryable: boolean | null;
  /** The service's Retry-After; null: none. */
  retryAfterMs: number | null;
}

export const unreadableAnswer = 'unreadable_answer';
