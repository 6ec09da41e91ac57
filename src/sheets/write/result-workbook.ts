import type { Blob } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type Stream from 'node:stream';
import { pipeline } from 'node:stream/promises';

import writeXlsxFile, { type CellObject, type Feature, type Row } from 'write-excel-file/node';

import type { ResultRow } from '../../domain/certificates/certificates';
import { columnWidths, ownCells, ownNames, resultColumns, resultValue } from './result-cells';
import { columnLetters } from '../read/row-source';
import type { ResultFile } from './result-sheet';

/**
 * Maximum of rows in a workbook of results without the user's columns: its writer holds
 * all of it in memory (about 550 MB at this size). `results.csv` has no such bound.
 */
export const mostWorkbookRows = 50_000;

/** @param total number of rows @param own number of the user's columns */
export function fitsWorkbook(total: number, own: number): boolean {
  return total * (resultColumns.length + own) <= mostWorkbookRows * resultColumns.length;
}

const ownWidth = 20;

const fills: Readonly<Record<ResultRow['status'], string>> = {
  open: '#ffffff',
  issued: '#e2f0d9',
  duplicate: '#ededed',
  cancelled: '#ededed',
  erased: '#ededed',
  unsupported: '#fff2cc',
  invalid: '#fff2cc',
  expired: '#fbe5d6',
  unknown_outcome: '#fbe5d6',
  failed: '#f8cbcb',
};

const longestCell = 32_767;

/**
 * Collects a workbook of results: the columns of `results.csv` in order, a bold frozen
 * header, a filter, the status in colour. Everything but numbers, true and false is text in
 * the format "text", so that nothing is executed, rounded or loses zeros, even when edited.
 * Instants are text as well: a date in a spreadsheet has no time zone.
 *
 * `close` renames it to its path. A result that does not fit (`fitsWorkbook`) has no workbook, and
 * one of an earlier, shorter result is removed. Rejects with errors of the file system.
 *
 * @param total number of rows
 * @param columns names of the user's other columns
 */
export function openResultWorkbook(
  path: string,
  total: number,
  columns: readonly string[] = [],
): Omit<ResultFile, 'abandon'> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomUUID()}.partial`);
  const isLeftOut = !fitsWorkbook(total, columns.length);
  const rows: Row[] = [];

  return {
    async write(row) {
      if (!isLeftOut) rows.push([...workbookRow(row), ...ownCells(row.own, columns).map(ownCell)]);
    },
    async close() {
      if (isLeftOut) {
        await rm(path, { force: true });
        return;
      }
      try {
        await writeWorkbook(temporary, ownNames(columns, resultColumns), rows);
        await rename(temporary, path);
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
    },
  };
}

async function writeWorkbook(
  path: string,
  own: readonly string[],
  rows: readonly Row[],
): Promise<void> {
  const names = [...resultColumns, ...own];
  const header = names.map((name): CellObject => ({
    ...textCell(name),
    fontWeight: 'bold',
  }));
  const file = writeXlsxFile(
    [header, ...rows],
    {
      sheet: 'results',
      stickyRowsCount: 1,
      columns: [
        ...resultColumns.map((column) => ({ width: columnWidths[column] })),
        ...own.map(() => ({ width: ownWidth })),
      ],
    },
    { features: [filterOver(columnLetters(names.length - 1), rows.length + 1)] },
  );
  const stream = file.toStream as () => Promise<NodeJS.ReadableStream>;
  await pipeline(await stream(), createWriteStream(path, { flush: true, mode: 0o600 }));
}

/** The writer has no filter, but accepts additions to its XML. */
function filterOver(lastColumn: string, rows: number): Feature<Blob | Buffer | Stream> {
  const filter = `<autoFilter ref="A1:${lastColumn}${rows}"/>`;
  return {
    files: {
      transform: {
        'xl/worksheets/sheet{id}.xml': {
          transform: (xml) => xml.replace('</sheetData>', `</sheetData>${filter}`),
        },
      },
    },
  };
}

function workbookRow(row: ResultRow): Row {
  return resultColumns.map((column) => {
    const value = resultValue(row, column);
    if (value === null || value === '') return null;
    if (typeof value === 'number') return { value, type: Number };
    if (typeof value === 'boolean') return { value, type: Boolean };
    if (column !== 'status') return textCell(value);
    return { ...textCell(value), backgroundColor: fills[row.status] };
  });
}

function ownCell(text: string): CellObject | null {
  return text === '' ? null : textCell(text);
}

function textCell(text: string): CellObject {
  return { value: writable(text), type: String, format: '@' };
}

function writable(text: string): string {
  const cut = text.slice(0, longestCell);
  // The writer uses a plain object as a map of texts, where these names have a meaning.
  if (cut in Object.prototype) return `${cut} `;
  // A spreadsheet reads _x0041_ as the letter A.
  return cut.replaceAll(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_');
}
