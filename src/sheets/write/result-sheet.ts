import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';

import { parse } from 'csv-parse';
import { stringify } from 'csv-stringify';

import type { ResultRow } from '../../domain/certificates/certificates';
import {
  ownCells,
  ownNames,
  type ResultColumn,
  resultCells,
  resultColumns,
  sheetText,
} from './result-cells';

export interface ResultSheetOptions {
  /** `;`, BOM, CRLF and punctuated documents, for Excel in Portuguese. Else `,`, no BOM, LF. */
  excel?: boolean;
  /** Names of the user's other columns. */
  columns?: readonly string[];
}

export interface ResultSheet {
  /** Resolves when the next row may be written. Rows stand in the order of the calls. */
  write(row: ResultRow): Promise<void>;
  /** Puts the finished file in its place; until then nothing stands there, or the one before. */
  close(): Promise<void>;
  /** Leaves what stood there before as it was. */
  abandon(): Promise<void>;
}

/**
 * Starts a result sheet: UTF-8, one header line, `true` and `false`, empty cells for null. Writes to
 * a temporary file beside `path`, which `close` flushes and renames. Rejects with what the file
 * system says.
 */
export function openResultSheet(path: string, options: ResultSheetOptions = {}): ResultSheet {
  const { columns = [], excel = false } = options;
  const temporary = join(dirname(path), `.${basename(path)}.${randomUUID()}.partial`);
  const rows = stringify({
    delimiter: excel ? ';' : ',',
    record_delimiter: excel ? '\r\n' : '\n',
    bom: excel,
    // What this file separates by, another spreadsheet may not: quoted, it stays one cell there.
    quoted_match: /[;,\t\r\n]/,
  });
  const written = pipeline(rows, createWriteStream(temporary, { flush: true }));
  // Whoever writes or closes next gets the error; before that it must not end the process.
  written.catch(() => undefined);
  const cells = (ours: readonly string[], own: readonly string[]): string[] => [
    ...ours,
    ...own.map((text) => sheetText(text, excel)),
  ];
  rows.write(cells(resultColumns, ownNames(columns, resultColumns)));
  let drained: Promise<unknown> | undefined;

  return {
    async write(row) {
      if (rows.destroyed) await written;
      if (!rows.write(cells(resultCells(row, { excel }), ownCells(row.own, columns)))) {
        drained ??= Promise.race([once(rows, 'drain'), written]).finally(() => {
          drained = undefined;
        });
        await drained;
      }
    },
    async close() {
      rows.end();
      try {
        await written;
        await rename(temporary, path);
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
    },
    async abandon() {
      rows.destroy();
      await written.catch(() => undefined);
      await rm(temporary, { force: true });
    },
  };
}

/** A row of a result sheet as text, a cell a column, documents and apostrophes as they stand. */
export type ResultRecord = Record<ResultColumn, string>;

/** Reads back either variant. Throws what csv-parse and the file system throw. */
export async function* readResultSheet(path: string): AsyncGenerator<ResultRecord, void> {
  const parser = parse({
    bom: true,
    columns: true,
    delimiter: await delimiterOf(path),
    record_delimiter: ['\r\n', '\n'],
  });
  const fed = pipeline(createReadStream(path), parser);
  fed.catch(() => undefined);
  for await (const record of parser as AsyncIterable<ResultRecord>) yield record;
}

async function delimiterOf(path: string): Promise<string> {
  for await (const start of createReadStream(path, { end: 15, encoding: 'utf8' })) {
    return String(start).includes('line;') ? ';' : ',';
  }
  return ',';
}
