import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expectPortuguese } from './refusals';
import type { Words } from '../../../src/domain/job';
import { planRows } from '../../../src/sheets/read/plan-rows';
import { type InputChoice, readSheet, type SheetRow } from '../../../src/sheets/read/read-rows';
import { SheetError } from '../../../src/sheets/sheet-error';
import { cellXml, rowXml, textXml, workbookFile } from '../../support/workbook-files';

const acme = '11222333000181';
const bank = '00000000000191';
const person = '12345678909';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'diligence-workbooks-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function rowsOf(content: Buffer, choice?: InputChoice): Promise<SheetRow[]> {
  const path = join(folder, 'input.xlsx');
  await writeFile(path, content);
  const rows: SheetRow[] = [];
  for await (const found of readSheet(path, choice)) rows.push(found);
  return rows;
}

async function refusalOf(
  content: Buffer | string,
  choice?: InputChoice,
  name = 'refused.xlsx',
): Promise<SheetError> {
  const path = join(folder, name);
  await writeFile(path, content);
  try {
    for await (const row of readSheet(path, choice)) void row;
  } catch (error) {
    if (!(error instanceof SheetError)) throw error;
    expectPortuguese(error);
    return error;
  }
  throw new Error('the sheet was read');
}

/** What becomes of each line: the code of what is wrong, or the document with its note. */
async function planOf(content: Buffer | string, name = 'plan.xlsx') {
  const path = join(folder, name);
  await writeFile(path, content);
  const plan = planRows(readSheet(path), { type: 'trabalhista' });
  const told: Record<number, string> = {};
  const messages: Record<number, string> = {};
  const manifest: string[] = [];
  for await (const row of plan) {
    manifest.push(JSON.stringify(row));
    const { line, kind } = row;
    told[line] = kind === 'item' ? row.document + row.note : 'code' in row ? row.code : kind;
    if ('message' in row) messages[line] = row.message;
  }
  return { told, messages, manifest, counts: plan.counts };
}

const oneSheet = (xml: string) => workbookFile([{ name: 'Planilha1', xml }]);
const number = (address: string, digits: string, attributes = '') =>
  cellXml(address, attributes, `<v>${digits}</v>`);
const header = rowXml(1, textXml('A1', 'documento'), textXml('B1', 'referencia'));

describe('a workbook is read', () => {
  it('with text and number cells, each row by the number the spreadsheet shows', async () => {
    const content = await workbookFile([
      {
        name: 'Fornecedores',
        data: [
          ['Documento', 'Tipo', 'Referência'],
          [acme, 'cnpj', 'Padaria & Filhos <1>'],
          [],
          [191, 'CNDT', 42],
          ['123.456.789-09', 'trabalhista', ' x '],
        ],
      },
    ]);
    expect(await rowsOf(content)).toMatchObject([
      {
        kind: 'row',
        line: 2,
        documents: [{ text: acme }],
        type: 'cnpj',
        reference: 'Padaria & Filhos <1>',
      },
      { kind: 'blank', line: 3 },
      { kind: 'row', line: 4, documents: [{ text: '191' }], type: 'CNDT', reference: '42' },
      {
        kind: 'row',
        line: 5,
        documents: [{ text: '123.456.789-09' }],
        type: 'trabalhista',
        reference: 'x',
      },
    ]);
  });

  it('with a header further down, empty columns before it, and gaps that are blank rows', async () => {
    const content = await oneSheet(
      rowXml(3, textXml('C3', 'cnpj')) +
        rowXml(7, number('C7', acme)) +
        rowXml(9, number('C9', acme)),
    );
    expect((await rowsOf(content)).map(({ kind, line }) => `${line} ${kind}`)).toEqual([
      '1 blank',
      '2 blank',
      '4 blank',
      '5 blank',
      '6 blank',
      '7 row',
      '8 blank',
      '9 row',
    ]);
  });

  it('with formulas as what they came to', async () => {
    const content = await oneSheet(
      header +
        rowXml(
          2,
          cellXml('A2', ' t="str"', `<f>TEXT(1,"0")</f><v>${acme}</v>`),
          cellXml('B2', ' t="str"', '<f>""</f><v></v>'),
        ) +
        rowXml(3, cellXml('A3', '', `<f>A2*1</f><v>${acme}</v>`)),
    );
    expect(await rowsOf(content)).toMatchObject([
      { documents: [{ text: acme }], reference: '' },
      { documents: [{ text: acme }] },
    ]);
  });

  it('with the one value that merged cells have, in their first cell', async () => {
    const content = await workbookFile([
      {
        name: 'a',
        data: [
          ['documento', 'ref'],
          [{ value: acme, rowSpan: 2 }, '1'],
          [null, '2'],
        ],
      },
    ]);
    expect(await rowsOf(content)).toMatchObject([
      { line: 2, documents: [{ text: acme }] },
      { line: 3, documents: [], reference: '2' },
    ]);
  });

  it('when it has another name, or none', async () => {
    const content = await oneSheet(header + rowXml(2, number('A2', acme)));
    const path = join(folder, 'input.csv');
    await writeFile(path, content);
    const rows = [];
    for await (const row of readSheet(path)) rows.push(row);
    expect(rows).toMatchObject([{ line: 2, documents: [{ text: acme }] }]);
  });

  it('as LibreOffice saves it', async () => {
    const path = join(__dirname, '../../fixtures/sheets/libreoffice.xlsx');
    const { told, counts } = await planOf(await readFile(path));
    expect(told).toEqual({
      2: acme,
      3: `${bank}11 leading zeros restored`,
      4: 'unexpected_cell',
      6: 'unexpected_cell',
      7: 'unexpected_character',
    });
    expect(counts.blank).toBe(1);
  });
});

