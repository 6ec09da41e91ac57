import { createHash } from 'node:crypto';
import type { IssuanceFact } from '../domain/outcomes';
import { getJson, keySegment, type Archive } from './archive';

/** What is known for good about issuances, and their PDFs. Filed by id, whoever asked for them. */
export class IssuanceFile {
  readonly #archive: Archive;

  constructor(archive: Archive) {
    this.#archive = archive;
  }

  fact(certidaoId: string): Promise<IssuanceFact | null> {
    return getJson<IssuanceFact>(this.#archive, factKey(certidaoId));
  }

  /** The first fact filed stays; returns the one that stands. */
  async putFact(fact: IssuanceFact): Promise<IssuanceFact> {
    const put = await this.#archive.putIfAbsent(factKey(fact.certidaoId), JSON.stringify(fact));
    return put === 'stored' ? fact : ((await this.fact(fact.certidaoId)) ?? fact);
  }

  /**
   * Files a checked PDF. The name holds no document: type, month, a few digits of the document's
   * keyed name, the id, the start of the hash.
   *
   * @returns the archive key
   */
  async putPdf(
    pdf: Buffer,
    about: { type: string; documentName: string; certidaoId: string; sha256: string; at: Date },
  ): Promise<string> {
    const month = about.at.toISOString().slice(0, 7).replace('-', '/');
    const name = [
      about.documentName.slice(0, 8),
      keySegment(about.certidaoId),
      about.sha256.slice(0, 8),
    ].join('_');
    const key = `pdf/${about.type}/${month}/${name}.pdf`;
    await this.#archive.putIfAbsent(key, pdf, { bytes: true });
    return key;
  }

  /** Keeps bytes that failed the check, for a person to look at. */
  async keepAside(bytes: Buffer, certidaoId: string): Promise<string> {
    const sum = sha256Of(bytes);
    const key = `aside/${keySegment(certidaoId)}/${sum.slice(0, 16)}.bin`;
    await this.#archive.putIfAbsent(key, bytes, { bytes: true });
    return key;
  }
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export function factKey(certidaoId: string): string {
  const segment = keySegment(certidaoId);
  const shelf = createHash('sha256').update(certidaoId).digest('hex').slice(0, 2);
  return `issuances/${shelf}/${segment}.json`;
}
