import type { Words } from '../job';
import { byteAt, textAt } from './bytes';

/** Characters that the bytes from..to write as UTF-8, and where the first one beyond ASCII stands. */
export interface Utf8Reading {
  characters: number;
  /** Offset of the first byte beyond ASCII. */
  firstAt: number;
}

/** Null when there is nothing beyond ASCII, or when it is not UTF-8. */
export function readAsUtf8(bytes: Uint8Array, from: number, to: number): Utf8Reading | null {
  let characters = 0;
  let firstAt = -1;
  for (let at = from; at < to; characters += 1) {
    const byte = byteAt(bytes, at);
    if (byte < 0x80) {
      at += 1;
      continue;
    }
    const length = sequenceLength(byte);
    if (length === 0 || !continues(bytes, at + 1, Math.min(at + length, to), length - 1)) {
      return null;
    }
    if (firstAt < 0) firstAt = at;
    at += length;
  }
  return firstAt < 0 ? null : { characters, firstAt };
}

function sequenceLength(lead: number): number {
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

function continues(bytes: Uint8Array, from: number, to: number, count: number): boolean {
  if (to - from !== count) return false;
  for (let at = from; at < to; at += 1) if ((byteAt(bytes, at) & 0xc0) !== 0x80) return false;
  return true;
}

const beginnings: readonly [bytes: string, name: Words][] = [
  [
    'PK\x03\x04',
    [
      'a ZIP file (or a workbook); the invoices go with --xmls',
      'um arquivo ZIP (ou uma pasta de trabalho); as notas vão em --xmls',
    ],
  ],
  ['PK\x05\x06', ['an empty ZIP file', 'um arquivo ZIP vazio']],
  ['%PDF', ['a PDF', 'um PDF']],
  [
    '\xd0\xcf\x11\xe0',
    ['an old Office file (.xls, .doc)', 'um arquivo antigo do Office (.xls, .doc)'],
  ],
  ['\x1f\x8b', ['a gzip file', 'um arquivo gzip']],
  ['Rar!', ['a RAR file', 'um arquivo RAR']],
  ['7z\xbc\xaf', ['a 7z file', 'um arquivo 7z']],
  ['<?xml', ['an XML document', 'um documento XML']],
  ['\xef\xbb\xbf<?xml', ['an XML document', 'um documento XML']],
];

export function otherFormat(bytes: Uint8Array, from: number, to: number): Words | null {
  const found = beginnings.find(
    ([text]) => text.length <= to - from && textAt(bytes, from, text.length) === text,
  );
  return found?.[1] ?? null;
}

/** UTF-16, with its mark or by a NUL beside the first digit. */
export function looksLikeUtf16(bytes: Uint8Array, from: number, to: number): boolean {
  if (to - from < 2) return false;
  const first = byteAt(bytes, from);
  const second = byteAt(bytes, from + 1);
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true;
  const ascii = (byte: number): boolean => byte > 0x20 && byte < 0x7f;
  return (first === 0 && ascii(second)) || (ascii(first) && second === 0);
}

export function hasUtf8Mark(bytes: Uint8Array, from: number, to: number): boolean {
  return to - from >= 3 && textAt(bytes, from, 3) === '\xef\xbb\xbf';
}