describe('a number cell', () => {
  const planOfNumber = async (digits: string, attributes = '', column = 'documento') => {
    const { told } = await planOf(
      await oneSheet(
        rowXml(1, textXml('A1', column)) + rowXml(2, number('A2', digits, attributes)),
      ),
    );
    return told[2];
  };

  it.each([
    ['cnpj', '191', `${bank}11 leading zeros restored`],
    ['cnpj', '11222333000181', acme],
    ['cnpj', '1.1222333000181E13', acme],
    ['cnpj', '11222333000181.0', acme],
    ['cpf', '12345678909', person],
    ['cpf', '1234567890', '012345678901 leading zero restored'],
    ['documento', '12345678909', person],
    ['documento', '1.2345678901E+13', 'scientific_notation'],
    ['documento', '1.12223E+13', 'scientific_notation'],
    ['documento', '112223330001.81', 'unexpected_character'],
    ['documento', '-11222333000181', 'unexpected_character'],
    ['documento', '1E400', 'unexpected_cell'],
  ])('in a column %s: %s is %s', async (column, digits, expected) => {
    expect(await planOfNumber(digits, '', column)).toBe(expected);
  });

  it('is read as the same digits of a CSV file are, whatever their length', async () => {
    for (const column of ['documento', 'cnpj', 'cpf']) {
      for (const digits of ['191', '1234567890', person, '112223330001', acme, '9'.repeat(15)]) {
        const csv = await planOf(`${column}\n${digits}\n`, 'plan.csv');
        expect(await planOfNumber(digits, '', column)).toBe(csv.told[2]);
      }
    }
  });

  it('is a number in the formats that show a CPF or CNPJ, and no date', async () => {
    for (const format of ['00\\.000\\.000\\/0000\\-00', '00000000000000', '0##.###.###"/"-00']) {
      const content = await workbookFile([
        { name: 'a', data: [['cnpj'], [{ value: 191, type: Number, format }]] },
      ]);
      expect((await planOf(content)).told[2]).toBe(`${bank}11 leading zeros restored`);
    }
  });

  it('in any other column is what a spreadsheet shows', async () => {
    const content = await oneSheet(
      header +
        ['42', '1.0', '0.30000000000000004', '1E3', '-7.5', '1.5E-3']
          .map((text, at) => rowXml(at + 2, number(`A${at + 2}`, acme), number(`B${at + 2}`, text)))
          .join(''),
    );
    const rows = await rowsOf(content);
    expect(rows.map((row) => row.kind === 'row' && row.reference)).toEqual([
      '42',
      '1',
      '0.3',
      '1000',
      '-7.5',
      '0.0015',
    ]);
  });
});

