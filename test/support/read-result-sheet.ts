import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { parse } from 'csv-parse';
import type { ResultColumn } from '../../src/sheets/write/result-cells';

/** A row of a result sheet as text, by column, with punctuation and apostrophes. */
export type ResultRecord = Record<ResultColumn, string>;

/** Reads either variant. */
export async function* readResultSheet(path: string): AsyncGenerator<ResultRecord, void> {
  const delimiter = /^\ufeff?line;/.test(await readFile(path, 'utf8')) ? ';' : ',';
  const parser = parse({ bom: true, columns: true, delimiter, record_delimiter: ['\r\n', '\n'] });
  pipeline(createReadStream(path), parser).catch(() => undefined);
  for await (const record of parser as AsyncIterable<ResultRecord>) yield record;
}
