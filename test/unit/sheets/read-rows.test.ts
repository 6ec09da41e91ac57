import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { expectPortuguese } from './refusals';
import type { ColumnChoice } from '../../../src/sheets/read/header-columns';
import { readSheet, type SheetRow } from '../../../src/sheets/read/read-rows';
import { SheetError } from '../../../src/sheets/sheet-error';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'diligence-sheets-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function rowsOf(content: string | Buffer, choice?: ColumnChoice): Promise<SheetRow[]> {
  const path = join(folder, 'input.csv');
  await writeFile(path, content);
  const rows: SheetRow[] = [];
  for await (const found of readSheet(path, choice)) rows.push(found);
  return rows;
}

async function refusal(path: string, choice?: ColumnChoice): Promise<SheetError> {
  try {
    for await (const row of readSheet(path, choice)) void row;
  } catch (error) {
    if (!(error instanceof SheetError)) throw error;
    expectPortuguese(error);
    return error;
  }
  throw new Error('the sheet was read');
}

async function refusalOf(content: string | Buffer, choice?: ColumnChoice): Promise<SheetError> {
  const path = join(folder, 'refused.csv');
  await writeFile(path, content);
  return refusal(path, choice);
}

const row = (line: number, text: string, type = '', reference = '') => ({
  kind: 'row' as const,
  line,
  documents: text === '' ? [] : [{ text }],
  type,
  reference,
});

describe('a sheet is read', () => {
  it.each([',', ';', '\t'])('with %j between its cells', async (delimiter) => {
    const lines = [
      ['documento', 'tipo', 'referencia'],
      ['123', 'cnpj', 'a'],
    ];
    const text = lines.map((cells) => cells.join(delimiter)).join('\n');
    expect(await rowsOf(text)).toMatchObject([row(2, '123', 'cnpj', 'a')]);
  });

  it('with the delimiter that stands outside quotes in its header', async () => {
    expect(await rowsOf('"rua, bairro, cidade";documento;ref\nx;1;r\n')).toMatchObject([
      row(2, '1', '', 'r'),
    ]);
  });

  it('with the delimiter that its first line announces, which has no line number', async () => {
    expect(await rowsOf('sep=|\r\ndocumento|ref\r\n1|r\r\n')).toMatchObject([row(2, '1', '', 'r')]);
  });

  it('in UTF-8 with a BOM, in UTF-8 without, and in windows-1252', async () => {
    const text = 'referência;documento\nPão – “Açúcar” €;1\n';
    const expected = [row(2, '1', '', 'Pão – “Açúcar” €')];
    expect(await rowsOf(`\ufeff${text}`)).toMatchObject(expected);
    expect(await rowsOf(text)).toMatchObject(expected);
    const bytes = text.split('').map((character) => {
      const outside = { '–': 0x96, '“': 0x93, '”': 0x94, '€': 0x80 }[character];
      return outside ?? character.charCodeAt(0);
    });
    expect(await rowsOf(Buffer.from(bytes))).toMatchObject(expected);
  });

  it('in windows-1252 when the first accent stands on the last line of a long file', async () => {
    const many = 'documento;ref\n' + `1;${'a'.repeat(98)}\n`.repeat(4_000);
    const rows = await rowsOf(Buffer.from(`${many}1;ação`, 'latin1'));
    expect(rows.at(-1)).toMatchObject(row(4_002, '1', '', 'ação'));
  });

  it.each(['\n', '\r\n', '\r'])('with lines that end in %j', async (end) => {
    expect(await rowsOf(['documento', '1', '', '2', ''].join(end))).toMatchObject([
      row(2, '1'),
      { kind: 'blank', line: 3 },
      row(4, '2'),
    ]);
  });

  it('with line breaks in quoted cells, each row at the line it starts on', async () => {
    const text = 'documento;ref\r\n1;"a\r\nb\nc"\r\n2;"say ""so"""\r\n';
    expect(await rowsOf(text)).toMatchObject([
      row(2, '1', '', 'a\r\nb\nc'),
      row(5, '2', '', 'say "so"'),
    ]);
  });

  it('with quotation marks in the middle of a cell left alone', async () => {
    expect(await rowsOf('documento;ref\n="01";Bar "Bom"\n2;"Bar" Bom\n')).toMatchObject([
      row(2, '="01"', '', 'Bar "Bom"'),
      row(3, '2', '', '"Bar" Bom'),
    ]);
  });

  it('with lines of delimiters and spaces only told as blank', async () => {
    expect(await rowsOf('\n;;\ndocumento;ref\n ;\u00a0\n1;\n')).toMatchObject([
      { kind: 'blank', line: 1 },
      { kind: 'blank', line: 2 },
      { kind: 'blank', line: 4 },
      row(5, '1'),
    ]);
  });

  it('with rows shorter and longer than the header', async () => {
    expect(await rowsOf('ref,documento\nx\ny,1,more,cells\n')).toMatchObject([
      row(2, '', '', 'x'),
      row(3, '1', '', 'y'),
    ]);
  });
});

