import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { stringify } from 'csv-stringify/sync';
import type { Words } from '../../../src/domain/job';
import { planRows } from '../../../src/sheets/read/plan-rows';
import { type InputChoice, readSheet } from '../../../src/sheets/read/read-rows';
import { SheetError } from '../../../src/sheets/sheet-error';
import { type TestSheet, workbookFile } from '../../support/workbook-files';

/** Sheets as they come out of ERPs, banks and Excel: what is read of each, or why it is refused. */

const acme = '11222333000181';
const bank = '00000000000191';
const person = '12345678909';
const acmeShown = '11.222.333/0001-81';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'diligence-as-they-are-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

/** Each line as `line document`, or `line code`; what was said of the file last. */
async function readingOf(content: Buffer, choice: InputChoice) {
  const path = join(folder, 'input');
  await writeFile(path, content);
  const lines: string[] = [];
  const messages: string[] = [];
  const notices: string[] = [];
  const onNotice = ([notice]: Words) => notices.push(notice);
  try {
    for await (const row of planRows(readSheet(path, { ...choice, onNotice }), {
      type: 'trabalhista',
    })) {
      lines.push(`${row.line} ${'code' in row ? row.code : row.document}`);
      if ('message' in row) messages.push(row.message);
    }
  } catch (error) {
    if (!(error instanceof SheetError)) throw error;
    return { lines: [error.code], messages: [error.message], notices };
  }
  return { lines, messages, notices };
}

type Cells = readonly (string | number)[];
interface Expected {
  lines: readonly string[];
  /** In the sentences about lines, or about the file. */
  says?: readonly string[];
  /** In what is said of a file that is read. */
  notes?: readonly string[];
  choice?: InputChoice;
}

const header = ['CNPJ', 'Nome'];
const one = [acmeShown, 'Acme'];
const two = [person, 'Ana'];

