import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { cnpj, cpf } from './documents';
import { invoiceKey, invoiceXml, testInvoice } from './invoice-files';
import { zipFile } from './zip-files';

/**
 * CNAB files by script: invented companies and people, right check digits, nothing copied. What
 * differs between banks is what their public manuals say of the columns that are written here.
 */
export interface CnabBank {
  code: string;
  name: string;
  /** Type of the record that holds a receivable. */
  receivableType: '1' | '7';
  /** Whether columns 2 to 17 of a receivable hold the assignor's document. */
  tellsAssignor: boolean;
  /** Columns 10 to 26 of the header. */
  service: string;
  /** Columns 101 to 394 of the header. */
  headerRest: (fileNumber: number) => string;
}

const numberAt101 = (fileNumber: number): string => digits(fileNumber, 7);
const nothing = (): string => '';

export const banks = {
  bradesco: {
    code: '237',
    name: 'BRADESCO',
    receivableType: '1',
    tellsAssignor: false,
    service: '01COBRANCA',
    headerRest: (number) => `${' '.repeat(8)}MX${digits(number, 7)}`,
  },
  itau: {
    code: '341',
    name: 'BANCO ITAU SA',
    receivableType: '1',
    tellsAssignor: true,
    service: '01COBRANCA',
    headerRest: nothing,
  },
  santander: {
    code: '033',
    name: 'SANTANDER',
    receivableType: '1',
    tellsAssignor: true,
    service: '01COBRANCA',
    headerRest: nothing,
  },
  bancoDoBrasil: {
    code: '001',
    name: 'BANCO DO BRASIL',
    receivableType: '7',
    tellsAssignor: true,
    service: '01COBRANCA',
    headerRest: numberAt101,
  },
  sicoob: {
    code: '756',
    name: 'BANCOOBCED',
    receivableType: '1',
    tellsAssignor: true,
    service: '01COBRANCA',
    headerRest: numberAt101,
  },
  banrisul: {
    code: '041',
    name: 'BANRISUL',
    receivableType: '1',
    tellsAssignor: false,
    service: '',
    headerRest: nothing,
  },
  bancoDoNordeste: {
    code: '004',
    name: 'B. DO NORDESTE',
    receivableType: '1',
    tellsAssignor: false,
    service: '01COBRANCA',
    headerRest: nothing,
  },
  paulista: {
    code: '611',
    name: 'PAULISTA S.A.',
    receivableType: '1',
    tellsAssignor: false,
    service: '01COBRANCA',
    headerRest: nothing,
  },
} as const satisfies Record<string, CnabBank>;

export type BankName = keyof typeof banks;

export interface TestReceivable {
  /** CPF or CNPJ, without punctuation. */
  payer: string;
  payerName: string;
  number: string;
  /** `DDMMYY`. */
  due: string;
  cents: number;
  /** 44 characters; none in files of 400 columns. */
  invoiceKey: string | null;
  /** Overrides of whole columns: the first column, and what stands from there on. */
  columns?: readonly (readonly [from: number, text: string])[];
}

export type FileShape = 'plain' | 'extended' | 'mixed';

export interface FileTerms {
  bank?: BankName;
  /** Files of Paulista have 444 columns in every line, others 400, unless told otherwise. */
  shape?: FileShape;
  lineEnd?: '\n' | '\r\n' | '\r';
  assignor?: string;
  assignorName?: string;
  fileNumber?: number;
  receivables?: number | readonly TestReceivable[];
}

export const testAssignor = { document: cnpj(77), name: 'FORNECEDORA EXEMPLO LTDA' } as const;

/**
 * The `index`th receivable, from 0, of a file: forty payers, every tenth a person; NF-e keys shared
 * by two receivables each, as instalments do; due in 2031.
 */
export function testReceivable(index: number, assignor: string = testAssignor.document) {
  const payer = 500 + (index % 40);
  const isPerson = index % 10 === 9;
  const receivable: TestReceivable = {
    payer: isPerson ? cpf(payer) : cnpj(payer),
    payerName: isPerson ? `PESSOA INVENTADA ${payer}` : `COMPRADORA INVENTADA ${payer} SA`,
    number: `${digits(Math.floor(index / 2) + 1, 7)}/${(index % 2) + 1}`,
    due: `${digits((index % 28) + 1, 2)}${digits((index % 12) + 1, 2)}31`,
    cents: 100_000 + ((index * 7_919) % 900_000),
    invoiceKey: invoiceKey({ issuer: assignor, number: Math.floor(index / 2) + 1 }),
  };
  return receivable;
}

