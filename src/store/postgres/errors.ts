import { StoreError, type StoreErrorCode } from '../store-error';

/** By SQLSTATE (postgresql.org/docs/current/errcodes-appendix.html), whole or by class. */
const codes: Readonly<Record<string, StoreErrorCode>> = {
  '23': 'constraint',
  '25006': 'read-only',
  '40': 'busy',
  '53100': 'full',
  '53': 'busy',
  '57014': 'busy',
  '57': 'gone',
  '08': 'gone',
  '55P03': 'busy',
  XX001: 'corrupt',
  XX002: 'corrupt',
};

/** A conflict with another transaction: retry at once. */
export function mayGoAgain(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code === '40001' || code === '40P01';
}

/** Translates an error of PostgreSQL or the connection; its message may quote values, and is omitted. */
export function postgresErrorOf(error: unknown, doing: string): StoreError {
  if (error instanceof StoreError) return error;
  const { code, name } = error as { code?: string; name?: string };
  const state = typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : null;
  // Without a state the connection failed.
  const known = state === null ? 'gone' : (codes[state] ?? codes[state.slice(0, 2)] ?? 'other');
  return new StoreError(known, `${doing}: ${code ?? name ?? 'the connection failed'}`);
}
