import { createHmac, randomBytes } from 'node:crypto';
import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hideSecret } from '../protection/redaction';
import { RecordRepository } from '../store/records';
import { openStore, storeToRead } from '../store/store';
import { ArchiveError } from './archive';
import { SealedArchive, type ArchiveSealing } from './sealed-archive';

/**
 * Opens the archive at a `file:` address or a directory, and makes it one at the first use.
 *
 * @param address a directory, or a `file:` URL
 * @param sealing null: nothing is sealed, and what is sealed cannot be read
 * @throws StoreError when it was made with another id key, ArchiveError when the address is of an
 *   unknown kind
 */
export async function openArchive(
  address: string,
  idKey: IdKey,
  sealing: ArchiveSealing | null = null,
): Promise<SealedArchive> {
  const store = await openStore(directoryOf(address), idKey.fingerprint);
  return new SealedArchive(new RecordRepository(store), sealing);
}

/** The archive as it lies there, whoever's it is: for what needs no key. Null when there is none. */
export function archiveAsItIs(address: string): RecordRepository | null {
  const store = storeToRead(directoryOf(address));
  return store === null ? null : new RecordRepository(store);
}

function directoryOf(address: string): string {
  if (address.startsWith('file:')) return fileURLToPath(address);
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(address)) {
    throw new ArchiveError(
      `DILIGENCE_ARCHIVE_URL: ${address.split(':')[0]}: is not supported yet, expected a directory or a file: address`,
    );
  }
  return isAbsolute(address) ? address : resolve(address);
}

/**
 * The secret that turns documents into names (docs/protection.md). Never rotated: with another key the same
 * document would have another name, and its claims would not be found.
 */
export class IdKey {
  readonly #key: Buffer;

  private constructor(key: Buffer) {
    this.#key = key;
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

  /** 32 hex digits that name the text within this installation and tell nothing about it. */
  nameOf(kind: 'document' | 'manifest', text: string): string {
    return createHmac('sha256', this.#key).update(`${kind}\n${text}`).digest('hex').slice(0, 32);
  }

  /** 32 hex digits that prove that the holder of this key has seen the text: for the audit trail. */
  macOf(text: string): string {
    return createHmac('sha256', this.#key).update(`audit\n${text}`).digest('hex').slice(0, 32);
  }

  get fingerprint(): string {
    return createHmac('sha256', this.#key).update('fingerprint').digest('hex').slice(0, 16);
  }

  toJSON(): string {
    return '[id key]';
  }
}
