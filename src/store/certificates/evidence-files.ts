import { createHash } from 'node:crypto';
import type { StoredBytes } from '../core/stored-bytes';
import { keySegment } from '../records';
import type { Store } from '../store';

/** Bytes that the service named as evidence. Stored by the id of their issuance, whoever asked for it. */
export class EvidenceFiles {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /**
   * Stores a checked PDF, to be named with the fact that rests on it. Its key holds no document: type, month, a few
   * digits of the document's keyed name, the id, the start of the hash.
   */
  async storePdf(
    pdf: Buffer,
    about: { type: string; documentName: string; certidaoId: string; sha256: string; at: Date },
  ): Promise<{ key: string; bytes: StoredBytes | null }> {
    const month = about.at.toISOString().slice(0, 7).replace('-', '/');
    const name = [
      about.documentName.slice(0, 8),
      keySegment(about.certidaoId),
      about.sha256.slice(0, 8),
    ].join('_');
    const key = `pdf/${about.type}/${month}/${name}.pdf`;
    return { key, bytes: await this.#store.records.storeBytes(key, pdf) };
  }

  /** Keeps bytes that failed the check, for a person to look at. */
  async keepAside(bytes: Buffer, certidaoId: string): Promise<string> {
    const sum = sha256Of(bytes);
    const key = `aside/${keySegment(certidaoId)}/${sum.slice(0, 16)}.bin`;
    await this.#store.records.putIfAbsent(key, bytes, { bytes: true });
    return key;
  }
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
