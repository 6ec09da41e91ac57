import { statement, type Statement } from '../statement';

/** Bytes that are on the disk, and that no record names yet. */
export interface StoredBytes {
  key: string;
  blob: string;
}

/** The record that names bytes; what is there stays, and these are swept away later. */
export function nameBytes({ key, blob }: StoredBytes): Statement {
  return statement('INSERT INTO record (key, blob) VALUES (?, ?) ON CONFLICT DO NOTHING', [
    key,
    blob,
  ]);
}
