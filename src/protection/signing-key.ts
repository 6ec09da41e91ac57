import { createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';

const privatePrefix = Buffer.from('302e020100300506032b657004220420', 'hex');
const publicPrefix = Buffer.from('302a300506032b6570032100', 'hex');

/** Signs what leaves an installation (Ed25519), so that others can verify its origin. */
export class SigningKey {
  readonly #key: KeyObject;

  constructor(seed: Uint8Array) {
    const key = Buffer.concat([privatePrefix, seed]);
    this.#key = createPrivateKey({ key, format: 'der', type: 'pkcs8' });
  }

  /** `ed25519:` and 64 hex digits. */
  get publicKey(): string {
    const der = createPublicKey(this.#key).export({ format: 'der', type: 'spki' });
    return `ed25519:${der.subarray(publicPrefix.length).toString('hex')}`;
  }

  sign(bytes: Uint8Array): string {
    return sign(null, bytes, this.#key).toString('base64');
  }
}

/** @param publicKey as `SigningKey.publicKey`; anything else verifies nothing */
export function isSignedBy(publicKey: string, bytes: Uint8Array, signature: string): boolean {
  const [, hex] = /^ed25519:([0-9a-f]{64})$/.exec(publicKey.trim()) ?? [];
  if (hex === undefined) return false;
  const der = Buffer.concat([publicPrefix, Buffer.from(hex, 'hex')]);
  const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
  return verify(null, bytes, key, Buffer.from(signature, 'base64'));
}
