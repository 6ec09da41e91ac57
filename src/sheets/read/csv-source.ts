import { createReadStream } from 'node:fs';
import { pipeline, Readable } from 'node:stream';

import { CsvError, parse } from 'csv-parse';

import type { Words } from '../../domain/job';
import type { SourceRow } from './row-source';
import { fileError, type SheetError } from '../sheet-error';
import { findTextLayout, type TextEncoding, type TextLayout } from './text-layout';
import { decodeWindows1252 } from './windows-1252';

// Without this bound, an unclosed quote would hold the rest of the file in memory.
const longestRow = 1_000_000;

const lineBreaks = /\r\n|\r|\n/g;

/**
 * Rows of a CSV file. Quoted cells may contain line breaks: the row has the number of its first line. A first line
 * `sep=;` has no number: spreadsheets do not show it.
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
  const words: Words = [
    `, line ${line}: a quotation mark opens on this line and is not closed. Close it, or write it twice.`,
    `, linha ${line}: uma aspa abre nesta linha e não fecha. Feche-a, ou escreva-a duas vezes.`,
  ];
  return fileError('unbalanced_quote', path, words, { line, cause });
}

function sheetErrorOf(error: unknown, path: string, line: number): unknown {
  if (!(error instanceof CsvError)) return error;
  if (error.code !== 'CSV_MAX_RECORD_SIZE') return unbalancedQuote(path, line, error);
  const words: Words = [
    `, line ${line}: the row is longer than ${longestRow} bytes; a quotation mark may be missing its partner.`,
    `, linha ${line}: a linha tem mais de ${longestRow} bytes; talvez falte fechar uma aspa.`,
  ];
  return fileError('row_too_long', path, words, { line, cause: error });
}
