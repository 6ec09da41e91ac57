/**
 * Writes examples/suppliers.csv, the same rows as examples/suppliers.xlsx, and a CNAB file with its
 * invoices (examples/remessas): `npx tsx scripts/make-examples.ts`. Same seed, same rows. Every company, person and number is
 * invented; only the check digits are right.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import writeXlsxFile from 'write-excel-file/node';

import {
  cnpjCheckDigits,
  cpfCheckDigits,
  punctuateDocument,
} from '../src/domain/core/documents/documents';
import { cnabFile, type TestReceivable } from '../test/support/cnab-files';
import { invoiceKey, invoiceXml, testInvoice } from '../test/support/invoice-files';
import { zipFile } from '../test/support/zip-files';

const seed = 20_260_706;
const rowCount = 60;

type Cells = [document: string, type: string, name: string];

/** Mulberry32: small, and the same numbers on every machine. */
function numbersFrom(start: number): (below: number) => number {
  let state = start;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

const trades = ['Padaria', 'Gráfica', 'Transportes', 'Serraria', 'Confecções', 'Laticínios'];
const places = ['Montanha Azul', 'Vale Inventado', 'Lua de Papel', 'Três Dragões', 'Atlântida'];
const people = ['Fulana de Tal', 'Beltrano Imaginário', 'Sicrana Exemplo'];

export function supplierSheet(): string {
  const below = numbersFrom(seed);
  const digits = (count: number): string => Array.from({ length: count }, () => below(10)).join('');
  const withCheck = (base: string): string => base + cnpjCheckDigits(base);
  // Numbers this high, and branches from 9000 on, are unlikely to be anybody's.
  const cnpj = (): string => withCheck(`99${digits(6)}0001`);
  const cpf = (): string => {
    const base = `99999${digits(4)}`;
    return base + cpfCheckDigits(base);
  };
  const company = (): string =>
    `${trades[below(trades.length)]} ${places[below(places.length)]} (fictícia)`;
  const person = (): string => `${people[below(people.length)]} (fictício)`;

  const good = (at: number): Cells => {
    if (at % 9 === 4) return [punctuateDocument(cpf()), 'trabalhista', person()];
    const document = cnpj();
    const type = ['cnpj', 'trabalhista', 'cnpj', 'CNDT', 'Empresa'][at % 5] ?? 'cnpj';
    if (at % 4 === 0) return [document, type, company()];
    if (at % 13 === 7) return [` ${punctuateDocument(document)}\u00a0`, type, company()];
    return [punctuateDocument(document), type, company()];
  };
  const punctuated = ([document, type, name]: Cells): Cells => [
    punctuateDocument(document),
    type,
    name,
  ];
  const rows = Array.from({ length: rowCount }, (_, at) => good(at));

  const zeroDropped = withCheck(`0${digits(7)}9001`);
  const wrongDigit = cnpj();
  const lastDigit = (Number(wrongDigit.at(-1)) + 1) % 10;
  const replaced: Record<number, Cells> = {
    11: [String(Number(zeroDropped)), 'cnpj', company()],
    17: [punctuateDocument(`${wrongDigit.slice(0, -1)}${lastDigit}`), 'cnpj', company()],
    23: rows[3] ?? good(3),
    29: ['9,98877E+13', 'trabalhista', company()],
    34: ['12.ABC.345/01DE-35', 'cnpj', company()],
    41: [punctuateDocument(cpf()), 'cnpj', person()],
    47: [cnpj(), 'fgts', company()],
    // The same document, punctuated another way.
    52: punctuated(rows[8] ?? good(8)),
  };
  const lines = rows.map((row, at) => {
    const [document, type, name] = replaced[at] ?? row;
    return `${document};${type};F${String(at + 1).padStart(3, '0')} ${name}`;
  });
  lines.splice(44, 0, ';;');
  return ['documento;tipo;referencia', ...lines, ''].join('\n');
}

/** The same rows as a workbook; what is nothing but digits is a number, as people type it. */
export function supplierWorkbook(): Promise<Buffer> {
  const [header = [], ...rows] = supplierSheet()
    .trimEnd()
    .split('\n')
    .map((line) => line.split(';'));
  return writeXlsxFile(
    [
      header.map((value) => ({ value, type: String, fontWeight: 'bold' as const })),
      ...rows.map((cells) => cells.map((text) => (/^\d+$/.test(text) ? Number(text) : text))),
    ],
    {
      sheet: 'Fornecedores',
      columns: [{ width: 22 }, { width: 14 }, { width: 48 }],
      stickyRowsCount: 1,
    },
  ).toBuffer();
}

/** Who sells, and twelve instalments of six sales to four companies and a person, due in 2031. */
function sales(): { assignor: string; receivables: TestReceivable[] } {
  const numbered = (number: number): string => {
    const base = `99${String(number).padStart(6, '0')}0001`;
    return base + cnpjCheckDigits(base);
  };
  const person = `999990001${cpfCheckDigits('999990001')}`;
  const assignor = numbered(70);
  const payers = [
    [numbered(71), 'PADARIA MONTANHA AZUL (FICTICIA)'],
    [numbered(72), 'GRAFICA VALE INVENTADO (FICTICIA)'],
    [numbered(73), 'SERRARIA LUA DE PAPEL (FICTICIA)'],
    [numbered(74), 'LATICINIOS TRES DRAGOES (FICTICIA)'],
    [person, 'FULANA DE TAL (FICTICIA)'],
  ] as const;
  const receivables = Array.from({ length: 12 }, (_, at) => {
    const sale = Math.floor(at / 2);
    const [payer, payerName] = payers[sale % payers.length] ?? payers[0];
    const number = `${String(sale + 1).padStart(6, '0')}/${(at % 2) + 1}`;
    const due = `10${String(at + 1).padStart(2, '0')}31`;
    const key = invoiceKey({ issuer: assignor, number: sale + 1 });
    return { payer, payerName, number, due, cents: 50_000 + sale * 12_345, invoiceKey: key };
  });
  return { assignor, receivables };
}

/** A remittance of Santander, 400 columns. */
export function creditFile(): Buffer {
  const { assignor, receivables } = sales();
  const assignorName = 'FORNECEDORA DE EXEMPLOS (FICT)';
  return cnabFile({ bank: 'santander', lineEnd: '\r\n', assignor, assignorName, receivables });
}

/** The invoice of each sale: two receivables are its instalments. */
export function creditInvoices(): Buffer {
  const { assignor: issuer, receivables } = sales();
  const amount = (cents: number): string => (cents / 100).toFixed(2);
  const dueOn = (due: string): string => `2031-${due.slice(2, 4)}-${due.slice(0, 2)}`;
  const first = receivables.filter((_, at) => at % 2 === 0);
  const entries = first.map(({ payer: recipient, cents, due }, sale) => {
    const second = receivables[sale * 2 + 1]?.due ?? due;
    const invoice = testInvoice({
      issuer,
      recipient,
      number: sale + 1,
      value: amount(cents * 2),
      instalments: [due, second].map((on) => [dueOn(on), amount(cents)] as const),
    });
    return { name: `nota-${sale + 1}.xml`, content: invoiceXml(invoice) };
  });
  return zipFile(entries);
}

async function writeExamples(): Promise<void> {
  const examples = join(__dirname, '..', 'examples');
  writeFileSync(join(examples, 'suppliers.csv'), supplierSheet());
  writeFileSync(join(examples, 'suppliers.xlsx'), await supplierWorkbook());
  mkdirSync(join(examples, 'remessas'), { recursive: true });
  writeFileSync(join(examples, 'remessas', 'lote-1.rem'), creditFile());
  writeFileSync(join(examples, 'remessas', 'lote-1.zip'), creditInvoices());
}

if (require.main === module) void writeExamples();