describe('a cell that cannot be a document', () => {
  it('makes its row invalid, and the sentence tells the cell', async () => {
    const content = await workbookFile([
      {
        name: 'a',
        data: [
          ['nome', 'documento'],
          ['d', new Date('2026-07-06')],
          ['b', true],
        ],
      },
    ]);
    const { told, messages } = await planOf(content);
    expect(told).toEqual({ 2: 'unexpected_cell', 3: 'unexpected_cell' });
    expect(messages[2]).toBe('The cell B2 is a date: write it as text.');
    expect(messages[3]).toContain('B3 is true or false');
  });

  it('makes it invalid when it is an error or a formula without a value, even alone', async () => {
    const content = await oneSheet(
      rowXml(1, textXml('A1', 'documento')) +
        rowXml(2, cellXml('A2', ' t="e"', '<f>VLOOKUP(1,B:B,1)</f><v>#N/A</v>')) +
        rowXml(3, cellXml('A3', '', '<f>B3</f>')) +
        rowXml(4, cellXml('A4', '', '<f>B4</f><v></v>')) +
        rowXml(5, number('A5', acme)) +
        rowXml(6, cellXml('A6', ' t="e"', '<v>#REF!</v>')),
    );
    const { told, messages, manifest, counts } = await planOf(content);
    expect(told).toEqual({
      2: 'unexpected_cell',
      3: 'unexpected_cell',
      4: 'unexpected_cell',
      5: acme,
      6: 'unexpected_cell',
    });
    expect(manifest[0]).toContain('"document":"#N/A"');
    expect(messages[2]).toContain('A2 is an error');
    expect(messages[3]).toContain('open and save the file');
    expect(counts.blank).toBe(0);
  });

  it('is plain text in any other column', async () => {
    const content = await workbookFile([
      {
        name: 'a',
        data: [
          ['documento', 'referencia'],
          [acme, new Date('2026-07-06T00:00:00Z')],
          [bank, new Date('2026-07-06T15:30:00Z')],
          [bank, false],
        ],
      },
    ]);
    const rows = await rowsOf(content);
    expect(rows.map((row) => row.kind === 'row' && row.reference)).toEqual([
      '2026-07-06',
      '2026-07-06 15:30:00',
      'FALSE',
    ]);
  });
});

describe('the sheet', () => {
  const threeSheets = () =>
    workbookFile([
      { name: 'Notas', data: [['cnpj'], ['1']], hidden: true },
      { name: 'Filiais & Cia', data: [['cnpj'], ['2']] },
      { name: '2026', data: [['cnpj'], ['3']] },
      { name: 'Vazia' },
    ]);
  const documentOf = async (choice?: InputChoice) => {
    const [row] = await rowsOf(await threeSheets(), choice);
    return row?.kind === 'row' ? row.documents[0]?.text : undefined;
  };

  it('is the first that is not hidden, and that is said when others have something in them', async () => {
    const notices: string[] = [];
    const onNotice = ([notice]: Words) => notices.push(notice);
    expect(await documentOf({ onNotice })).toBe('2');
    expect(notices).toHaveLength(1);
    expect(notices[0]).toContain(
      'the sheet "Filiais & Cia" is read. Sheets: "Notas" (hidden), 1 "Filiais & Cia", 2 "2026", 3 "Vazia".',
    );
  });

  it('is not spoken of when there is nothing to choose', async () => {
    const onNotice = jest.fn();
    await rowsOf(await workbookFile([{ name: 'a', data: [['cnpj'], ['1']] }, { name: 'Vazia' }]), {
      onNotice,
    });
    await documentOf({ sheet: '2026', onNotice });
    expect(onNotice).not.toHaveBeenCalled();
  });

  it.each([
    ['filiais & cia', '2'],
    ['1', '2'],
    ['2', '3'],
    ['2026', '3'],
    ['Notas', '1'],
  ])('named %j is found by name or by its number among the tabs', async (sheet, expected) => {
    expect(await documentOf({ sheet })).toBe(expected);
  });

  it.each(['4', '0', 'Filial'])('named %j is refused, and all there are listed', async (sheet) => {
    const error = await refusalOf(await threeSheets(), { sheet });
    expect(error.code).toBe('sheet_not_found');
    expect(error.message).toContain('"Notas" (hidden), 1 "Filiais & Cia", 2 "2026", 3 "Vazia"');
  });

  it('without anything in it is refused by its name', async () => {
    const error = await refusalOf(await threeSheets(), { sheet: 'Vazia' });
    expect(error.code).toBe('empty_file');
    expect(error.message).toContain('"Vazia" is empty');
  });

  it('is not asked of a text file', async () => {
    const error = await refusalOf('cnpj\n1\n', { sheet: '1' }, 'input.csv');
    expect(error.code).toBe('sheet_not_found');
  });
});

