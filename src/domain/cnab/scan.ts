import type { Words } from '../job';
import {
  byteAt,
  columnsAt,
  digitsAt,
  firstByte,
  isBlank,
  isControl,
  isNoDigit,
  isNul,
  quoted,
  withoutFiller,
} from './bytes';
import { type CnabCode, cnabChecks, identityCodes } from './checks';
import { hasUtf8Mark, looksLikeUtf16, otherFormat, readAsUtf8 } from './encoding';
import { type Columns, FindingCollector, type Found, nothingFound } from './finding';
import {
  bankName,
  type CnabShape,
  extendedColumns,
  extendedWidth,
  headerColumns,
  layoutName,
  mixedInvoiceKey,
  plainWidth,
  sequenceLength,
} from './layout';
import {
  type CnabHeader,
  readAssignorDocument,
  readHeader,
  readReceivable,
  sequenceAt,
} from './records';
import { ReceivableChecks } from './receivable-checks';
import { RangeHash } from './repeats';
import type { CnabReport, LineEnd, ScanOptions } from './report';

const defaultMostPerCode = 20;
const sequenceModulus = 1_000_000;
const mostWidths = 100;

const type = { header: 0x30, plain: 0x31, bancoDoBrasil: 0x37, trailer: 0x39 } as const;

/**
 * Looks at a CNAB 400 or 444 file line by line, in one pass, holding on to nothing of it but 32
 * bytes a receivable. Never throws, and reads nothing outside the line it is given.
 */
export class CnabScan {
  readonly #findings: FindingCollector<CnabCode>;
  readonly #onReceivable: ScanOptions['onReceivable'];
  readonly #hash = new RangeHash();
  readonly #checks: ReceivableChecks;
  readonly #widths = new Map<number, number>();
  readonly #lineEnds = { lf: 0, crlf: 0, cr: 0 };
  #firstLineEnd: LineEnd | null = null;
  /** Physical line, from 1. */
  #line = 0;
  #records = 0;
  #receivables = 0;
  #sequence = 0;
  #plain = 0;
  #extended = 0;
  #headerWidth = 0;
  #header: CnabHeader | null = null;
  #assignorDocument: string | null = null;
  #receivableType = 0;
  #lastType = 0;
  #trailerLine = 0;
  #lastLine = 0;
  /** The first line that is blank, or ends in NUL or 0x1A, while nothing has followed it. */
  #tail: { line: number; isLine: boolean; nul: boolean } | null = null;
  #somethingElse = false;
  #cutShort = false;

  constructor(options: ScanOptions) {
    this.#findings = new FindingCollector(cnabChecks, options.mostPerCode ?? defaultMostPerCode);
    this.#onReceivable = options.onReceivable;
    this.#checks = new ReceivableChecks(this.#findings, this.#hash, options);
  }

