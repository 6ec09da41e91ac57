import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  type CipherGCM,
} from 'node:crypto';
import { hideSecret } from './redaction';

/** Purposes of sealing: each has its own key, derived from a payload key. */
export type SealPurpose = 'payload' | 'store';

const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const keyId = /^[a-z0-9][a-z0-9-]{0,31}$/;

export class UnknownKeyError extends Error {
  override readonly name = 'UnknownKeyError';
  readonly keyId: string;

  constructor(id: string) {
    const shown = keyId.test(id) ? id : '(malformed)';
    super(`sealed with the key ${shown}, which is not among ours (DILIGENCE_PAYLOAD_KEYS)`);
    this.keyId = shown;
  }
}

/** The bytes, or their context, were altered. */
export class BrokenSealError extends Error {
  override readonly name = 'BrokenSealError';

  constructor(message = 'what was sealed has been altered, or belongs elsewhere') {
    super(message);
  }
}

interface PayloadKey {
  id: string;
  secret: Buffer;
  derived: Record<SealPurpose, Buffer>;
}

/**
 * The keys that protect payloads and, if configured, the store (docs/protection.md): the first seals, all
 * open. AES-256-GCM with a fresh nonce of 12 bytes each time.
 */
export class KeyRing {
  readonly #keys: readonly PayloadKey[];

  private constructor(keys: readonly PayloadKey[]) {
    this.#keys = keys;
  }

  /** @param text `id:64 hex digits`, several separated by commas */
  static parse(text: string): KeyRing {
    const keys = text.split(',').map((entry, index) => keyOf(entry.trim(), index + 1));
    const ids = new Set(keys.map(({ id }) => id));
    if (ids.size < keys.length) throw new RangeError('expected every key to have an id of its own');
    return new KeyRing(keys);
  }

  static generateEntry(): string {
    return `k-${randomBytes(4).toString('hex')}:${randomBytes(keyBytes).toString('hex')}`;
  }

  /** Ids in order: the first seals. They are not secret. */
  get ids(): readonly string[] {
    return this.#keys.map(({ id }) => id);
  }

  /** Shows whether an id means the same key in two lists, and reveals nothing about the key. */
  checkValue(id: string): string {
    const text = `diligence payload key check\n${id}`;
    return createHmac('sha256', this.#key(id).secret).update(text).digest('hex').slice(0, 32);
  }

  /** @returns nonce, ciphertext and tag, and the id of the key that opens them */
  seal(purpose: SealPurpose, plain: Uint8Array, about: string): { keyId: string; bytes: Buffer } {
    const key = this.#keys[0] as PayloadKey;
    const nonce = freshNonce();
    const cipher: CipherGCM = createCipheriv('aes-256-gcm', key.derived[purpose], nonce);
    cipher.setAAD(aad(key.id, about));
    const body = cipher.update(plain);
    return {
      keyId: key.id,
      bytes: Buffer.concat([nonce, body, cipher.final(), cipher.getAuthTag()]),
    };
  }

  /** @param about the same text as for `seal` */
  open(purpose: SealPurpose, id: string, sealed: Uint8Array, about: string): Buffer {
    const key = this.#key(id);
    if (sealed.length < nonceBytes + tagBytes) throw new BrokenSealError();
    const nonce = sealed.subarray(0, nonceBytes);
    const decipher = createDecipheriv('aes-256-gcm', key.derived[purpose], nonce);
    decipher.setAAD(aad(id, about));
    decipher.setAuthTag(sealed.subarray(sealed.length - tagBytes));
    const body = decipher.update(sealed.subarray(nonceBytes, sealed.length - tagBytes));
    try {
      return Buffer.concat([body, decipher.final()]);
    } catch {
      throw new BrokenSealError();
    }
  }

  /** With one more key, which opens only: the first step of a rotation. */
  withLast(entry: string): KeyRing {
    return KeyRing.parse(`${this.reveal()},${entry}`);
  }

  /** The same keys, this one first: the second step of a rotation. */
  withFirst(id: string): KeyRing {
    const first = this.#key(id);
    return new KeyRing([first, ...this.#keys.filter((key) => key !== first)]);
  }

  /** The list in the form of `parse`, with secrets: for its owner's screen and key file only. */
  reveal(): string {
    return this.#keys.map(({ id, secret }) => `${id}:${secret.toString('hex')}`).join(',');
  }

  toJSON(): string {
    return '[payload keys]';
  }

  #key(id: string): PayloadKey {
    const found = this.#keys.find((key) => key.id === id);
    if (found === undefined) throw new UnknownKeyError(id);
    return found;
  }
}

let fresh = Buffer.alloc(0);

/** Never repeats. Drawn many at a time: a single draw costs more than sealing a row. */
function freshNonce(): Buffer {
  if (fresh.length === 0) fresh = randomBytes(256 * nonceBytes);
  const nonce = fresh.subarray(0, nonceBytes);
  fresh = fresh.subarray(nonceBytes);
  return nonce;
}

function keyOf(entry: string, number: number): PayloadKey {
  const [, id, hex] = /^([^:]*):([0-9a-fA-F]{64})$/.exec(entry) ?? [];
  if (id === undefined || hex === undefined || !keyId.test(id)) {
    throw new RangeError(
      `key ${number} cannot be read: expected id:64 hex digits, as \`diligence keys generate\` prints`,
    );
  }
  hideSecret(hex);
  const secret = Buffer.from(hex, 'hex');
  return {
    id,
    secret,
    derived: { payload: derive(secret, 'payload'), store: derive(secret, 'store') },
  };
}

function derive(secret: Buffer, purpose: SealPurpose): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `diligence ${purpose} 1`, keyBytes));
}

/** The key id is authenticated too: it cannot be replaced. */
function aad(id: string, about: string): Buffer {
  return Buffer.from(JSON.stringify([id, about]));
}