describe('a workbook is refused', () => {
  const compoundFile = (name: string): Buffer => {
    const bytes = Buffer.alloc(2_048);
    Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(bytes);
    bytes.writeUInt16LE(9, 30);
    bytes.writeUInt32LE(0, 48);
    bytes.write(name, 640, 'utf16le');
    return bytes;
  };

  it.each([
    [
      'text under its name',
      'cnpj;tipo\n1;cnpj\n',
      'a.xlsx',
      'is named .xlsx and is no workbook (text)',
    ],
    ['a web page under an old name', '<html><table>', 'a.xls', '(a web page or XML)'],
    ['a password', compoundFile('EncryptedPackage'), 'a.xlsx', 'a workbook with a password'],
    ['the start of a zip file only', 'PK\u0003\u0004 and more', 'a.xlsx', 'cut short'],
  ])('that is %s', async (_, content, name, message) => {
    const error = await refusalOf(content, undefined, name);
    expect(error.code).toBe('spreadsheet_format');
    expect(error.message).toContain(message);
  });

  it.each([
    ['opendocument.ods', 'OpenDocument'],
    ['old-excel.xls', 'an old Excel file (.xls)'],
    ['document.docx', 'without an Excel workbook'],
  ])('that is a file of another program: %s', async (name, message) => {
    const content = await readFile(join(__dirname, '../../fixtures/sheets', name));
    const error = await refusalOf(content);
    expect(error.code).toBe('spreadsheet_format');
    expect(error.message).toContain(message);
  });

  it('that is cut short or has a wrong byte in it', async () => {
    const whole = await oneSheet(header + rowXml(2, number('A2', acme)));
    expect((await refusalOf(whole.subarray(0, -30))).message).toContain('cut short');
    for (const at of [60, 200, Math.floor(whole.length / 2)]) {
      const spoilt = Buffer.from(whole);
      spoilt.writeUInt8(spoilt.readUInt8(at) ^ 0x55, at);
      expect((await refusalOf(spoilt)).code).toBe('spreadsheet_format');
    }
  });

  it('that lacks the sheet, rather than to read another', async () => {
    const content = await workbookFile([
      { name: 'a', data: [['cnpj'], ['1']] },
      { name: 'b', data: [['cnpj'], ['2']] },
    ]);
    const directory = content.indexOf('PK\u0001\u0002');
    content.write('y', content.indexOf('xl/worksheets/sheet1.xml', directory));
    expect((await refusalOf(content)).message).toContain('sheet1.xml is missing');
  });

  it('that names a cell twice, with the cell and without what it holds', async () => {
    const error = await refusalOf(
      await oneSheet(header + rowXml(2, number('A2', acme), number('A2', person))),
    );
    expect(error.code).toBe('spreadsheet_format');
    expect(error.message).toContain('row 2');
    expect(error.message).not.toContain(person);
  });

  const tellingSize = (content: Buffer, size: number): Buffer => {
    const directory = content.indexOf('PK\u0001\u0002');
    const entry = content.indexOf('xl/worksheets/sheet1.xml', directory) - 46;
    content.writeUInt32LE(size, entry + 24);
    return content;
  };

  it('that unpacks to more than is read', async () => {
    const content = await oneSheet(header + rowXml(2, number('A2', acme)));
    const error = await refusalOf(tellingSize(content, 300 * 1024 * 1024));
    expect(error.code).toBe('too_large');
    expect(error.message).toContain('301 MB, and 100 MB is the most');
  });

  it('that unpacks to more than it tells', async () => {
    const content = await oneSheet(header + rowXml(2, number('A2', '0'.repeat(1_000_000))));
    const error = await refusalOf(tellingSize(content, 1_000));
    expect(error.code).toBe('spreadsheet_format');
    expect(error.message).toContain('sheet1.xml is damaged');
  });

  it.each([
    ['a row', rowXml(2_000_000, number('A2000000', '1'))],
    ['a column', [2, 3, 700].map((row) => rowXml(row, number(`XFD${row}`, '1'))).join('')],
    ['a row that there cannot be', rowXml(4_000_000_000, '')],
  ])('that has %s so far out that memory would not do', async (_, xml) => {
    const error = await refusalOf(await oneSheet(header + xml));
    expect(error.code).toBe('too_large');
    expect(error.message).toContain('"Planilha1" spans');
  });
});

describe('the same rows', () => {
  it('are the same batch, as CSV and as a workbook', async () => {
    const rows = [
      [acme, 'cnpj', 'Padaria "Açúcar"; Filial 1'],
      ['191', 'cnpj', 'Banco'],
      ['', '', ''],
      ['123.456.789-09', '', '7'],
      [acme, 'cnpj', 'again'],
      ['12.ABC.345/01DE-35', 'cnpj', ''],
      ['123', 'cnpj', 'short'],
      ['', 'cnpj', 'none'],
    ];
    const csv = [
      ['Documento', 'Tipo', 'Referência'],
      ...rows.map((cells) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`)),
    ];
    const asNumber = (cell: string) => (/^\d+$/.test(cell) ? Number(cell) : cell);
    const fromCsv = await planOf(csv.map((cells) => cells.join(',')).join('\n'), 'a.csv');
    const sheet = [['Documento', 'Tipo', 'Referência'], ...rows];
    const fromText = await planOf(await workbookFile([{ name: 'a', data: sheet }]));
    const fromNumbers = await planOf(
      await workbookFile([{ name: 'b', data: sheet.map((cells) => cells.map(asNumber)) }]),
    );
    expect(fromText).toEqual(fromCsv);
    expect(fromNumbers).toEqual(fromCsv);
    expect(fromCsv.counts).toMatchObject({ items: 3, duplicates: 1, blank: 1 });
  });
});
