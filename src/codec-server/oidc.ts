import type { JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import type { Verdict } from './verdict';

/** No symmetric algorithms: whoever can verify such a token can create one. */
const algorithms = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 Ed25519 EdDSA'.split(' ');
const clockToleranceSeconds = 30;
const requestTimeoutMs = 5_000;

/** Codes of jose about the token; all other failures are about the issuer. */
const tokenFaults = new Set([
  'ERR_JWT_CLAIM_VALIDATION_FAILED',
  'ERR_JWT_EXPIRED',
  'ERR_JWT_INVALID',
  'ERR_JWS_INVALID',
  'ERR_JWS_SIGNATURE_VERIFICATION_FAILED',
  'ERR_JWKS_NO_MATCHING_KEY',
  'ERR_JWKS_MULTIPLE_MATCHING_KEYS',
  'ERR_JOSE_ALG_NOT_ALLOWED',
  'ERR_JOSE_NOT_SUPPORTED',
]);

const discovered = z.object({ issuer: z.string(), jwks_uri: z.string() });

/** The issuer did not return its keys. */
class IssuerUnavailableError extends Error {
  override readonly name = 'IssuerUnavailableError';
}

/** Verifies JWTs of an OpenID Connect issuer: signature, issuer, audience and time. */
export class TokenIssuer {
  readonly #issuer: string;
  readonly #audience: string;
  #keys: Promise<JWTVerifyGetKey> | null = null;

  constructor({ issuer, audience }: { issuer: string; audience: string }) {
    this.#issuer = issuer;
    this.#audience = audience;
  }

  async verify(token: string): Promise<Verdict> {
    const { errors, jwtVerify } = await loadJose();
    try {
      const { payload } = await jwtVerify(token, await this.#keySource(), {
        issuer: this.#issuer,
        audience: this.#audience,
        algorithms,
        clockTolerance: clockToleranceSeconds,
        requiredClaims: ['exp'],
      });
      return { allowed: true, subject: payload.sub ?? null };
    } catch (error) {
      if (error instanceof errors.JOSEError && tokenFaults.has(error.code)) {
        const reason = `the token is not valid here (${error.code})`;
        return { allowed: false, status: 401, reason };
      }
      const reason =
        error instanceof IssuerUnavailableError
          ? `the issuer of tokens (codecServer.oidc.issuer) ${error.message}`
          : 'the issuer of tokens does not answer: try again later';
      return { allowed: false, status: 503, reason };
    }
  }

  /** Fetched once; again after a failure. */
  async #keySource(): Promise<JWTVerifyGetKey> {
    this.#keys ??= discoverKeys(this.#issuer);
    try {
      return await this.#keys;
    } catch (error) {
      this.#keys = null;
      throw error;
    }
  }
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
