import type { Words } from '../job';
import { isValidInvoiceKey } from './invoice-key';
import { maskDocument } from '../core/documents/documents';
import { columnsAt, dateText, digitsAt, firstByte, isNoDigit, quoted, shortDateAt } from './bytes';
import type { CnabCode } from './checks';
import { type Columns, type FindingCollector, type Found, nothingFound } from './finding';
import { receivableColumns, sequenceLength } from './layout';
import { isPlainInvoiceKey, isPlainPayer } from './plain-digits';
import { readInvoiceKey, readPayer } from './records';
import { type RangeHash, Repeats } from './repeats';

const cents = 1_000_000;

export interface ReceivableTotals {
  totalCents: bigint;
  valued: number;
  withInvoiceKey: number;
  /** The earliest and the latest due date, `YYYY-MM-DD`; null when none can be read. */
  dueFrom: string | null;
  dueTo: string | null;
}

export class ReceivableChecks {
  readonly #findings: FindingCollector<CnabCode>;
  readonly #hash: RangeHash;
  readonly #today: number;
  readonly #repeats: Repeats;
  /** The bank's number in the header; -1 before it is known. */
  headerBank = -1;
  #line = 0;
  #withInvoiceKey = 0;
  #dueFrom = Number.POSITIVE_INFINITY;
  #dueTo = -1;
  // A total in cents may be beyond what a number holds exactly, so it is kept in two.
  #totalHigh = 0;
  #totalLow = 0;
  #valued = 0;

  constructor(
    findings: FindingCollector<CnabCode>,
    hash: RangeHash,
    { today, expectedLines = 0 }: { today: string; expectedLines?: number },
  ) {
    this.#findings = findings;
    this.#hash = hash;
    this.#today = Number(today.replaceAll('-', ''));
    this.#repeats = new Repeats(expectedLines);
  }

  /**
   * @param sequenceEnd the column in which its sequence number ends
   * @param key where it has an NF-e key; null when its layout has none
   */
  check(
    line: number,
    bytes: Uint8Array,
    from: number,
    sequenceEnd: number,
    width: number,
    key: Columns | null,
  ): void {
    this.#line = line;
    this.#checkRepeat(from, sequenceEnd, width);
    this.#checkBank(bytes, from);
    this.#checkDue(bytes, from);
    this.#checkValue(bytes, from);
    this.#checkPayer(bytes, from);
    if (key !== null) this.#checkInvoiceKey(bytes, from, key);
  }

  totals(): ReceivableTotals {
    return {
      totalCents: BigInt(this.#totalHigh) * BigInt(cents) + BigInt(this.#totalLow),
      valued: this.#valued,
      withInvoiceKey: this.#withInvoiceKey,
      dueFrom: this.#dueTo < 0 ? null : dateText(this.#dueFrom),
      dueTo: dateText(this.#dueTo),
    };
  }

  #checkRepeat(from: number, sequenceEnd: number, width: number): void {
    const hash = this.#hash;
    const [payerFrom, payerTo] = receivableColumns.payerDocument;
    hash.addKey(from + receivableColumns.number[0] - 1, from + receivableColumns.value[1]);
    hash.addKey(from + payerFrom - 1, from + payerTo);
    hash.addLine(from, from + sequenceEnd - sequenceLength);
    if (sequenceEnd < width) hash.addLine(from + sequenceEnd, from + width);
    const repeat = this.#repeats.seen(hash.first, hash.second, hash.line, this.#line);
    if (repeat === null) return;
    const code = repeat.wholeLine ? 'repeated_line' : 'repeated_receivable';
    const same: Words = [`the same as line ${repeat.line}`, `o mesmo que na linha ${repeat.line}`];
    this.#add(code, same, repeat.wholeLine ? [1, width] : [111, 139]);
  }

  #checkBank(bytes: Uint8Array, from: number): void {
    const bank = digitsAt(bytes, from + receivableColumns.bank[0] - 1, 3);
    if (bank <= 0 || this.headerBank <= 0 || bank === this.headerBank) return;
    const shown = (code: number) => () => quoted(String(code).padStart(3, '0'));
    this.#add('bank_differs', shown(bank), receivableColumns.bank, shown(this.headerBank));
  }

  #checkDue(bytes: Uint8Array, from: number): void {
    const due = shortDateAt(bytes, from + receivableColumns.due[0] - 1);
    if (due >= this.#today) {
      if (due > this.#dueTo) this.#dueTo = due;
      if (due < this.#dueFrom) this.#dueFrom = due;
      return;
    }
    if (due >= 0) {
      this.#dueTo = Math.max(this.#dueTo, due);
      this.#dueFrom = Math.min(this.#dueFrom, due);
    }
    const { due: columns } = receivableColumns;
    if (due < 0) this.#add('due_date', () => quoted(columnsAt(bytes, from, columns)), columns);
    else this.#add('due_date_past', () => dateText(due) ?? '', columns);
  }

  #checkValue(bytes: Uint8Array, from: number): void {
    const columns = receivableColumns.value;
    const value = digitsAt(bytes, from + columns[0] - 1, columns[1] - columns[0] + 1);
    if (value >= 0) this.#valued += 1;
    if (value > 0) {
      this.#totalHigh += Math.floor(value / cents);
      this.#totalLow += value % cents;
      return;
    }
    if (value === 0) return this.#add('value_zero', 'zero', columns);
    const at = firstByte(bytes, from + columns[0] - 1, from + columns[1], isNoDigit);
    const column = at - from + 1;
    const found = (): Words => {
      const text = quoted(columnsAt(bytes, from, [column, column]));
      return [`${text} in column ${column}`, `${text} na coluna ${column}`];
    };
    this.#add('value', found, columns);
  }

  #checkPayer(bytes: Uint8Array, from: number): void {
    if (isPlainPayer(bytes, from)) return;
    const { documentType, document, columns, valid } = readPayer(bytes, from);
    if (valid) return;
    const masked = maskDocument(documentType === 'cpf' ? document.slice(-11) : document);
    const kind = documentType?.toUpperCase();
    const found: Words =
      document === ''
        ? nothingFound
        : [
            `${masked} (${kind ?? 'neither CPF nor CNPJ'})`,
            `${masked} (${kind ?? 'nem CPF nem CNPJ'})`,
          ];
    this.#add('payer_document', found, columns);
  }

  #checkInvoiceKey(bytes: Uint8Array, from: number, columns: Columns): void {
    if (isPlainInvoiceKey(bytes, from + columns[0] - 1)) {
      this.#withInvoiceKey += 1;
      return;
    }
    const key = readInvoiceKey(bytes, from, columns);
    if (key === null) return;
    this.#withInvoiceKey += 1;
    if (isValidInvoiceKey(key)) return;
    const shaped = /^[0-9A-Z]{44}$/.test(key);
    const found: Words = shaped
      ? ['a check digit that does not agree', 'um dígito verificador que não confere']
      : ['characters that no key has', 'caracteres que nenhuma chave tem'];
    this.#add('invoice_key', found, columns);
  }

  #add(code: CnabCode, found: Found, columns: Columns, expected?: Found): void {
    this.#findings.add(code, found, { line: this.#line, columns }, expected);
  }
}