const layouts: readonly [name: string, rows: readonly Cells[], expected: Expected][] = [
  ...[
    'CNPJ/CPF do fornecedor',
    'CNPJ Fornecedor',
    'CPF/CNPJ',
    'CPF ou CNPJ',
    'CPF – CNPJ',
    'C.N.P.J.',
    'CNPJ/MF',
    'CNPJ (14 dígitos)',
    'Nº doc.',
    'No. Documento',
    'Núm. do documento',
    'DOCUMENTO DO CLIENTE',
    'Documento',
    'Doc. Fornecedor',
    'Inscrição',
    'INSCRICAO FEDERAL',
    'Cnpj_Sacado',
    'CGC',
    'cnpjSacado',
    'numerodocumento',
  ].map((name): [string, readonly Cells[], Expected] => [
    `a column ${name}`,
    [
      ['Razão social', name, 'Valor'],
      ['Acme', acmeShown, '1,00'],
    ],
    { lines: [`2 ${acme}`] },
  ]),
  [
    'titles, a date and a document above the header',
    [
      ['Relação de CNPJ dos fornecedores ativos'],
      ['Empresa:', 'ACME - CNPJ: 11.222.333/0001-81'],
      ['CNPJ', acmeShown],
      ['Emitido em', '24/11/2026'],
      [],
      header,
      one,
    ],
    { lines: [`7 ${acme}`], notes: ['lines 1, 2, 3, 4'] },
  ],
  [
    'a title that names the column, above it',
    [['Fornecedores: CNPJ e nome'], header, one],
    { lines: [`3 ${acme}`] },
  ],
  [
    'totals at the end and between',
    [header, one, ['Subtotal', '1'], two, ['', 'Total'], ['TOTAL GERAL', ''], ['2', 'Total:']],
    { lines: [`2 ${acme}`, '4 cpf_not_served'], notes: ['lines 3, 5, 6, 7'] },
  ],
  [
    'a supplier whose name begins with Total',
    [header, [acmeShown, 'Total'], [bank, 'Total Geral']],
    { lines: [`2 ${acme}`, `3 ${bank}`] },
  ],
  [
    'the header again on each page',
    [header, one, header, [bank, 'Banco']],
    { lines: [`2 ${acme}`, `4 ${bank}`], notes: ['headers again: line 3'] },
  ],
  [
    'a number of a voucher beside that of the company',
    [
      ['Nº doc.', 'CNPJ/CPF do fornecedor'],
      ['5100000001', acmeShown],
    ],
    { lines: [`2 ${acme}`] },
  ],
  [
    'names that only look like it',
    [
      ['Tipo de documento', 'Data doc.', 'Situação CNPJ', 'CNPJ'],
      ['NF', '1', 'ativa', acmeShown],
    ],
    { lines: [`2 ${acme}`] },
  ],
  [
    'a CPF and a CNPJ column',
    [
      ['CPF', 'CNPJ'],
      [person, ''],
      ['', acmeShown],
      [person, acmeShown],
    ],
    { lines: [`2 ${person}`, `3 ${acme}`, '4 ambiguous'], says: ['A4', '--column'] },
  ],
  [
    'two columns that could be it',
    [
      ['CNPJ Fornecedor', 'Nome', 'CNPJ Filial'],
      [acmeShown, 'Acme', bank],
    ],
    {
      lines: ['ambiguous_columns'],
      says: ['line 1', 'A "CNPJ Fornecedor" and C "CNPJ Filial"', '--column A, or C'],
    },
  ],
  [
    'two columns that could be it, one chosen',
    [['Empresas'], ['CNPJ Fornecedor', 'Nome', 'CNPJ Filial'], [acmeShown, 'Acme', bank]],
    { lines: [`3 ${bank}`], choice: { column: 'cnpj filial' } },
  ],
  [
    'a voucher number alone that may be a document',
    [
      ['Documento', 'CNPJ Fornecedor'],
      ['4711', acmeShown],
    ],
    { lines: ['ambiguous_columns'], says: ['--column'] },
  ],
  [
    'no such column',
    [['Fornecedores'], ['Nome', 'Inscrição estadual', 'Documento fiscal'], ['Acme', '1', '2']],
    { lines: ['no_document_column'], says: ['"Inscrição estadual"', '--column'] },
  ],
  [
    'a type that reads as a name of the column',
    [
      ['Nome', 'Tipo'],
      ['Acme', 'cnpj'],
      ['Bia', 'cnpj'],
    ],
    { lines: ['no_document_column'], says: ['"Nome", "Tipo"'] },
  ],
  [
    'months in the header, as dates',
    [
      ['CNPJ', '31/10/2026', '2026-11-30'],
      [acmeShown, '1', '2'],
    ],
    { lines: [`2 ${acme}`] },
  ],
  [
    'another table above, whose rows are not left out as titles',
    [['Nome', 'Número'], ...[1, 2, 3, 4].map(() => ['Acme', acmeShown]), header, one],
    { lines: ['no_header'], says: ['line 2'] },
  ],
  ['no header', [one, two], { lines: ['no_header'], says: ['line 1', 'documento;tipo'] }],
  [
    'labels and dashes in the cells',
    [
      header,
      [`CNPJ: ${acmeShown}`, 'a'],
      ['CPF nº 123.456.789–09', 'b'],
      ['00\u00a0000\u2009000 0001—91', 'c'],
      ['CNPJ/CPF - 11.222.333/0001\u221281', 'd'],
    ],
    {
      lines: [`2 ${acme}`, '3 cpf_not_served', `4 ${bank}`, `5 ${acme}`],
      says: ['A3: The cell is a CPF'],
    },
  ],
  [
    'two documents in a cell',
    [
      ['Nome', 'CPF/CNPJ'],
      ['Acme', `${acmeShown} / ${bank}`],
      ['Ana', `${person} e ${acme}`],
    ],
    {
      lines: ['2 several_documents', '3 several_documents'],
      says: ['B2: The cell has more than one', 'B3: '],
    },
  ],
  [
    'zeros that were lost',
    [['CNPJ'], ['191'], ['192'], ['1.91E+02']],
    { lines: [`2 ${bank}`, '3 wrong_length', '4 scientific_notation'], says: ['A3: ', 'as text'] },
  ],
  [
    'a line without a document, and one with a word',
    [
      ['Nome', 'CNPJ'],
      ['Acme', ''],
      ['Bia', 'isento'],
      ['Banco', bank],
    ],
    { lines: ['2 empty', '3 unexpected_character', `4 ${bank}`], says: ['B2: ', 'B3: '] },
  ],
];

