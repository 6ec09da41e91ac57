/** Result of one check. `warn`: works, but a person should know. */
export interface Finding {
  check: string;
  state: 'ok' | 'warn' | 'fail';
  detail: string;
  /** The fix; null: none needed. */
  fix: string | null;
}

export const ok = (check: string, detail: string): Finding => {
  return { check, state: 'ok', detail, fix: null };
};

export const warn = (check: string, detail: string, fix: string): Finding => {
  return { check, state: 'warn', detail, fix };
};

export const fail = (check: string, detail: string, fix: string): Finding => {
  return { check, state: 'fail', detail, fix };
};

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