describe('columns are found', () => {
  it.each([
    ['Documento', undefined],
    ['CPF / CNPJ', undefined],
    ['cpf_cnpj', undefined],
    ['Tax ID', undefined],
    ['DOCUMENT', undefined],
    [' CNPJ ', 'cnpj'],
    ['C.P.F.', 'cpf'],
  ])('by the name %j', async (name, length) => {
    const [found] = await rowsOf(`${name};Código interno;Certidão\n1;r;t\n`);
    const cell = length === undefined ? { text: '1' } : { text: '1', length };
    expect(found).toMatchObject({
      kind: 'row',
      line: 2,
      documents: [cell],
      type: 't',
      reference: 'r',
    });
  });

  it.each(['CNPJ do fornecedor', 'cnpj do FORNECEDOR', 'B', 'b', '2'])(
    'by the choice %j of the user',
    async (column) => {
      const [found] = await rowsOf('documento;CNPJ do fornecedor\nno;1\n', { column });
      expect(found).toMatchObject({ documents: [{ text: '1', length: 'cnpj' }] });
    },
  );

  it('and a better name for the reference wins over an earlier one', async () => {
    expect(await rowsOf('id;documento;referencia\nx;1;r\n')).toMatchObject([row(2, '1', '', 'r')]);
  });

  it('and the reference is the column that was named, by header, letter or number', async () => {
    const content = 'documento;Razão social;id\n1;Acme;7\n';
    for (const reference of ['razao social', 'B', '2'])
      expect(await rowsOf(content, { reference })).toMatchObject([row(2, '1', '', 'Acme')]);
  });

  it('and a reference that is not there is refused, with the columns that are', async () => {
    const error = await refusalOf('documento;nome\n1;x\n', { reference: 'fornecedor' });
    expect(error).toMatchObject({ code: 'column_not_found', line: 1 });
    expect(error.message).toMatch(/no column "fornecedor" \(--reference\).*"documento", "nome"/);
  });

  it('when one holds CPF and another CNPJ', async () => {
    expect(await rowsOf('cpf;cnpj\n1;\n;2\n3;4\n')).toMatchObject([
      { documents: [{ text: '1', length: 'cpf' }] },
      { documents: [{ text: '2', length: 'cnpj' }] },
      { documents: [{ text: '3' }, { text: '4' }] },
    ]);
  });
});

