import { createHash, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import { ConfigError, type CodecServerSettings, type TokenSetting } from '../environment';
import { isLoopback } from '../protection/loopback';

/** Result of checking a request's credential; `status` and reason answer a refused one. */
export type Verdict =
  { allowed: true; subject: string | null } | { allowed: false; status: 401 | 503; reason: string };

/** Checks the `authorization` header of a request. */
export type Access = (authorization: string | undefined) => Promise<Verdict>;

const leastTokenLength = 16;

/**
 * Who may decode, as configured: holders of the token, and of a JWT that the issuer made for the
 * audience. Null when neither is configured.
 *
 * @throws ConfigError when the token file cannot be used, or the issuer has a plain http address
 */
export async function accessOf({ token, oidc }: CodecServerSettings): Promise<Access | null> {
  if (token === null && oidc === null) return null;
  if (token !== null) await expectedToken(token);
  const verify = oidc === null ? null : jwtVerifier(oidc);
  return async (authorization) => {
    const given = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    if (given === undefined) return refused(401, 'expected a bearer token');
    if (token !== null && (await isExpected(given, token))) return { allowed: true, subject: null };
    return verify?.(given) ?? refused(401, 'the token is not the one of this server');
  };
}

/** Compares in constant time. Reads the file each time: a new token is valid at once. */
async function isExpected(given: string, token: TokenSetting): Promise<boolean> {
  const expected = await expectedToken(token).catch(() => null);
  return expected !== null && timingSafeEqual(digest(given), digest(expected));
}

async function expectedToken(token: TokenSetting): Promise<string> {
  if ('value' in token) return token.value;
  const text = await readFile(token.file, 'utf8').catch(() => null);
  if (text === null) {
    throw new ConfigError('DILIGENCE_CODEC_TOKEN_FILE', 'names a file that cannot be read');
  }
  if (text.trim().length >= leastTokenLength) return text.trim();
  throw new ConfigError(
    'DILIGENCE_CODEC_TOKEN_FILE',
    `expected at least ${leastTokenLength} characters in the file`,
  );
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

const refused = (status: 401 | 503, reason: string): Verdict => ({
  allowed: false,
  status,
  reason,
});

/** No symmetric algorithms: whoever can verify such a token can create one. */
const algorithms = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 Ed25519 EdDSA'.split(' ');
const clockToleranceSeconds = 30;
const requestTimeoutMs = 5_000;

/** Codes of jose about the token; all other failures are about the issuer. */
const tokenFault =
  /^ERR_(?:JW[TS]_\w+|JWKS_(?:NO|MULTIPLE)_MATCHING_KEYS?|JOSE_(?:ALG_NOT_ALLOWED|NOT_SUPPORTED))$/;

const discovered = z.object({ issuer: z.string(), jwks_uri: z.string() });

/** The issuer did not return its keys. */
class IssuerUnavailableError extends Error {
  override readonly name = 'IssuerUnavailableError';
}

/** Verifies JWTs of an OpenID Connect issuer: signature, issuer, audience and time. */
function jwtVerifier({ issuer, audience }: NonNullable<CodecServerSettings['oidc']>) {
  const { protocol, hostname } = new URL(issuer);
  if (protocol !== 'https:' && !isLoopback(hostname)) {
    throw new ConfigError('codecServer.oidc.issuer', 'expected an https address');
  }
  const terms = { issuer, audience, algorithms, requiredClaims: ['exp'] };
  /** Fetched once; again after a failure. */
  let keys: Promise<JWTVerifyGetKey> | null = null;
  return async (token: string): Promise<Verdict> => {
    const { errors, jwtVerify } = await loadJose();
    try {
      keys ??= discoverKeys(issuer);
      const source = await keys.catch((error: unknown) => {
        keys = null;
        throw error;
      });
      const options = { ...terms, clockTolerance: clockToleranceSeconds };
      const { payload } = await jwtVerify(token, source, options);
      return { allowed: true, subject: payload.sub ?? null };
    } catch (error) {
      if (error instanceof errors.JOSEError && tokenFault.test(error.code)) {
        return refused(401, `the token is not valid here (${error.code})`);
      }
      return refused(
        503,
        error instanceof IssuerUnavailableError
          ? `the issuer of tokens (codecServer.oidc.issuer) ${error.message}`
          : 'the issuer of tokens does not answer: try again later',
      );
    }
  };
}

async function discoverKeys(issuer: string): Promise<JWTVerifyGetKey> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const answer = await fetch(address, {
    redirect: 'error',
    signal: AbortSignal.timeout(requestTimeoutMs),
  });
  if (!answer.ok) throw new IssuerUnavailableError(`answers with status ${answer.status}`);
  const found = discovered.parse(await answer.json());
  if (found.issuer !== issuer)
    throw new IssuerUnavailableError(
      'calls itself by another name: expected word for word that one',
    );
  const { createRemoteJWKSet } = await loadJose();
  return createRemoteJWKSet(new URL(found.jwks_uri), { timeoutDuration: requestTimeoutMs });
}

/** Only an ES module; loaded on use: other commands start faster without it. */
function loadJose() {
  return import('jose');
}
