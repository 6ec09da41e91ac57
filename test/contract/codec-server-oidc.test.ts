import {
  SignJWT,
  UnsecuredJWT,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  type JWTPayload,
} from 'jose';
import { accessOf, type Access, type Verdict } from '../../src/codec-server/access';
import { LoopbackServer } from '../support/loopback-server';

const audience = 'diligence-codec';
type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;

/** An issuer as OpenID Connect has it: discovery, and its keys. */
class Issuer {
  readonly server: LoopbackServer;
  readonly keys: KeyPair;
  works = true;
  claimsToBe: string | null = null;

  constructor(server: LoopbackServer, keys: KeyPair) {
    this.server = server;
    this.keys = keys;
  }

  static async start(): Promise<Issuer> {
    const keys = await generateKeyPair('ES256', { extractable: true });
    const issuer = new Issuer(await LoopbackServer.start(), keys);
    issuer.server.reply = async ({ path }, response) => {
      response.writeHead(issuer.works ? 200 : 500, { 'content-type': 'application/json' });
      response.end(JSON.stringify(await issuer.#document(path)));
    };
    return issuer;
  }

  get name(): string {
    return this.server.origin;
  }

  async #document(path: string): Promise<object> {
    if (path === '/.well-known/openid-configuration') {
      return { issuer: this.claimsToBe ?? this.name, jwks_uri: `${this.name}/keys` };
    }
    const jwk = await exportJWK(this.keys.publicKey);
    return { keys: [{ ...jwk, kid: 'k1', alg: 'ES256', use: 'sig' }] };
  }

  token(
    claims: Omit<JWTPayload, 'exp'> & { exp?: number | undefined } = {},
    signer: KeyPair['privateKey'] = this.keys.privateKey,
  ) {
    const now = Math.floor(Date.now() / 1_000);
    const standard = { iss: this.name, aud: audience, sub: 'operator-7', iat: now, exp: now + 300 };
    return new SignJWT(Object.assign(standard, claims))
      .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
      .sign(signer);
  }

  access(): Promise<Access | null> {
    return accessOf({ token: null, oidc: { issuer: this.name, audience } });
  }
}

describe('a JWT for the codec server', () => {
  let issuer: Issuer;
  beforeEach(async () => {
    issuer = await Issuer.start();
  });
  afterEach(() => issuer.server.close());

  async function judge(token: string | Promise<string>, by?: Access | null): Promise<Verdict> {
    const access = by ?? (await issuer.access());
    if (access === null) throw new Error('nobody is asked');
    return access(`Bearer ${await token}`);
  }

  test('of the issuer, for the audience, names who asks', async () => {
    expect(await judge(issuer.token())).toEqual({ allowed: true, subject: 'operator-7' });
  });

  test('is refused when it is for others, by others, or out of its time', async () => {
    const past = Math.floor(Date.now() / 1_000) - 60;
    const others = await generateKeyPair('ES256');
    const wrong: (string | Promise<string>)[] = [
      issuer.token({ aud: 'another-service' }),
      issuer.token({ iss: 'https://issuer.example' }),
      issuer.token({ exp: past }),
      issuer.token({ nbf: past + 600 }),
      issuer.token({ exp: undefined }),
      issuer.token({}, others.privateKey),
      'not-a-jwt',
    ];
    for (const token of wrong) {
      expect(await judge(token)).toMatchObject({ allowed: false, status: 401 });
    }
  });

  test('is not believed without a signature, nor with one that its public key makes', async () => {
    const claims = { iss: issuer.name, aud: audience, exp: Math.floor(Date.now() / 1_000) + 300 };
    const publicText = new TextEncoder().encode(await exportSPKI(issuer.keys.publicKey));
    const symmetric = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', kid: 'k1' })
      .sign(publicText);
    expect(await judge(symmetric)).toMatchObject({ allowed: false, status: 401 });
    const unsigned = new UnsecuredJWT(claims).encode();
    expect(await judge(unsigned)).toMatchObject({ allowed: false, status: 401 });
  });

  test('a little beyond its time is taken: clocks differ', async () => {
    const exp = Math.floor(Date.now() / 1_000) - 10;
    expect(await judge(issuer.token({ exp }))).toMatchObject({ allowed: true });
  });

  test('is asked for again when the issuer did not answer, and works once it does', async () => {
    const access = await issuer.access();
    issuer.works = false;
    expect(await judge(issuer.token(), access)).toMatchObject({ allowed: false, status: 503 });
    issuer.works = true;
    expect(await judge(issuer.token(), access)).toMatchObject({ allowed: true });
  });

  test('is not verified with the keys of an issuer that calls itself by another name', async () => {
    issuer.claimsToBe = 'https://issuer.example';
    expect(await judge(issuer.token())).toMatchObject({
      allowed: false,
      status: 503,
      reason: expect.stringMatching(/codecServer.oidc.issuer.*by another name/) as string,
    });
  });

  test('is verified for an issuer asked over https, and no other', async () => {
    const oidc = { issuer: 'http://issuer.example', audience };
    await expect(accessOf({ token: null, oidc })).rejects.toMatchObject({
      name: 'ConfigError',
      variable: 'codecServer.oidc.issuer',
    });
  });

  test('serves beside a fixed token', async () => {
    const fixed = 'a-fixed-token-for-the-command-line';
    const oidc = { issuer: issuer.name, audience };
    const access = await accessOf({ token: { value: fixed }, oidc });
    expect(await judge(fixed, access)).toEqual({ allowed: true, subject: null });
    expect(await judge(issuer.token(), access)).toMatchObject({ subject: 'operator-7' });
  });
});