  /**
   * The next line, without its line end.
   *
   * @param width bytes of the whole line, when `from`..`to` are only the beginning of a very long one
   */
  line(bytes: Uint8Array, from: number, to: number, end: LineEnd, width = to - from): void {
    this.#line += 1;
    let start = from;
    if (this.#line === 1) start = this.#beginning(bytes, from, to);
    if (this.#somethingElse) return;
    this.#lineEnd(end);
    const whole = width === to - from;
    const stop = whole ? withoutFiller(bytes, start, to) : to;
    const isNothing = whole && isBlank(bytes, start, stop);
    const hasNul = stop < to && firstByte(bytes, stop, to, isNul) >= 0;
    if (isNothing) {
      this.#tail ??= { line: this.#line, isLine: true, nul: false };
      this.#tail.nul ||= hasNul;
      return;
    }
    this.#resume();
    if (stop < to) this.#tail = { line: this.#line, isLine: false, nul: hasNul };
    this.#record(bytes, start, stop, end, width - (start - from) - (to - stop));
  }

  /** To be called once, after the last line. */
  finish(): CnabReport {
    const shape = this.#shape();
    this.#finishShape(shape);
    this.#finishEnd();
    const isSomethingElse = [...identityCodes].some((code) => this.#findings.has(code));
    const keeps = (code: CnabCode): boolean =>
      !isSomethingElse || identityCodes.has(code) || code === 'nul_byte';
    const header = this.#header;
    return {
      findings: this.#findings.list(keeps),
      counts: this.#findings.counts(keeps),
      layout: header && layoutName(bankName(header.bank, header.bankName), shape),
      shape,
      records: this.#records,
      receivables: this.#receivables,
      ...this.#checks.totals(),
      widths: Object.fromEntries(this.#widths),
      lineEnds: this.#lineEnds,
      header,
      assignorDocument: this.#assignorDocument,
    };
  }

  /** Looks at the first bytes of the file; returns where its first record begins. */
  #beginning(bytes: Uint8Array, from: number, to: number): number {
    const format = otherFormat(bytes, from, to);
    const isUtf16 = looksLikeUtf16(bytes, from, to);
    this.#somethingElse = isUtf16 || format !== null;
    if (isUtf16) this.#add('utf16', ['two bytes a character', 'dois bytes por caractere'], [1, 2]);
    else if (format !== null) this.#add('other_format', format, [1, 1]);
    if (this.#somethingElse || !hasUtf8Mark(bytes, from, to)) return from;
    this.#add('utf8_mark', 'EF BB BF', [1, 3]);
    return from + 3;
  }

  #lineEnd(end: LineEnd): void {
    if (end === 'none') return;
    this.#lineEnds[end] += 1;
    this.#firstLineEnd ??= end;
    if (end !== this.#firstLineEnd || end === 'cr') {
      this.#findings.add('line_end', () => end.toUpperCase(), { line: this.#line });
    }
  }

  /** A record follows: what had looked like the end of the file stands inside it. */
  #resume(): void {
    if (this.#tail === null) return;
    const { line, isLine, nul: hasNul } = this.#tail;
    this.#tail = null;
    if (hasNul) this.#findings.add('nul_byte', 'NUL', { line });
    else if (isLine) this.#findings.add('blank_line', nothingFound, { line, columns: [1, 1] });
    else this.#findings.add('control_character', ['0x1A at its end', '0x1A no fim'], { line });
  }

  #record(bytes: Uint8Array, from: number, to: number, end: LineEnd, width: number): void {
    this.#records += 1;
    const kind = byteAt(bytes, from);
    this.#countWidth(width);
    this.#order(kind, bytes, from, to, width);
    this.#hash.start(bytes);
    if (width === plainWidth || width === extendedWidth) {
      this.#wholeRecord(kind, bytes, from, width);
    } else {
      this.#oddWidth(bytes, from, to, end, width);
      this.#sequence += 1;
      if (this.#isReceivable(kind)) this.#receivables += 1;
      this.#hash.addLine(from, to);
    }
    if (this.#hash.strange !== 0) this.#strangeBytes(bytes, from, to, width);
    this.#lastType = kind;
    this.#lastLine = this.#line;
  }

  #countWidth(width: number): void {
    if (width === plainWidth) this.#plain += 1;
    else if (width === extendedWidth) this.#extended += 1;
    const counted = this.#widths.get(width);
    if (counted === undefined && this.#widths.size >= mostWidths) return;
    this.#widths.set(width, (counted ?? 0) + 1);
  }

  /** Header first, trailer last, and only then. */
  #order(kind: number, bytes: Uint8Array, from: number, to: number, width: number): void {
    const first: Columns = [1, 1];
    const typeFound = (): string => quoted(columnsAt(bytes, from, first));
    if (this.#trailerLine > 0) {
      const position = { line: this.#trailerLine, columns: first };
      this.#findings.add('trailer_inside', ['a trailer', 'um trailer'], position);
      this.#trailerLine = 0;
    }
    if (kind === type.trailer) this.#trailerLine = this.#line;
    if (this.#records === 1) {
      if (kind === type.header) this.#readHeader(bytes, from, to, width);
      else this.#add('first_record', typeFound, first);
    } else if (kind === type.header) {
      this.#add('header_inside', ['a header', 'um header'], first);
    } else if (isNoDigit(kind)) this.#add('record_type', typeFound, first);
  }

  #readHeader(bytes: Uint8Array, from: number, to: number, width: number): void {
    this.#headerWidth = width;
    if (to - from < headerColumns.literal[1]) return;
    const kind = columnsAt(bytes, from, headerColumns.kind);
    const literal = columnsAt(bytes, from, headerColumns.literal);
    if (width !== 240 && (kind === '2' || literal.toUpperCase() === 'RETORNO')) {
      this.#add('returned', quoted(`0${kind}${literal}`), [1, 9]);
    }
    if (to - from < headerColumns.date[1] + 2) return;
    this.#header = readHeader(bytes.subarray(from, to), 0);
    this.#checks.headerBank = digitsAt(bytes, from + headerColumns.bank[0] - 1, 3);
  }

  #oddWidth(bytes: Uint8Array, from: number, to: number, end: LineEnd, width: number): void {
    const expected = this.#headerWidth === extendedWidth ? extendedWidth : plainWidth;
    const short = width < expected;
    const code = end === 'none' && short ? 'cut_short' : 'width';
    this.#cutShort = code === 'cut_short';
    const utf8 = width === to - from ? readAsUtf8(bytes, from, to) : null;
    if (utf8 !== null && [plainWidth, extendedWidth].includes(utf8.characters)) {
      const at = utf8.firstAt - from + 1;
      const found: Words = [
        `${utf8.characters} characters in ${width} bytes`,
        `${utf8.characters} caracteres em ${width} bytes`,
      ];
      return this.#add('utf8_width', found, [at, at + 1]);
    }
    const columns: Columns = short ? [width + 1, expected] : [expected + 1, width];
    const [en, pt] =
      !short && isBlank(bytes, from + expected, to)
        ? [', blank beyond the record', ', em branco além do registro']
        : ['', ''];
    const [wide, largura] = columnCount(width);
    const found: Words = [`${wide}${en}`, `${largura}${pt}`];
    const wanted = code === 'cut_short' ? columnCount(expected) : undefined;
    this.#add(code, found, columns, wanted);
  }

  #wholeRecord(kind: number, bytes: Uint8Array, from: number, width: number): void {
    const sequenceEnd = this.#checkSequence(kind, bytes, from, width);
    if (!this.#isReceivable(kind)) {
      this.#hash.addLine(from, from + width);
      return;
    }
    this.#receivables += 1;
    const isExtended = sequenceEnd === extendedWidth;
    const keyColumns = isExtended ? extendedColumns.invoiceKey : mixedInvoiceKey;
    const key = width === extendedWidth ? keyColumns : null;
    if (this.#receivables === 1) {
      this.#assignorDocument = readAssignorDocument(bytes, from, isExtended);
    }
    this.#checks.check(this.#line, bytes, from, sequenceEnd, width, key);
    this.#onReceivable?.(readReceivable(bytes, from, this.#line, key));
  }

  /**
   * Compares the sequence number; returns the column where it ends. Receivables of 444 columns
   * under a header of 400 have it at 395, as all of the file; some writers put it last.
   */
  #checkSequence(kind: number, bytes: Uint8Array, from: number, width: number): number {
    const expected = (this.#sequence + 1) % sequenceModulus;
    const extended = width === extendedWidth && this.#headerWidth === extendedWidth;
    let end = extended ? extendedWidth : plainWidth;
    let found = sequenceAt(bytes, from, end);
    if (found !== expected && width === extendedWidth && !extended) {
      const last = sequenceAt(bytes, from, extendedWidth);
      if (last === expected) {
        found = last;
        end = extendedWidth;
      }
    }
    this.#sequence = found < 0 ? expected : found;
    if (found < 0) this.#hash.strange = 0x80;
    const wanted = kind === type.trailer ? this.#records % sequenceModulus : expected;
    if (found === wanted && found !== 0) return end;
    const columns: Columns = [end - sequenceLength + 1, end];
    if (found === wanted) this.#add('sequence_wraps', '000000', columns);
    else {
      this.#add(
        kind === type.trailer ? 'trailer_count' : 'sequence',
        () => quoted(columnsAt(bytes, from, columns)),
        columns,
        () => quoted(String(wanted).padStart(sequenceLength, '0')),
      );
    }
    return end;
  }

