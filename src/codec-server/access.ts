import { createHash, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { ConfigError, type CodecServerSettings, type TokenSetting } from '../environment';
import { isLoopback } from '../protection/loopback';
import { TokenIssuer } from './oidc';
import type { Verdict } from './verdict';

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
  const issuer = oidc === null ? null : openIssuer(oidc);
  return async (authorization) => {
    const given = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    if (given === undefined) return refused('expected a bearer token');
    if (token !== null && (await isExpected(given, token))) return { allowed: true, subject: null };
    if (issuer === null) return refused('the token is not the one of this server');
    return issuer.verify(given);
  };
}

function openIssuer(oidc: NonNullable<CodecServerSettings['oidc']>): TokenIssuer {
  const { protocol, hostname } = new URL(oidc.issuer);
  if (protocol !== 'https:' && !isLoopback(hostname)) {
    throw new ConfigError('codecServer.oidc.issuer', 'expected an https address');
  }
  return new TokenIssuer(oidc);
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

function refused(reason: string): Verdict {
  return { allowed: false, status: 401, reason };
}
