import { BrokenSealError, UnknownKeyError, type KeyRing } from '../../protection/key-ring';
import { StoreConfigError } from '../store-error';

/** Seals a record or column for its position. */
export interface Seal {
  seal(name: string, body: Uint8Array | string): Promise<Uint8Array | string>;
  open(name: string, body: Uint8Array): Buffer;
}

export const noSeal: Seal = {
  seal: async (_name, body) => body,
  open: (_name, body) => bufferOf(body),
};

/** A parameter that is sealed as JSON before its statement is committed. */
export class Sealed {
  readonly name: string;
  readonly value: unknown;

  constructor(name: string, value: unknown) {
    this.name = name;
    this.value = value;
  }
}

/** Name of a row: what is sealed for it opens in no other. */
export function rowName(table: string, ...key: readonly unknown[]): string {
  return `${table}/${JSON.stringify(key)}`;
}

/**
 * Prefix of every sealed body: a byte that no text begins with, a name, the version, and line ends that a text
 * transfer would corrupt. Then one byte with the length of the key's id, the id, and the ciphertext.
 */
const mark = Buffer.from('\x8fDILIGENCE1\r\n\x1a', 'latin1');

/**
 * Seals with the payload keys. Each body is sealed for its name: moved, altered or replaced by plain text, it does
 * not open.
 */
export class KeySeal implements Seal {
  readonly #keys: KeyRing | null;
  readonly #proveKeys: () => Promise<void>;
  #proven: Promise<void> | undefined;

  /** @param proveKeys called before anything is sealed: throws when the keys are not the store's */
  constructor(keys: KeyRing | null, proveKeys: () => Promise<void> = async () => undefined) {
    this.#keys = keys;
    this.#proveKeys = proveKeys;
  }

  async seal(name: string, body: Uint8Array | string): Promise<Uint8Array | string> {
    if (this.#keys === null || staysClear(name)) return body;
    this.#proven ??= this.#proveKeys().catch((error: unknown) => {
      // The disk may have failed: the next call tries again.
      this.#proven = undefined;
      throw error;
    });
    await this.#proven;
    const plain = typeof body === 'string' ? Buffer.from(body) : body;
    const { keyId, bytes } = this.#keys.seal('store', plain, name);
    const id = Buffer.from(keyId);
    return Buffer.concat([mark, Buffer.from([id.length]), id, bytes]);
  }

  /** @throws StoreConfigError when none of our keys opens it, BrokenSealError when it was altered */
  open(name: string, stored: Uint8Array): Buffer {
    const body = bufferOf(stored);
    if (!body.subarray(0, mark.length).equals(mark)) {
      if (this.#keys === null || staysClear(name)) return body;
      throw new BrokenSealError(`${name} is not sealed, and everything that we store is`);
    }
    const idLength = body[mark.length] ?? 0;
    const idEnd = mark.length + 1 + idLength;
    const keyId = body.toString('latin1', mark.length + 1, idEnd);
    if (this.#keys === null) {
      throw new StoreConfigError(
        `${name} is sealed with a payload key, and none is configured: set DILIGENCE_PAYLOAD_KEYS to the keys of this store`,
      );
    }
    try {
      return this.#keys.open('store', keyId, body.subarray(idEnd), name);
    } catch (error) {
      if (error instanceof UnknownKeyError) {
        throw new StoreConfigError(`${name} is ${error.message}`);
      }
      if (error instanceof BrokenSealError) throw new BrokenSealError(`${name}: ${error.message}`);
      throw error;
    }
  }
}

/** The store's key ids must be readable without a key. */
function staysClear(name: string): boolean {
  return name.startsWith('keys/');
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
