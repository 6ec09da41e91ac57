import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hideSecret } from '../protection/redaction';
import { ArchiveError, getJson, type Archive } from './archive';
import { FileArchive } from './file-archive';
import { SealedArchive, type ArchiveSealing } from './sealed-archive';

/** `archive.json`: who this archive is, and which id key its names were made with (DESIGN D6). */
interface ArchiveIdentity {
  id: string;
  idKeyFingerprint: string;
  createdAt: string;
}

const identityKey = 'archive.json';

/**
 * Opens the archive at a `file:` address or a directory, and makes it one at the first use.
 *
 * @param address a directory, or a `file:` URL
 * @param sealing without it, nothing is sealed, and what is sealed cannot be read
 * @throws ArchiveError when it was made with another id key, or the address is of an unknown kind
 */
export async function openArchive(
  address: string,
  idKey: IdKey,
  sealing: ArchiveSealing = { keys: null, seals: false },
): Promise<SealedArchive> {
  const root = directoryOf(address);
  const identity = await identify(new FileArchive(root, 'not-known-yet'), idKey);
  if (identity.idKeyFingerprint !== idKey.fingerprint) {
    throw new ArchiveError(
      `the archive ${root} was made with another id key (fingerprint ${identity.idKeyFingerprint}, ` +
        `ours is ${idKey.fingerprint}): set DILIGENCE_ID_KEY to the key it was made with, or use another archive`,
    );
  }
  return new SealedArchive(new FileArchive(root, identity.id), sealing);
}

/** The archive as it lies there, whoever's it is: for what needs no key. Makes nothing. */
export function archiveAsItIs(address: string): Archive {
  return new FileArchive(directoryOf(address), 'not-opened');
}

/**
 * Proves that the archive can be read and written, and is still the one that was opened: a volume
 * that went away may leave an empty directory behind.
 *
 * @throws ArchiveError, or the file system's own error
 */
export async function proveArchive(archive: Archive): Promise<void> {
  const identity = await getJson<ArchiveIdentity>(archive, identityKey);
  if (identity?.id !== archive.id) {
    throw new ArchiveError('the archive that was opened is not there any more');
  }
  await archive.replace('probe/last-write.json', JSON.stringify({ at: new Date().toISOString() }));
}

async function identify(archive: Archive, idKey: IdKey): Promise<ArchiveIdentity> {
  const known = await getJson<ArchiveIdentity>(archive, identityKey);
  if (known !== null) return known;
  const fresh: ArchiveIdentity = {
    id: randomUUID(),
    idKeyFingerprint: idKey.fingerprint,
    createdAt: new Date().toISOString(),
  };
  const put = await archive.putIfAbsent(identityKey, `${JSON.stringify(fresh, null, 2)}\n`, {
    durable: true,
  });
  if (put === 'stored') return fresh;
  const winner = await getJson<ArchiveIdentity>(archive, identityKey);
  if (winner === null) throw new ArchiveError('archive.json exists and cannot be read');
  return winner;
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
 * The secret that turns documents into names (DESIGN D5). Never rotated: with another key the same
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