const csv = (rows: readonly Cells[], delimiter: string, quoted = false): string =>
  stringify(
    rows.map((row) => [...row]),
    { delimiter, quoted, quoted_match: /[\r\n]/, record_delimiter: '\r\n' },
  );

/** As the programs write them; of windows-1252 what latin1 can write. */
const files: readonly [name: string, write: (rows: readonly Cells[]) => Buffer][] = [
  ['semicolons, latin1', (rows) => Buffer.from(csv(rows, ';'), 'latin1')],
  ['commas in quotes, UTF-8', (rows) => Buffer.from(csv(rows, ',', true))],
  ['semicolons, UTF-8 with BOM', (rows) => Buffer.from(`\ufeff${csv(rows, ';')}`)],
  ['tabs, UTF-16LE', (rows) => Buffer.from(`\ufeff${csv(rows, '\t')}`, 'utf16le')],
  ['tabs, UTF-16BE', (rows) => Buffer.from(`\ufeff${csv(rows, '\t')}`, 'utf16le').swap16()],
];

/** What was not said is told by name. */
function compared(
  { lines, messages, notices }: Awaited<ReturnType<typeof readingOf>>,
  { notes = [], says = [] }: Expected,
) {
  const unsaid = says.filter((part) => !messages.join('\n').includes(part));
  const untold = notes.filter((part) => !notices.join('\n').includes(part));
  return { lines, missing: [...unsaid, ...untold] };
}

describe.each(layouts)('%s', (_, rows, expected) => {
  const text = JSON.stringify(rows);
  const latin = Buffer.from(text, 'latin1').toString('latin1') === text;
  const written = files.filter(([name]) => latin || !name.includes('latin1'));
  it.each(written)('in %s', async (__, write) => {
    const found = await readingOf(write(rows), expected.choice ?? {});
    expect(compared(found, expected)).toEqual({ lines: expected.lines, missing: [] });
  });

  it('in a workbook', async () => {
    const data = rows.map((row) => [...row]);
    const content = await workbookFile([{ name: 'Plan1', data }]);
    const found = await readingOf(content, expected.choice ?? {});
    expect(compared(found, expected)).toEqual({ lines: expected.lines, missing: [] });
  });
});

const dataTab: TestSheet = { name: 'Dados', data: [[...header], [...one]] };
const otherTab: TestSheet = { name: 'B', data: [['CNPJ'], [bank]] };
const cover: TestSheet = { name: 'Capa', data: [['Relatório de fornecedores'], ['2026']] };
const empty: TestSheet = { name: 'Capa', data: [['CNPJ']] };
const sums = [
  ['CNPJ', 'Valor'],
  [191, 10],
  [11222333000181, 5],
  ['Total', 15],
];

test.each<[string, readonly TestSheet[], Expected]>([
  [
    'the tab that has the header',
    [cover, dataTab],
    { lines: [`2 ${acme}`], notes: ['the sheet "Dados" is read'] },
  ],
  [
    'the first of several that have it, and that is said',
    [cover, dataTab, otherTab],
    { lines: [`2 ${acme}`], notes: ['"Dados" is read', '3 "B"', '--sheet'] },
  ],
  ['no cover with a header alone', [empty, dataTab], { lines: [`2 ${acme}`] }],
  ['the one asked for', [dataTab, otherTab], { lines: [`2 ${bank}`], choice: { sheet: 'B' } }],
  [
    'numbers that lost their zeros, and a sum',
    [{ name: 'A', data: sums }],
    { lines: [`2 ${bank}`, `3 ${acme}`], notes: ['headers again: line 4'] },
  ],
])('a workbook: %s', async (_, sheets, expected) => {
  const found = await readingOf(await workbookFile(sheets), expected.choice ?? {});
  expect(compared(found, expected)).toEqual({ lines: expected.lines, missing: [] });
});
