import { documentsInText } from '../../domain/core/documents/held-documents';
import type { NameOf } from './subjects';
import type { Store } from '../store';

/** Longest document: the key of an invoice, with its name. */
const longestForm = 100;

/** Names in memory before they are stored, independent of the file's size. */
const mostNames = 20_000;

/** Indexes the subjects of a holder: a job, upload, operation, monitor, request or response. */
export async function indexDocuments(
  { subjects }: Store,
  holder: string,
  nameOf: NameOf,
  documents: Iterable<string> | AsyncIterable<string>,
): Promise<void> {
  // Computing a name takes a hundred times as long as this lookup.
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

/** Passes the bytes of a result on, and indexes their subjects by the end. */
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
