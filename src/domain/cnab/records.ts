import { isValidCnpj, isValidCpf, type DocumentType } from '../core/documents/documents';
import { byteAt, columnsAt, dateText, digitsAt, longDateAt, shortDateAt } from './bytes';
import type { Columns } from './finding';
import {
  banksWithLongDate,
  extendedColumns,
  fileNumberColumns,
  headerColumns,
  receivableColumns,
  sequenceLength,
} from './layout';

/** What the header tells; '' where it is blank. */
export interface CnabHeader {
  companyCode: string;
  companyName: string;
  /** Three digits. */
  bank: string;
  bankName: string;
  /** `YYYY-MM-DD`, or null when it cannot be read. */
  writtenOn: string | null;
  fileNumber: number | null;
}

export function readHeader(bytes: Uint8Array, from: number): CnabHeader {
  const text = (columns: Columns): string => columnsAt(bytes, from, columns).trim();
  const bank = text(headerColumns.bank);
  const dateFrom = from + headerColumns.date[0] - 1;
  const longDate = banksWithLongDate.has(bank);
  const number = fileNumberColumns(bank);
  const fileNumber = number === null ? -1 : Number(text(number) || '-1');
  return {
    companyCode: text(headerColumns.company),
    companyName: text(headerColumns.companyName),
    bank,
    bankName: text(headerColumns.bankName),
    writtenOn: dateText(longDate ? longDateAt(bytes, dateFrom) : shortDateAt(bytes, dateFrom)),
    fileNumber: Number.isInteger(fileNumber) && fileNumber >= 0 ? fileNumber : null,
  };
}

/** One receivable, read as far as it can be. */
export interface CnabReceivable {
  /** Physical line, from 1. */
  line: number;
  payerType: DocumentType | null;
  /** 11 or 14 characters; the columns as they stand, trimmed, when they are no document. */
  payerDocument: string;
  payerName: string;
  number: string;
  /** `YYYY-MM-DD`. */
  dueOn: string | null;
  issuedOn: string | null;
  valueCents: number | null;
  /** As it stands; null when the layout has none or it is blank. */
  invoiceKey: string | null;
  invoiceKeyColumns: Columns | null;
}

/** @param keyColumns where this record has an NF-e key; null when its layout has none */
export function readReceivable(
  bytes: Uint8Array,
  from: number,
  line: number,
  keyColumns: Columns | null,
): CnabReceivable {
  const start = (columns: Columns): number => from + columns[0] - 1;
  const payer = readPayer(bytes, from);
  const value = digitsAt(bytes, start(receivableColumns.value), 13);
  return {
    line,
    payerType: payer.documentType,
    payerDocument: payer.document,
    payerName: columnsAt(bytes, from, receivableColumns.payerName).trim(),
    number: columnsAt(bytes, from, receivableColumns.number).trim(),
    dueOn: dateText(shortDateAt(bytes, start(receivableColumns.due))),
    issuedOn: dateText(shortDateAt(bytes, start(receivableColumns.issued))),
    valueCents: value < 0 ? null : value,
    invoiceKey: readInvoiceKey(bytes, from, keyColumns),
    invoiceKeyColumns: keyColumns,
  };
}

export interface Payer {
  documentType: DocumentType | null;
  document: string;
  columns: Columns;
  valid: boolean;
}

const oneDigitPayer: Columns = [220, 233];

/**
 * The payer's document: 14 columns after a type of two digits (01 CPF, 02 CNPJ), or after one of
 * one digit, as a manual of Bradesco has it. A CPF has zeros before it, or blanks behind.
 */
export function readPayer(bytes: Uint8Array, from: number): Payer {
  const typeFrom = from + receivableColumns.payerType[0] - 1;
  const first = byteAt(bytes, typeFrom) - 48;
  const second = byteAt(bytes, typeFrom + 1) - 48;
  if (first === 0 && (second === 1 || second === 2)) {
    return payerAt(bytes, from, receivableColumns.payerDocument, second === 1 ? 'cpf' : 'cnpj');
  }
  if (first === 1 || first === 2) {
    const payer = payerAt(bytes, from, oneDigitPayer, first === 1 ? 'cpf' : 'cnpj');
    if (payer.valid) return payer;
  }
  return payerAt(bytes, from, receivableColumns.payerDocument, null);
}

function payerAt(
  bytes: Uint8Array,
  from: number,
  columns: Columns,
  reported: DocumentType | null,
): Payer {
  const text = columnsAt(bytes, from, columns);
  const found = documentIn(text, reported);
  if (found !== null) return { ...found, columns, valid: true };
  return { documentType: reported, document: text.trim(), columns, valid: false };
}

/** A CPF in columns for a CNPJ has zeros in front, or blanks behind. */
function documentIn(
  text: string,
  reported: DocumentType | null = null,
): Pick<Payer, 'documentType' | 'document'> | null {
  if (reported !== 'cpf' && isValidCnpj(text)) return { documentType: 'cnpj', document: text };
  const digits = text.startsWith('000') ? text.slice(3) : text.trimEnd();
  const isCpf = reported !== 'cnpj' && isValidCpf(digits);
  return isCpf ? { documentType: 'cpf', document: digits } : null;
}

/** The key as it stands; null when there are no such columns, or they are blank or zero. */
export function readInvoiceKey(
  bytes: Uint8Array,
  from: number,
  columns: Columns | null,
): string | null {
  if (columns === null) return null;
  const first = byteAt(bytes, from + columns[0] - 1);
  const text = columnsAt(bytes, from, columns);
  return (first === 32 || first === 48) && /^[ 0]*$/.test(text) ? null : text;
}

/** The assignor's document, where the layout has it: CNPJ or CPF whose check digits agree. */
export function readAssignorDocument(
  bytes: Uint8Array,
  from: number,
  extended: boolean,
): string | null {
  const type = columnsAt(bytes, from, receivableColumns.assignorType);
  const columns = [
    ...(type === '01' || type === '02' ? [receivableColumns.assignorDocument] : []),
    ...(extended ? [extendedColumns.assignorDocument] : []),
  ];
  const found = columns.map((one) => documentIn(columnsAt(bytes, from, one))?.document ?? null);
  return found.find((document) => document !== null) ?? null;
}

/** The sequence number, the last six columns of a record this wide; -1 when it is none. */
export function sequenceAt(bytes: Uint8Array, from: number, width: number): number {
  return digitsAt(bytes, from + width - sequenceLength, sequenceLength);
}
