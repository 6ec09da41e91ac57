/**
 * Why the store failed. `full`, `read-only`, `busy` and `gone` are transient and end when the disk is fixed;
 * `constraint` and `unchanged` are answers; the rest is damage.
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

/** The store cannot be used, or refused a change: where, and the fix. Nothing was changed. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Translates an error of SQLite or the disk; `doing`: the operation. */
export function storeErrorOf(error: unknown, doing: string): StoreError {
  if (error instanceof StoreError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new StoreError(codeOf(error), `${doing}: ${message}`, { cause: error });
}

/** Primary result codes of SQLite: the low byte (sqlite.org/rescode.html). */
const sqliteCodes: Readonly<Record<number, StoreErrorCode>> = {
  5: 'busy',
  6: 'busy',
  8: 'read-only',
  11: 'corrupt',
  13: 'full',
  14: 'gone',
  19: 'constraint',
  26: 'corrupt',
};

function codeOf(error: unknown): StoreErrorCode {
  const { errcode, code } = error as { errcode?: number; code?: string };
  if (code === 'ENOENT') return 'gone';
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'full';
  if (code === 'EROFS' || code === 'EACCES') return 'read-only';
  return (errcode !== undefined && sqliteCodes[errcode & 0xff]) || 'other';
}

/** For a process that opened the store before the restore. */
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
