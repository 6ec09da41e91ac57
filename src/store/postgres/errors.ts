import { StoreConfigError, StoreError, type StoreErrorCode } from '../store-error';

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

/** By SQLSTATE or errno: what is wrong at the address of a store. */
const addressFaults: Readonly<Record<string, string>> = {
  '28P01': 'the password is refused',
  '28000': 'the role does not exist, or may not connect (pg_hba.conf)',
  '3D000': 'there is no such database: create it, owned by the role, in UTF-8',
  ECONNREFUSED: 'nobody listens there: start PostgreSQL',
  ENOTFOUND: 'there is no such host (`@`, `/` and `#` of a password are written %40, %2F and %23)',
};

/** Why a store cannot be opened. Its password is not shown. */
export function openingError(error: unknown, url: string): StoreError | StoreConfigError {
  const { code = '' } = error as { code?: string };
  const fault = addressFaults[code];
  if (fault === undefined || !URL.canParse(url)) return postgresErrorOf(error, 'opening the store');
  const { host, pathname, username } = new URL(url);
  return new StoreConfigError(
    `DILIGENCE_STORE_URL: ${username}@${host}${pathname}: ${fault} (${code})`,
  );
}