  /** Type 1, or type 7 in files of Banco do Brasil: the first of the two that the file has. */
  #isReceivable(kind: number): boolean {
    if (kind !== type.plain && kind !== type.bancoDoBrasil) return false;
    if (this.#receivableType === 0) this.#receivableType = kind;
    return kind === this.#receivableType;
  }

  /** Bytes that are not plain ASCII text: accents in ISO-8859-1 are welcome. */
  #strangeBytes(bytes: Uint8Array, from: number, to: number, width: number): void {
    const controlAt = firstByte(bytes, from, to, isControl);
    const nulAt = controlAt < 0 ? -1 : firstByte(bytes, controlAt, to, isNul);
    const add = (code: CnabCode, found: Found, at: number): void =>
      this.#add(code, found, [at - from + 1, at - from + 1]);
    if (nulAt >= 0) add('nul_byte', 'NUL', nulAt);
    else if (controlAt >= 0) {
      const code = byteAt(bytes, controlAt).toString(16).padStart(2, '0').toUpperCase();
      add('control_character', `0x${code}`, controlAt);
    }
    if (width !== plainWidth && width !== extendedWidth) return;
    const utf8 = readAsUtf8(bytes, from, to);
    if (utf8 === null) return;
    add('utf8_text', ['an accent in two bytes', 'um acento em dois bytes'], utf8.firstAt);
  }

  #add(code: CnabCode, found: Found, columns: Columns, expected?: Found): void {
    this.#findings.add(code, found, { line: this.#line, columns }, expected);
  }

  #shape(): CnabShape {
    if (this.#extended === 0) return 'plain';
    return this.#plain === 0 ? 'extended' : 'mixed';
  }

  #finishShape(shape: CnabShape): void {
    if (this.#somethingElse) return;
    const all = (width: number): boolean => this.#widths.get(width) === this.#records;
    const whole = (width: number) => ({ line: 1, columns: [1, width] as const });
    if (this.#records === 0) this.#findings.add('empty', ['no record', 'nenhum registro']);
    else if (all(240)) this.#findings.add('cnab_240', columnCount(240), whole(240));
    else if (all(500)) this.#findings.add('cnab_500', columnCount(500), whole(500));
    if (shape === 'extended') {
      this.#findings.add('extended_layout', columnCount(444), { columns: [1, extendedWidth] });
    } else if (shape === 'mixed') {
      const found: Words = [
        `${this.#plain} lines of 400 and ${this.#extended} of 444 columns`,
        `${this.#plain} linhas de 400 e ${this.#extended} de 444 colunas`,
      ];
      this.#findings.add('mixed_widths', found, { columns: [plainWidth + 1, extendedWidth] });
    }
  }

  #finishEnd(): void {
    if (this.#somethingElse || this.#records === 0) return;
    const tail = this.#tail;
    if (tail !== null) {
      const found: Words = tail.nul
        ? ['NUL bytes', 'bytes NUL']
        : ['blanks or 0x1A', 'espaços ou 0x1A'];
      this.#findings.add('end_mark', found, { line: tail.line });
    }
    const last = { line: this.#lastLine, columns: [1, 1] as const };
    if (this.#lastType !== type.trailer && !this.#cutShort) {
      this.#findings.add('last_record', quoted(String.fromCharCode(this.#lastType)), last);
    }
    if (this.#receivables === 0) {
      this.#findings.add('no_receivable', ['none', 'nenhum'], last);
    }
  }
}

function columnCount(width: number): Words {
  return [
    `${width} ${width === 1 ? 'column' : 'columns'}`,
    `${width} ${width === 1 ? 'coluna' : 'colunas'}`,
  ];
}
