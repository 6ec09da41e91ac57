/**
 * Windows-1252 is latin1 except for 0x80 to 0x9f. TextDecoder is no help: from 20.18.3 on, Node
 * decodes that range as control characters (nodejs/node#56542, #60888).
 */
const differing =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178';

/** One byte, one character: chunks can be decoded separately. */
export function decodeWindows1252(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replaceAll(/[\u0080-\u009f]/g, (control) => differing.charAt(control.charCodeAt(0) - 0x80));
}
