import { isValidCnpj, isValidCpf, type DocumentType } from '../core/documents/documents';
import { byteAt, columnsAt, digitsAt } from './bytes';
import type { Columns } from './finding';
import { extendedColumns, headerColumns, receivableColumns, sequenceLength } from './layout';

export interface CnabHeader {
  companyName: string;
  bank: string;
  bankName: string;
}

export function readHeader(bytes: Uint8Array, from: number): CnabHeader {
  const text = (columns: Columns): string => columnsAt(bytes, from, columns).trim();
  const { bank, bankName, companyName } = headerColumns;
  return { companyName: text(companyName), bank: text(bank), bankName: text(bankName) };
}

export interface CnabReceivable {
  line: number;
  /** As it stands; null when the layout has none or it is blank. */
  invoiceKey: string | null;
  invoiceKeyColumns: Columns | null;
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
