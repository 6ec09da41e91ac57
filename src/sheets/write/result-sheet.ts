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
  /** Resolves when the next row may be written. Rows keep the order of the calls. */
  write(row: ResultRow): Promise<void>;
  /** Renames the finished file to its path; until then an earlier file stays. */
  close(): Promise<void>;
  /** Removes the temporary file; an earlier file stays. */
  abandon(): Promise<void>;
}

/**
 * Starts a result sheet: UTF-8, one header line, `true` and `false`, empty cells for null. Writes to
 * a temporary file beside `path`, which `close` flushes and renames. Rejects with errors of the file
 * system.
 */
export function openResultSheet(path: string, options: ResultSheetOptions = {}): ResultSheet {
  const { columns = [], excel = false } = options;
  const temporary = join(dirname(path), `.${basename(path)}.${randomUUID()}.partial`);
  const rows = stringify({
    delimiter: excel ? ';' : ',',
    record_delimiter: excel ? '\r\n' : '\n',
    bom: excel,
    // Another spreadsheet may use the other delimiter: quoted, the text stays one cell there.
    quoted_match: /[;,\t\r\n]/,
  });
  const written = pipeline(rows, createWriteStream(temporary, { flush: true }));
  // The next `write` or `close` throws the error; unhandled, the event would end the process.
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

/** A row of a result sheet as text, by column, with punctuation and apostrophes. */
export type ResultRecord = Record<ResultColumn, string>;

/** Reads either variant. Throws errors of csv-parse and the file system. */
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
