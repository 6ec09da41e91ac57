import type { Words } from '../job';
import {
  byteAt,
  columnsAt,
  digitsAt,
  firstByte,
  isBlank,
  isNoDigit,
  isNul,
  quoted,
  withoutFiller,
} from './bytes';
import { type CnabCode, cnabChecks, identityCodes } from './checks';
import {
  beginningFault,
  isWhole,
  returnedFault,
  shapeFaults,
  strangeFaults,
  widthFault,
  type Fault,
} from './faults';
import { type Columns, FindingCollector, nothingFound } from './finding';
import {
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
  readInvoiceKey,
  sequenceAt,
} from './records';
import { ReceivableChecks } from './receivable-checks';
import { RangeHash } from './repeats';
import type { CnabReport, LineEnd, ScanOptions } from './report';

const defaultMostPerCode = 20;
const sequenceModulus = 1_000_000;

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
  readonly #widths = new Map<number, number>([240, 400, 444, 500].map((width) => [width, 0]));
  #firstLineEnd: LineEnd | null = null;
  #line = 0;
  #records = 0;
  #receivables = 0;
  #sequence = 0;
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

  finish(): CnabReport {
    const [plain, extended] = [this.#widths.get(plainWidth), this.#widths.get(extendedWidth)];
    const shape = extended === 0 ? 'plain' : plain === 0 ? 'extended' : 'mixed';
    if (!this.#somethingElse) {
      for (const fault of shapeFaults(this.#records, this.#widths)) this.#findings.add(...fault);
      this.#finishEnd();
    }
    const isSomethingElse = [...identityCodes].some((code) => this.#findings.has(code));
    const keeps = (code: CnabCode): boolean =>
      !isSomethingElse || identityCodes.has(code) || code === 'nul_byte';
    const header = this.#header;
    return {
      findings: this.#findings.list(keeps),
      counts: this.#findings.counts(keeps),
      layout: header && layoutName(header, shape),
      shape,
      records: this.#records,
      receivables: this.#receivables,
      ...this.#checks.totals(),
      header,
      assignorDocument: this.#assignorDocument,
    };
  }

  /** @returns where the first record of the file begins */
  #beginning(bytes: Uint8Array, from: number, to: number): number {
    const fault = beginningFault(bytes, from, to);
    if (fault === null) return from;
    this.#add(...fault);
    this.#somethingElse = fault[0] !== 'utf8_mark';
    return this.#somethingElse ? from : from + 3;
  }

  #lineEnd(end: LineEnd): void {
    if (end === 'none') return;
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
    const alike = this.#widths.get(width);
    if (alike !== undefined) this.#widths.set(width, alike + 1);
    this.#order(kind, bytes, from, to, width);
    this.#hash.start(bytes);
    if (isWhole(width)) this.#wholeRecord(kind, bytes, from, width);
    else {
      const expected = this.#headerWidth === extendedWidth ? extendedWidth : plainWidth;
      const fault = widthFault(bytes, from, to, { end, expected, width });
      this.#cutShort = end === 'none' && width < expected;
      this.#add(...fault);
      this.#sequence += 1;
      if (this.#isReceivable(kind)) this.#receivables += 1;
      this.#hash.addLine(from, to);
    }
    if (this.#hash.strange !== 0)
      for (const fault of strangeFaults(bytes, from, to, width)) this.#add(...fault);
    this.#lastType = kind;
    this.#lastLine = this.#line;
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
    const fault = width === 240 ? null : returnedFault(bytes, from);
    if (fault !== null) this.#add(...fault);
    if (to - from < headerColumns.bankName[1]) return;
    this.#header = readHeader(bytes.subarray(from, to), 0);
    this.#checks.headerBank = digitsAt(bytes, from + headerColumns.bank[0] - 1, 3);
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
    this.#onReceivable?.({
      line: this.#line,
      invoiceKey: readInvoiceKey(bytes, from, key),
      invoiceKeyColumns: key,
    });
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

  #add(...[code, found, columns, expected]: Fault): void {
    this.#findings.add(code, found, { line: this.#line, columns }, expected);
  }

  #finishEnd(): void {
    if (this.#records === 0) return;
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
