import { createReadStream } from 'node:fs';
import { pipeline, Readable } from 'node:stream';

import { CsvError, parse } from 'csv-parse';

import type { SourceRow } from './row-source';
import { SheetError } from '../sheet-error';
import { findTextLayout, type TextEncoding, type TextLayout } from './text-layout';
import { decodeWindows1252 } from './windows-1252';

// Without this bound, an unclosed quote would hold the rest of the file in memory.
const longestRow = 1_000_000;

const lineBreaks = /\r\n|\r|\n/g;

/**
 * Rows of a CSV file: `,` `;` tab or the one of a first line `sep=;`; UTF-8 (with or without BOM),
 * UTF-16 with one, or windows-1252. Quoted cells may contain line breaks: the row has the number of its first
 * line. The
 * `sep=` line has no number: spreadsheets do not show it. Throws SheetError `unbalanced_quote` and
 * `row_too_long` with the line, and those of `findTextLayout`.
 */
export async function* csvRows(path: string): AsyncGenerator<SourceRow> {
  const layout = await findTextLayout(path);
  // The parser reads ahead, so lines are counted where rows are made.
  // Its own count takes a CRLF inside quotes for two lines.
  let nextLine = 1;
  const rowOf = (cells: string[]): SourceRow => {
    const line = nextLine;
    nextLine += 1;
    for (const cell of cells) {
      if (!cell.includes('\n') && !cell.includes('\r')) continue;
      // A quoted cell followed by more text is kept unchanged, with its opening quote; over
      // several lines, the quote closed at another quote far below, and rows are lost between.
      if (cell.startsWith('"')) throw unbalancedQuote(path, line);
      nextLine += cell.match(lineBreaks)?.length ?? 0;
    }
    return { line, cells };
  };
  const parser = parse({
    delimiter: layout.delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    max_record_size: longestRow,
    // Its types require a row of the same kind; its code does not.
    on_record: rowOf as (cells: string[]) => never,
  });
  pipeline(byteStream(path, layout), parser, () => {
    // The loop below gets the same error.
  });
  try {
    for await (const row of parser as AsyncIterable<SourceRow>) yield row;
  } catch (error) {
    throw sheetErrorOf(error, path, nextLine);
  }
}

function byteStream(path: string, layout: TextLayout): Readable {
  const bytes = createReadStream(path, { start: layout.contentStart });
  if (layout.encoding === 'utf-8') return bytes;
  return Readable.from(utf8Of(bytes, layout.encoding), { objectMode: false });
}

async function* utf8Of(
  bytes: AsyncIterable<Buffer>,
  encoding: TextEncoding,
): AsyncGenerator<Buffer> {
  const wide = encoding === 'windows-1252' ? undefined : new TextDecoder(encoding);
  for await (const chunk of bytes) {
    yield Buffer.from(wide?.decode(chunk, { stream: true }) ?? decodeWindows1252(chunk));
  }
}

function unbalancedQuote(path: string, line: number, cause?: unknown): SheetError {
  return new SheetError(
    'unbalanced_quote',
    [
      `${path}, line ${line}: a quotation mark opens on this line and is not closed. Close it, or write it twice.`,
      `${path}, linha ${line}: uma aspa abre nesta linha e não fecha. Feche-a, ou escreva-a duas vezes.`,
    ],
    { file: path, line, cause },
  );
}

function sheetErrorOf(error: unknown, path: string, line: number): unknown {
  if (!(error instanceof CsvError)) return error;
  if (error.code === 'CSV_MAX_RECORD_SIZE') {
    return new SheetError(
      'row_too_long',
      [
        `${path}, line ${line}: the row is longer than ${longestRow} bytes; a quotation mark may be missing its partner.`,
        `${path}, linha ${line}: a linha tem mais de ${longestRow} bytes; talvez falte fechar uma aspa.`,
      ],
      { file: path, line, cause: error },
    );
  }
  return unbalancedQuote(path, line, error);
}
