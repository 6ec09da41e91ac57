import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { stringify } from 'csv-stringify/sync';
import * as fc from 'fast-check';

import type { ResultRow } from '../../src/domain/certificates/certificates';
import { planRows } from '../../src/sheets/read/plan-rows';
import { readSheet, type SheetRow } from '../../src/sheets/read/read-rows';
import { openResultSheet } from '../../src/sheets/write/result-sheet';
import { readResultSheet } from '../support/read-result-sheet';
import { SheetError } from '../../src/sheets/sheet-error';
import { workbookFile } from '../support/workbook-files';
import { anyCharacter } from '../support/any-character';
import { sized } from '../support/full-size';

let folder: string;
let path: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'diligence-sheets-'));
  path = join(folder, 'sheet.csv');
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function rowsOf(): Promise<SheetRow[]> {
  const rows: SheetRow[] = [];
  for await (const row of readSheet(path)) rows.push(row);
  return rows;
}

const oneOf = (characters: string) => fc.constantFrom(...characters.split(''));
// Text that both encodings can write, with everything that CSV has to quote.
const text = fc.string({ unit: oneOf('abc ÁçÕ019;,\t"\n\'=|') });
const latin1 = (csv: string): Buffer => Buffer.from(csv, 'latin1');
const encodings = [
  { name: 'UTF-8', bytes: (csv: string) => Buffer.from(csv) },
  { name: 'UTF-8 with BOM', bytes: (csv: string) => Buffer.from(`\ufeff${csv}`) },
  { name: 'windows-1252', bytes: latin1 },
];

describe('readSheet', () => {
  it('gives back what was written, whatever the delimiter, line end and encoding', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(text, text, text), { minLength: 1, maxLength: 8 }),
        fc.constantFrom(',', ';', '\t'),
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.constantFrom(...encodings),
        fc.boolean(),
        async (cells, delimiter, lineEnd, { bytes }, quoted) => {
          const sheet = [['documento', 'tipo', 'referência'], ...cells, ['last', 'é', '']];
          await writeFile(
            path,
            bytes(
              stringify(sheet, {
                delimiter,
                quoted,
                quoted_match: /[\r\n]/,
                record_delimiter: lineEnd,
              }),
            ),
          );
          let line = 2;
          const expected = [...cells, ['last', 'é', '']].map(
            ([document = '', type = '', reference = '']) => {
              const at = line;
              line += 1 + `${document}${type}${reference}`.split('\n').length - 1;
              const documents = document.trim() === '' ? [] : [{ text: document.trim() }];
              if (`${document}${type}${reference}`.trim() === '')
                return { kind: 'blank', line: at };
              return {
                kind: 'row',
                line: at,
                documents,
                type: type.trim(),
                reference: reference.trim(),
              };
            },
          );
          // A quoted cell that begins with a quotation mark and has a line break is refused.
          fc.pre(!cells.flat().some((cell) => cell.startsWith('"') && cell.includes('\n')));
          expect(await rowsOf()).toMatchObject(expected);
        },
      ),
      { numRuns: sized(60, 100) },
    );
  });

  it('finds header and documents below titles, between other columns, above totals', async () => {
    const documents = ['11222333000181', '00.000.000/0001-91', 'CNPJ: 11.222.333/0001–81'];
    const layout = fc.record({
      titles: fc.array(fc.constantFrom('Relatório de CNPJ', 'Emissão, hoje', ''), { maxLength: 4 }),
      name: fc.constantFrom('CNPJ', 'CPF/CNPJ', 'Nº doc.', 'cnpj do Fornecedor', 'Documento'),
      before: fc.array(fc.constantFrom('Nome', 'Valor', 'Tipo doc.'), { maxLength: 3 }),
      rows: fc.array(fc.constantFrom(...documents), { minLength: 1, maxLength: 6 }),
      total: fc.constantFrom('Total', 'TOTAL GERAL', 'Subtotal:'),
      delimiter: fc.constantFrom(',', ';', '\t'),
      encoding: fc.constantFrom<BufferEncoding>('utf8', 'utf16le'),
    });
    await fc.assert(
      fc.asyncProperty(layout, async (made) => {
        const { before, delimiter, encoding, name, rows, titles, total } = made;
        const beside = before.map(() => 'x');
        const lines = [
          ...titles.map((title) => [title]),
          [...before, name, 'Cidade'],
          ...rows.map((document) => [...beside, document, 'Ítu']),
          [...beside, '', total],
        ];
        const csv = stringify(lines, { delimiter, quoted_match: /,/ });
        await writeFile(path, Buffer.from(`\ufeff${csv}`, encoding));
        const found = (await rowsOf()).filter(({ kind }) => kind === 'row');
        expect(found).toMatchObject(
          rows.map((document, at) => ({
            line: titles.length + 2 + at,
            documents: [{ text: document }],
          })),
        );
      }),
      { numRuns: sized(60, 300) },
    );
  });

  it('throws nothing but SheetError, whatever the bytes', async () => {
    const wild = fc.oneof(
      fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
      fc.string({ unit: anyCharacter }).map((content) => Buffer.from(content)),
      fc
        .string({ unit: oneOf('1a;,\t"\n\r é') })
        .map((content) => latin1(`documento;tipo\n${content}`)),
      fc
        .uint8Array({ maxLength: 300 })
        .map((bytes) => Buffer.concat([Buffer.from('sep=;\ncnpj;tipo\n'), bytes])),
    );
    await fc.assert(
      fc.asyncProperty(wild, async (bytes) => {
        await writeFile(path, bytes);
        try {
          for await (const row of planRows(readSheet(path), { type: 'cnpj' })) {
            expect(row.line).toBeGreaterThan(1);
          }
        } catch (error) {
          expect(error).toBeInstanceOf(SheetError);
        }
      }),
      { numRuns: sized(120, 500) },
    );
  });
});

