import { createHash } from 'node:crypto';
import { keySegment, type RecordRepository, type StoredBytes } from '../records';

/** Evidence bytes, stored by the id of their issuance, for all jobs. */

/**
 * Stores a checked PDF, to be named with its fact. Its key holds no document: type, month, a few digits of the
 * document's keyed name, the id, the start of the hash.
 */
export async function storePdf(
  records: RecordRepository,
  pdf: Buffer,
  about: { type: string; documentName: string; certidaoId: string; sha256: string; at: Date },
): Promise<{ key: string; bytes: StoredBytes | null }> {
  const { type, documentName, certidaoId, sha256, at } = about;
  const month = at.toISOString().slice(0, 7).replace('-', '/');
  const name = [documentName.slice(0, 8), keySegment(certidaoId), sha256.slice(0, 8)].join('_');
  const key = `pdf/${type}/${month}/${name}.pdf`;
  return { key, bytes: await records.storeBytes(key, pdf) };
}

/** Stores bytes that failed the check, for a person. */
export async function keepAside(
  records: RecordRepository,
  bytes: Buffer,
  certidaoId: string,
): Promise<string> {
  const key = `aside/${keySegment(certidaoId)}/${sha256Of(bytes).slice(0, 16)}.bin`;
  await records.putIfAbsent(key, bytes, { bytes: true });
  return key;
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
