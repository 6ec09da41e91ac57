import { createHmac, randomBytes } from 'node:crypto';
import { hideSecret } from './redaction';
import { SigningKey } from './signing-key';

/**
 * The secret that turns documents into keyed names (docs/protection.md). Never rotated: with another key the same
 * document would have another name, and its claims would not be found.
 */
export class IdKey {
  readonly #key: Buffer;
  /** For `macOf`: this key alone cannot compute names. */
  readonly auditKey: Buffer;

  private constructor(key: Buffer) {
    this.#key = key;
    this.auditKey = createHmac('sha256', key).update('audit').digest();
  }

  /** @throws RangeError when the text is not 32 bytes in hex */
  static parse(hex: string): IdKey {
    if (!/^[0-9a-f]{64}$/i.test(hex.trim())) {
      throw new RangeError('expected 64 hex digits (32 bytes)');
    }
    hideSecret(hex);
    return new IdKey(Buffer.from(hex.trim(), 'hex'));
  }

  static generateHex(): string {
    return randomBytes(32).toString('hex');
  }

  /** 32 hex digits that identify the text within this installation and reveal nothing about it. */
  nameOf(kind: 'document' | 'manifest', text: string): string {
    return createHmac('sha256', this.#key).update(`${kind}\n${text}`).digest('hex').slice(0, 32);
  }

  /** The same for all processes of an installation; reveals nothing about this key. */
  get signingKey(): SigningKey {
    return new SigningKey(createHmac('sha256', this.#key).update('signature').digest());
  }

  /** 32 hex digits that prove that the holder of this key had the text. */
  macOf(text: string): string {
    return macOf(this.auditKey, text);
  }

  get fingerprint(): string {
    return createHmac('sha256', this.#key).update('fingerprint').digest('hex').slice(0, 16);
  }

  toJSON(): string {
    return '[id key]';
  }
}

/** 32 hex digits. */
export function macOf(auditKey: Uint8Array, text: string): string {
  return createHmac('sha256', auditKey).update(text).digest('hex').slice(0, 32);
}
