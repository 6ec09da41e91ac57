import { createReadStream } from 'node:fs';
import { TextDecoder } from 'node:util';

import { SheetError } from './sheet-error';

export type TextEncoding = 'utf-8' | 'windows-1252';

export interface TextLayout {
  encoding: TextEncoding;
  delimiter: string;
  /** Bytes before the first line that a spreadsheet shows: a BOM, a `sep=;` line. */
  contentStart: number;
}

const utf8Bom = Buffer.from([0xef, 0xbb, 0xbf]);
const sampleBytes = 64 * 1024;

// In the order of preference when a header has as many of one as of another.
const delimiters = [';', '\t', ','] as const;

/**
 * Reads the whole file once, a chunk at a time, to find how its text is laid out. The first pass is
 * what makes the encoding certain: an accent that is not UTF-8 may stand on the last line only.
 * Throws SheetError `not_text`, `empty_file`, or what the file system throws.
 */
export async function findTextLayout(path: string): Promise<TextLayout> {
  const strict = new TextDecoder('utf-8', { fatal: true });
  let sample = Buffer.alloc(0);
  let isUtf8 = true;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    if (sample.length === 0) refuseUtf16(chunk, path);
    if (chunk.includes(0)) {
      throw new SheetError('not_text', `${path} is not a text file: save it as CSV (UTF-8).`, {
        file: path,
      });
    }
    if (sample.length < sampleBytes) sample = Buffer.concat([sample, chunk]);
    isUtf8 = isUtf8 && decodes(strict, chunk, true);
  }
  isUtf8 = isUtf8 && decodes(strict, Buffer.alloc(0), false);
  if (sample.length === 0) throw new SheetError('empty_file', `${path} is empty.`, { file: path });

  const hasBom = sample.subarray(0, 3).equals(utf8Bom);
  const bomLength = hasBom ? utf8Bom.length : 0;
  // latin1 keeps one character a byte, so that offsets in the sample are offsets in the file.
  const text = sample.subarray(bomLength).toString('latin1');
  const announced = /^"?sep=([;,|\t])"?(?:\r\n|\n|\r|$)/i.exec(text);
  return {
    encoding: hasBom || isUtf8 ? 'utf-8' : 'windows-1252',
    delimiter: announced?.[1] ?? delimiterOf(text),
    contentStart: bomLength + (announced?.[0].length ?? 0),
  };
}

function refuseUtf16(firstChunk: Buffer, path: string): void {
  const magic = firstChunk.subarray(0, 4).toString('hex');
  if (magic.startsWith('fffe') || magic.startsWith('feff')) {
    throw new SheetError('not_text', `${path} is UTF-16 text: save it as CSV (UTF-8).`, {
      file: path,
    });
  }
}

function decodes(decoder: TextDecoder, chunk: Buffer, stream: boolean): boolean {
  try {
    decoder.decode(chunk, { stream });
    return true;
  } catch {
    return false;
  }
}

/** The delimiter the first line with content has most of, outside quotes; a comma if it has none. */
function delimiterOf(text: string): string {
  const counts = new Map<string, number>(delimiters.map((delimiter) => [delimiter, 0]));
  let quoted = false;
  let hasContent = false;
  for (const character of text) {
    if (character === '"') quoted = !quoted;
    if (quoted) continue;
    if (character === '\n' || character === '\r') {
      if (hasContent) break;
      continue;
    }
    const count = counts.get(character);
    if (count !== undefined) counts.set(character, count + 1);
    else if (character.trim() !== '') hasContent = true;
  }
  let chosen = ',';
  for (const delimiter of delimiters) {
    const best = counts.get(chosen) ?? 0;
    const count = counts.get(delimiter) ?? 0;
    if (count > best || (count === best && count > 0 && chosen === ',')) chosen = delimiter;
  }
  return chosen;
}
