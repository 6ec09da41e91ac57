import { documentsInText } from '../../domain/core/documents/held-documents';
import type { NameOf } from './subjects';
import type { Store } from '../store';

/** No document is written longer than the key of an invoice, with its name before it. */
const longestForm = 100;

/** Names kept in memory until they are put: a bound, whatever the size of the file. */
const mostNames = 20_000;

/**
 * Puts on record whom a holder tells of: the folder of a work (`works/...`), the key of an uploaded file
 * (`inputs/...`), the folder of an operation, a monitor, a search, a lookup, a dossier or a batch, or what
 * was asked or answered of a picture (`lens/<name>/<instant>/...`).
 */
export async function indexDocuments(
  { subjects }: Store,
  holder: string,
  nameOf: NameOf,
  documents: Iterable<string> | AsyncIterable<string>,
): Promise<void> {
  // A name takes a hundred times as long as a look whether it was made.
  let found = new Set<string>();
  const add = (): Promise<void> => subjects.add(holder, [...found].map(nameOf));
  for await (const document of documents) {
    found.add(document);
    if (found.size < mostNames) continue;
    await add();
    found = new Set();
  }
  await add();
}

/** Hands the bytes of a result on, and puts on record whom they tell of by their end. */
export async function* indexedBytes(
  bytes: AsyncIterable<Uint8Array>,
  add: (documents: Iterable<string>) => Promise<void>,
): AsyncGenerator<Uint8Array> {
  let rest = '';
  let found = new Set<string>();
  for await (const chunk of bytes) {
    const text = rest + Buffer.from(chunk).toString('latin1');
    for (const document of documentsInText(text)) found.add(document);
    rest = text.slice(-longestForm);
    if (found.size >= mostNames) {
      await add(found);
      found = new Set();
    }
    yield chunk;
  }
  await add(found);
}
