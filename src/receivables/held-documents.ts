import { createReadStream } from 'node:fs';
import { documentsInCnabColumns, documentsInText } from '../domain/core/documents/held-documents';

/** A line that goes on beyond this is looked at in pieces. */
const longestHeld = 4_096;
/** More than any document is wide, with what stands around it. */
const overlap = 64;
const chunkBytes = 1_048_576;

/** Every document that a CNAB file may hold: for the index by which an erasure finds the file. */
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

/** Each once. Columns are counted from the beginning of a line; the rest is looked at as a whole, which is faster. */
function documentsInLines(text: string, isBeginning: boolean): Set<string> {
  const found = new Set(documentsInText(text));
  for (const line of text.split(/[\r\n]/).slice(isBeginning ? 0 : 1)) {
    for (const document of documentsInCnabColumns(line)) found.add(document);
  }
  return found;
}