/** The ZIP with every invoice of so many receivables of `testReceivable`: one for two of them. */
export function invoiceZip(receivables: number): Buffer {
  const entries = Array.from({ length: Math.ceil(receivables / 2) }, (_, index) => {
    const { payer } = testReceivable(index * 2);
    const number = index + 1;
    const invoice = testInvoice({ issuer: testAssignor.document, recipient: payer, number });
    return { name: `${number}.xml`, content: invoiceXml(invoice) };
  });
  return zipFile(entries);
}

/** The lines of a file, without line ends, in ISO-8859-1 (a character is a byte). */
export function* cnabLines(terms: FileTerms = {}): Generator<string, void> {
  const bank = banks[terms.bank ?? 'bradesco'];
  const shape = terms.shape ?? (terms.bank === 'paulista' ? 'extended' : 'plain');
  const extended = shape === 'extended';
  const assignor = terms.assignor ?? testAssignor.document;
  let sequence = 1;
  yield headerLine(bank, terms, extended);
  for (const receivable of receivablesOf(terms, assignor)) {
    sequence += 1;
    yield receivableLine(bank, receivable, { sequence, shape, assignor });
  }
  sequence += 1;
  yield record(extended, [[1, '9']], sequence);
}

function* receivablesOf(terms: FileTerms, assignor: string): Generator<TestReceivable, void> {
  const wanted = terms.receivables ?? 3;
  if (typeof wanted !== 'number') yield* wanted;
  else for (let index = 0; index < wanted; index += 1) yield testReceivable(index, assignor);
}

/** A whole file; it ends with a line end, as those of banks do. */
export function cnabFile(terms: FileTerms = {}): Buffer {
  const lineEnd = terms.lineEnd ?? '\n';
  return Buffer.from(`${[...cnabLines(terms)].join(lineEnd)}${lineEnd}`, 'latin1');
}

/** The same, written piece by piece: for a file of hundreds of megabytes. */
export async function writeCnabFile(path: string, terms: FileTerms): Promise<void> {
  const lineEnd = terms.lineEnd ?? '\n';
  const file = createWriteStream(path);
  let piece: string[] = [];
  const flush = async (): Promise<void> => {
    const text = piece.join('');
    piece = [];
    if (!file.write(text, 'latin1')) await once(file, 'drain');
  };
  for (const line of cnabLines(terms)) {
    piece.push(line, lineEnd);
    if (piece.length === 2_000) await flush();
  }
  await flush();
  file.end();
  await once(file, 'finish');
}

function headerLine(bank: CnabBank, terms: FileTerms, extended: boolean): string {
  return record(
    extended,
    [
      [1, '01REMESSA'],
      [10, bank.service],
      [27, '00000000000001234567'],
      [47, terms.assignorName ?? testAssignor.name],
      [77, bank.code],
      [80, bank.name],
      [95, '021126'],
      [101, bank.headerRest(terms.fileNumber ?? 1)],
    ],
    1,
  );
}

function receivableLine(
  bank: CnabBank,
  receivable: TestReceivable,
  { sequence, shape, assignor }: { sequence: number; shape: FileShape; assignor: string },
): string {
  const isPerson = receivable.payer.length === 11;
  const extended = shape === 'extended';
  const key = receivable.invoiceKey ?? '';
  const fields: (readonly [number, string])[] = [
    [1, bank.receivableType],
    ...(bank.tellsAssignor ? ([[2, `02${assignor}`]] as const) : []),
    [38, `CTRL${receivable.number}`],
    [109, '01'],
    [111, receivable.number],
    [121, receivable.due],
    [127, digits(receivable.cents, 13)],
    [140, bank.code],
    [148, '01N021126'],
    [219, isPerson ? '01' : '02'],
    [221, receivable.payer.padStart(14, '0')],
    [235, receivable.payerName],
    [275, 'RUA DOS EXEMPLOS 100'],
    [327, '01001000'],
    ...(extended ? ([[381, assignor]] as const) : []),
    ...(extended ? ([[395, key]] as const) : []),
    ...(receivable.columns ?? []),
  ];
  const line = record(extended, fields, sequence);
  return shape === 'mixed' ? `${line}${key.padEnd(44)}` : line;
}

/** Blanks, with these texts from these columns on (1-based), and the sequence number last. */
function record(
  extended: boolean,
  fields: readonly (readonly [from: number, text: string])[],
  sequence: number,
): string {
  const width = extended ? 444 : 400;
  let line = ' '.repeat(width - 6) + digits(sequence % 1_000_000, 6);
  for (const [from, text] of fields) {
    line = line.slice(0, from - 1) + text + line.slice(from - 1 + text.length);
  }
  return line.slice(0, width);
}

function digits(value: number, length: number): string {
  return String(value).padStart(length, '0');
}