describe('a file is refused as a whole', () => {
  it('when it is missing, a folder, or something else', async () => {
    const missing = await refusal(join(folder, 'nowhere.csv'));
    expect(missing.code).toBe('missing_file');
    expect(missing.file).toBe(join(folder, 'nowhere.csv'));
    expect((await refusal(join(folder, 'input.csv', 'below.csv'))).code).toBe('missing_file');
    expect((await refusal(folder)).code).toBe('directory');
    expect((await refusal('/dev/null')).code).toBe('not_a_file');
  });

  it.each([
    ['', 'empty_file'],
    ['\ufeff', 'empty_file'],
    ['\n \n;;\n', 'empty_file'],
    ['documento;tipo\n', 'no_rows'],
    ['documento;tipo\n;\n', 'no_rows'],
    ['nome;valor\na;1\n', 'no_document_column'],
    ['11.222.333/0001-81\n12.345.678/0001-95\n', 'no_header'],
    ['doc\0umento\n1\n', 'not_text'],
    ['PK\u0003\u0004 and more', 'spreadsheet_format'],
  ])('when it is %j: %s', async (content, code) => {
    expect((await refusalOf(content)).code).toBe(code);
  });

  it('when it is a spreadsheet by its name', async () => {
    const path = join(folder, 'input.xlsx');
    await writeFile(path, 'PK');
    const error = await refusal(path);
    expect(error.code).toBe('spreadsheet_format');
    expect(error.message).toContain('CSV');
  });

  it('with the headers it has, but no document, in the message', async () => {
    const error = await refusalOf('nome;valor;12345\na;1;2\n');
    expect(error.message).toContain('"nome", "valor", (a number)');
    expect((await refusalOf('12345678909;x\na;1\n')).message).not.toContain('12345678909');
  });

  it('when the column asked for is not there, or starts with a document', async () => {
    const error = await refusalOf('nome;cnpj\na;1\n', { column: 'CNPJs' });
    expect(error).toMatchObject({ code: 'column_not_found', column: 'CNPJs' });
    expect((await refusalOf('nome;cnpj\na;1\n', { column: '3' })).code).toBe('column_not_found');
    expect((await refusalOf('nome;cnpj\na;1\n', { column: '0' })).code).toBe('column_not_found');
    expect((await refusalOf('a;12345678909\na;1\n', { column: 'B' })).code).toBe('no_header');
  });

  it('when a quotation mark is not closed, with its line', async () => {
    const text = 'documento;ref\n1;"a\nb"\n2;"c\n3;d\n';
    expect(await refusalOf(text)).toMatchObject({ code: 'unbalanced_quote', line: 4 });
  });

  it('when a quotation mark meets the next one below, which would lose the rows between', async () => {
    const text = 'documento;ref\n1;"a\n2;b\n3;"c"\n';
    expect(await refusalOf(text)).toMatchObject({ code: 'unbalanced_quote', line: 2 });
  });

  it('when a row has no end', async () => {
    const text = `documento;ref\n1;a\n2;"${'x\n'.repeat(700_000)}`;
    expect(await refusalOf(text)).toMatchObject({ code: 'row_too_long', line: 3 });
  });
});

it('lets go of a file that is not read to its end', async () => {
  const path = join(folder, 'long.csv');
  await writeFile(path, `documento\n${'1\n'.repeat(100_000)}`);
  for await (const found of readSheet(path)) {
    expect(found).toMatchObject(row(2, '1'));
    break;
  }
});

it('reads a file of many lines in bounded memory', async () => {
  const path = join(folder, 'many.csv');
  const many = 3_000;
  const name = 'Padaria Fictícia '.repeat(60);
  const lines = Array.from({ length: many }, (_, at) => `${at};cnpj;${name}${at}`);
  const bytes = Buffer.byteLength(lines.join('\n'));
  await writeFile(path, ['documento;tipo;referencia', ...lines].join('\n'));
  lines.length = 0;
  let count = 0;
  let highest = 0;
  // Only what is still held counts, not what waits to be collected: slow where other tests left much.
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const held = (): number => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = held();
  for await (const { kind } of readSheet(path)) {
    if (kind === 'row') count += 1;
    if (count % (many / 2) === 0) highest = Math.max(highest, held() - before);
  }
  expect(count).toBe(many);
  expect(highest).toBeLessThan(bytes / 3);
});
