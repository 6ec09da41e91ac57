import { createReadStream } from 'node:fs';
import { documentsInCnabColumns, documentsInText } from '../domain/core/documents/held-documents';

/** A longer line is searched in pieces. */
const longestHeld = 4_096;
/** Wider than any document with its surroundings. */
const overlap = 64;
const chunkBytes = 1_048_576;

/** Every document that a CNAB file may contain: for the subject index. */
export async function* documentsInCnab(path: string): AsyncGenerator<string> {
  let rest = '';
  let isBeginning = true;
  const chunks = createReadStream(path, { encoding: 'latin1', highWaterMark: chunkBytes });
  for await (const chunk of chunks) {
    const text = `${rest}${String(chunk)}`;
    const end = Math.max(text.lastIndexOf('\r'), text.lastIndexOf('\n')) + 1;
    if (end > 0) {
      yield* documentsInLines(text.slice(0, end), isBeginning);
      isBeginning = true;
    }
    rest = text.slice(end);
    if (rest.length <= longestHeld) continue;
    yield* documentsInLines(rest, isBeginning);
    isBeginning = false;
    rest = rest.slice(-overlap);
  }
  yield* documentsInLines(rest, isBeginning);
}

/** Without repeats. Columns count from the beginning of a line; the rest is searched as a whole, which is faster. */
function documentsInLines(text: string, isBeginning: boolean): Set<string> {
  const found = new Set(documentsInText(text));
  for (const line of text.split(/[\r\n]/).slice(isBeginning ? 0 : 1)) {
    for (const document of documentsInCnabColumns(line)) found.add(document);
  }
  return found;
}
