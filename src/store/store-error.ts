/**
 * Why the store did not do what was asked. `full`, `read-only`, `busy` and `gone` pass when somebody
 * mends the disk; `constraint` and `unchanged` are answers; the rest is damage.
 */
export type StoreErrorCode =
  | 'busy'
  | 'constraint'
  | 'corrupt'
  | 'full'
  | 'gone'
  | 'other'
  | 'read-only'
  | 'refused'
  | 'unchanged';

/** The store cannot be used, or refused a change: where, and the fix. Nothing of the change was made. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Of a process that opened the store before. */
export function restoredError(): StoreError {
  return new StoreError(
    'gone',
    'the store was restored since it was opened: start this process again',
  );
}

/** The store cannot be used as it is configured: its address, or the keys for it, and the fix. */
export class StoreConfigError extends Error {
  override readonly name = 'StoreConfigError';
}
