import { createReadStream } from 'node:fs';
import { documentsInCnabLine, documentsInText } from '../domain/core/documents/held-documents';

/** A line that goes on beyond this is looked at in pieces. */
const longestHeld = 4_096;
/** More than any document is wide, with what stands around it. */
const overlap = 64;

/** Every document that a CNAB file may hold: for the index by which an erasure finds the file. */
export async function* documentsInCnab(path: string): AsyncGenerator<string> {
  let rest = '';
  let isBeginning = true;
  for await (const chunk of createReadStream(path, 'latin1')) {
    const lines = `${rest}${String(chunk)}`.split(/[\r\n]/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      yield* documentsInPiece(line, isBeginning);
      isBeginning = true;
    }
    if (rest.length <= longestHeld) continue;
    yield* documentsInPiece(rest, isBeginning);
    isBeginning = false;
    rest = rest.slice(-overlap);
  }
  yield* documentsInPiece(rest, isBeginning);
}

/** Columns are counted from the beginning of a line. */
function documentsInPiece(line: string, isBeginning: boolean): Generator<string> {
  return isBeginning ? documentsInCnabLine(line) : documentsInText(line);
}
