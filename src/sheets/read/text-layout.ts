import { createReadStream } from 'node:fs';
import { TextDecoder } from 'node:util';

import { fileError } from '../sheet-error';

export type TextEncoding = 'utf-8' | 'windows-1252' | 'utf-16le' | 'utf-16be';

export interface TextLayout {
  encoding: TextEncoding;
  delimiter: string;
  /** Bytes before the first line that a spreadsheet shows: a BOM, a `sep=;` line. */
  contentStart: number;
}

const utf8Bom = Buffer.from([0xef, 0xbb, 0xbf]);
const sampleBytes = 64 * 1024;
const mostLines = 40;

// In order of preference when a header has equally many.
const delimiters = [';', '\t', ','] as const;

/**
 * Reads the whole file once, in chunks: the only accent that is not UTF-8 may be on the last line.
 *
 * @throws SheetError `not_text`, `empty_file`, or an error of the file system
 */
export async function findTextLayout(path: string): Promise<TextLayout> {
  const strict = new TextDecoder('utf-8', { fatal: true });
  let sample = Buffer.alloc(0);
  let isUtf8 = true;
  let wide: 'utf-16le' | 'utf-16be' | undefined;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    if (sample.length === 0) wide = wideEncodingOf(chunk);
    if (wide === undefined && chunk.includes(0)) {
      throw fileError('not_text', path, [
        ' is not a text file: save it as CSV (UTF-8).',
        ' não é um arquivo de texto: salve-o como CSV (UTF-8).',
      ]);
    }
    if (sample.length < sampleBytes) sample = Buffer.concat([sample, chunk]);
    isUtf8 = isUtf8 && decodes(strict, chunk, true);
  }
  isUtf8 = isUtf8 && decodes(strict, Buffer.alloc(0), false);
  if (sample.length === 0) throw fileError('empty_file', path, [' is empty.', ' está vazio.']);

  const hasBom = sample.subarray(0, 3).equals(utf8Bom);
  const bomLength = wide !== undefined ? 2 : hasBom ? utf8Bom.length : 0;
  // latin1 has one character a byte, so that offsets in the sample are offsets in the file.
  const bytes = sample.subarray(bomLength);
  const text = wide === undefined ? bytes.toString('latin1') : new TextDecoder(wide).decode(bytes);
  const announced = /^"?sep=([;,|\t])"?(?:\r\n|\n|\r|$)/i.exec(text);
  return {
    encoding: wide ?? (hasBom || isUtf8 ? 'utf-8' : 'windows-1252'),
    delimiter: announced?.[1] ?? delimiterOf(text),
    contentStart: bomLength + (announced?.[0].length ?? 0) * (wide === undefined ? 1 : 2),
  };
}

/** UTF-16, which Excel calls Unicode text, by its BOM. */
function wideEncodingOf(firstChunk: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  const magic = firstChunk.subarray(0, 2).toString('hex');
  return magic === 'fffe' ? 'utf-16le' : magic === 'feff' ? 'utf-16be' : undefined;
}

function decodes(decoder: TextDecoder, chunk: Buffer, stream: boolean): boolean {
  try {
    decoder.decode(chunk, { stream });
    return true;
  } catch {
    return false;
  }
}

/**
 * The delimiter that occurs equally often, outside quotes, in two consecutive non-empty lines: a title above
 * the header may have any. Else that of the first line with one; a comma when none has.
 */
function delimiterOf(text: string): string {
  const lines = countsOfLines(text);
  const best = (at: number, isGood: (delimiter: string) => boolean): string | undefined =>
    delimiters
      .filter((delimiter) => lines[at]?.has(delimiter) === true && isGood(delimiter))
      .sort((one, other) => (lines[at]?.get(other) ?? 0) - (lines[at]?.get(one) ?? 0))[0];
  for (const at of lines.keys()) {
    const found = best(at, (one) => lines[at]?.get(one) === lines[at + 1]?.get(one));
    if (found !== undefined) return found;
  }
  const first = lines.findIndex((counts) => counts.size > 0);
  return best(first, () => true) ?? delimiters.find((one) => text.includes(one)) ?? ',';
}

function countsOfLines(text: string): Map<string, number>[] {
  const lines: Map<string, number>[] = [];
  let counts = new Map<string, number>();
  let quoted = false;
  let hasContent = false;
  for (const character of `${text}\n`) {
    if (character === '"') quoted = !quoted;
    if (quoted) continue;
    if (character === '\n' || character === '\r') {
      if (hasContent) lines.push(counts);
      if (lines.length === mostLines) break;
      counts = new Map();
      hasContent = false;
    } else if (delimiters.some((delimiter) => delimiter === character)) {
      counts.set(character, (counts.get(character) ?? 0) + 1);
    } else hasContent ||= character.trim() !== '';
  }
  return lines;
}