describe('a result sheet', () => {
  const cell = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: oneOf('=+-@\t\r\n ;,"\'a1') }),
  );

  it('loses nothing, and for a spreadsheet never holds a cell that it would run', async () => {
    await fc.assert(
      fc.asyncProperty(cell, cell, cell, fc.boolean(), async (name, reference, message, excel) => {
        const row: ResultRow = {
          line: 2,
          document: message,
          type: '',
          status: 'invalid',
          certidaoId: null,
          classification: null,
          divergent: null,
          officialName: name,
          baseName: reference,
          holderName: message,
          sourceName: null,
          capturedAt: null,
          pdf: null,
          sha256: null,
          attempts: 0,
          errorCode: 'wrong_length',
          errorCategory: null,
          errorMessage: message,
          reference,
          duplicateOf: null,
          note: '',
          possibleDoubleCharge: false,
          retryable: null,
          requestedAt: null,
          completedAt: null,
        };
        const sheet = openResultSheet(path, { excel });
        await sheet.write(row);
        await sheet.close();
        const records = [];
        for await (const record of readResultSheet(path)) records.push(record);
        expect(records).toHaveLength(1);
        for (const value of Object.values(records[0] ?? {})) {
          if (excel) expect(value).not.toMatch(/^\s*[=+\-@]|^[\t\r\n]/);
        }
        const as = (one: string): string[] => (excel ? [one, `'${one}`] : [one]);
        expect(as(name)).toContain(records[0]?.official_name);
        expect(as(reference)).toContain(records[0]?.reference);
      }),
      { numRuns: sized(60, 100) },
    );
  });
});

describe('a workbook', () => {
  it('gives back what was written, as text or as a number', async () => {
    const cell = fc.oneof(fc.string({ unit: oneOf('abc ÁçÕ019;<&>"\'_x004') }), fc.nat());
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 8 }),
        async (cells) => {
          const sheet = [['documento', 'tipo', 'referência'], ...cells, ['last', 'é', '']];
          await writeFile(path, await workbookFile([{ name: 'a', data: sheet }]));
          const expected = sheet.slice(1).map((values, at) => {
            const [document = '', type = '', reference = ''] = values.map((value) =>
              shown(value).trim(),
            );
            if (`${document}${type}${reference}` === '') return { kind: 'blank', line: at + 2 };
            const documents = document === '' ? [] : [{ text: document }];
            return { kind: 'row', line: at + 2, documents, type, reference };
          });
          expect(await rowsOf()).toMatchObject(expected);
        },
      ),
      { numRuns: sized(25, 100) },
    );
  });

  it('throws nothing but SheetError, whatever became of its bytes', async () => {
    const whole = await workbookFile([
      {
        name: 'a',
        data: [['cnpj', 'tipo'], ...Array.from({ length: 30 }, (_, at) => [at, 'cnpj'])],
      },
      { name: 'b', data: [['cnpj'], [new Date(0)], [true]] },
    ]);
    const changes = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), {
      minLength: 1,
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(changes, fc.nat(whole.length), async (bytes, end) => {
        const spoilt = Buffer.from(whole);
        for (const [at, byte] of bytes) spoilt.writeUInt8(byte, at);
        await writeFile(path, end % 5 === 0 ? spoilt.subarray(0, end) : spoilt);
        try {
          for await (const row of planRows(readSheet(path), { type: 'cnpj' })) {
            expect(row.line).toBeGreaterThan(1);
          }
        } catch (error) {
          expect(error).toBeInstanceOf(SheetError);
        }
      }),
      { numRuns: sized(100, 500) },
    );
  });
});

/** Written as it is, `_x0041_` is the letter A to a spreadsheet. */
function shown(value: string | number): string {
  return String(value).replaceAll(/_x([0-9a-f]{4})_/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
