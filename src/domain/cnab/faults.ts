import type { Words } from '../job';
import { byteAt, columnsAt, firstByte, isBlank, isControl, isNul, quoted } from './bytes';
import type { CnabCode } from './checks';
import { hasUtf8Mark, looksLikeUtf16, otherFormat, readAsUtf8 } from './encoding';
import type { Columns, FindingPosition, Found } from './finding';
import { extendedWidth, headerColumns, plainWidth } from './layout';
import type { LineEnd } from './report';

/** What is wrong with a line, and in which columns. */
export type Fault = [code: CnabCode, found: Found, columns: Columns, expected?: Found | undefined];

export const isWhole = (width: number): boolean => width === plainWidth || width === extendedWidth;

export function beginningFault(bytes: Uint8Array, from: number, to: number): Fault | null {
  if (looksLikeUtf16(bytes, from, to))
    return ['utf16', ['two bytes a character', 'dois bytes por caractere'], [1, 2]];
  const format = otherFormat(bytes, from, to);
  if (format !== null) return ['other_format', format, [1, 1]];
  return hasUtf8Mark(bytes, from, to) ? ['utf8_mark', 'EF BB BF', [1, 3]] : null;
}

export function returnedFault(bytes: Uint8Array, from: number): Fault | null {
  const kind = columnsAt(bytes, from, headerColumns.kind);
  const literal = columnsAt(bytes, from, headerColumns.literal);
  if (kind !== '2' && literal.toUpperCase() !== 'RETORNO') return null;
  return ['returned', quoted(`0${kind}${literal}`), [1, 9]];
}

/** A line without the width of a record. @param to less than `width` when the line is very long */
export function widthFault(
  bytes: Uint8Array,
  from: number,
  to: number,
  { end, expected, width }: { end: LineEnd; expected: number; width: number },
): Fault {
  const isShort = width < expected;
  const isCut = end === 'none' && isShort;
  const utf8 = width === to - from ? readAsUtf8(bytes, from, to) : null;
  if (utf8 !== null && isWhole(utf8.characters)) {
    const at = utf8.firstAt - from + 1;
    const found: Words = [
      `${utf8.characters} characters in ${width} bytes`,
      `${utf8.characters} caracteres em ${width} bytes`,
    ];
    return ['utf8_width', found, [at, at + 1]];
  }
  const isBlankBeyond = !isShort && isBlank(bytes, from + expected, to);
  const [en, pt] = isBlankBeyond
    ? [', blank beyond the record', ', em branco além do registro']
    : ['', ''];
  const [wide, largura] = columnCount(width);
  return [
    isCut ? 'cut_short' : 'width',
    [`${wide}${en}`, `${largura}${pt}`],
    isShort ? [width + 1, expected] : [expected + 1, width],
    isCut ? columnCount(expected) : undefined,
  ];
}

/** In a line with bytes that are not plain ASCII text: accents in ISO-8859-1 are welcome. */
export function strangeFaults(bytes: Uint8Array, from: number, to: number, width: number): Fault[] {
  const controlAt = firstByte(bytes, from, to, isControl);
  const nulAt = controlAt < 0 ? -1 : firstByte(bytes, controlAt, to, isNul);
  const fault = (code: CnabCode, found: Found, at: number): Fault => {
    return [code, found, [at - from + 1, at - from + 1]];
  };
  const faults: Fault[] = [];
  if (nulAt >= 0) faults.push(fault('nul_byte', 'NUL', nulAt));
  else if (controlAt >= 0) {
    const code = byteAt(bytes, controlAt).toString(16).padStart(2, '0').toUpperCase();
    faults.push(fault('control_character', `0x${code}`, controlAt));
  }
  const utf8 = isWhole(width) ? readAsUtf8(bytes, from, to) : null;
  const accent: Words = ['an accent in two bytes', 'um acento em dois bytes'];
  if (utf8 !== null) faults.push(fault('utf8_text', accent, utf8.firstAt));
  return faults;
}

/** Of the file as a whole. @param widths records of each width */
export function shapeFaults(
  records: number,
  widths: ReadonlyMap<number, number>,
): [code: CnabCode, found: Found, position: FindingPosition][] {
  const [plain, extended] = [widths.get(plainWidth), widths.get(extendedWidth)];
  if (records === 0) return [['empty', ['no record', 'nenhum registro'], {}]];
  for (const width of [240, 500] as const)
    if (widths.get(width) === records)
      return [[`cnab_${width}`, columnCount(width), { line: 1, columns: [1, width] }]];
  if (extended === 0) return [];
  const found: Words = [
    `${plain} lines of 400 and ${extended} of 444 columns`,
    `${plain} linhas de 400 e ${extended} de 444 colunas`,
  ];
  return plain === 0
    ? [['extended_layout', columnCount(extendedWidth), { columns: [1, extendedWidth] }]]
    : [['mixed_widths', found, { columns: [plainWidth + 1, extendedWidth] }]];
}

function columnCount(width: number): Words {
  return [
    `${width} ${width === 1 ? 'column' : 'columns'}`,
    `${width} ${width === 1 ? 'coluna' : 'colunas'}`,
  ];
}
