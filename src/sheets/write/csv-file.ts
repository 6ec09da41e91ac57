import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { stringify, type Stringifier } from 'csv-stringify';
import { stringify as stringifyAtOnce } from 'csv-stringify/sync';
import { plainText } from '../../domain/core/plain-text';

export type CsvCell = string | number | boolean | null;

export interface CsvStyle {
  /** `;`, BOM, CRLF, decimal comma and escaped formulas, for Excel in Portuguese; else `,` and LF. */
  excel?: boolean;
}

function formatOf(excel: boolean) {
  return {
    delimiter: excel ? ';' : ',',
    record_delimiter: excel ? '\r\n' : '\n',
    bom: excel,
    // Another spreadsheet may use the other delimiter: quoted, the text stays one cell there.
    quoted_match: /[;,\t\r\n]/,
  };
}

/**
 * Prefixes an apostrophe to text that a spreadsheet would execute (`= + - @`, their full-width forms, tab,
 * line breaks, also after white space); other text is unchanged.
 * https://owasp.org/www-community/attacks/CSV_Injection
 */
export function inertCell(text: string): string {
  return /^(?:\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n])/.test(text) ? `'${text}` : text;
}

/** A program in Portuguese takes the decimal point for thousands. */
export function csvCell(cell: CsvCell, excel: boolean): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return excel ? String(cell).replace('.', ',') : String(cell);
  const text = plainText(String(cell));
  return excel ? inertCell(text) : text;
}

export function csvStream(
  columns: readonly string[],
  { excel = false }: CsvStyle = {},
): Stringifier {
  return stringify({ columns: [...columns], header: true, ...formatOf(excel) });
}

export interface Table {
  columns: readonly string[];
  rows: readonly Readonly<Record<string, CsvCell>>[];
}

export function csvTable({ columns, rows }: Table, { excel = false }: CsvStyle = {}): string {
  const line = (cells: readonly CsvCell[]) => cells.map((cell) => csvCell(cell, excel));
  const records = rows.map((row) => line(columns.map((column) => row[column] ?? null)));
  return stringifyAtOnce([line(columns), ...records], formatOf(excel));
}

/** A CSV file readable by its owner only, which appears when it is complete. */
export class CsvFile {
  readonly #path: string;
  readonly #temporary: string;
  readonly #rows: Stringifier;
  readonly #excel: boolean;
  readonly #written: Promise<void>;
  #drain: Promise<unknown> | undefined;

  constructor(path: string, columns: readonly string[], { excel = false }: CsvStyle = {}) {
    this.#path = path;
    this.#excel = excel;
    this.#rows = stringify(formatOf(excel));
    this.#temporary = join(dirname(path), `.${basename(path)}.${randomUUID()}.partial`);
    this.#written = pipeline(
      this.#rows,
      createWriteStream(this.#temporary, { flush: true, mode: 0o600 }),
    );
    // `drained` and `close` throw the error; unhandled, the event would end the process.
    this.#written.catch(() => undefined);
    this.write(columns);
  }

  /** @returns false: await `drained` before writing much more */
  write(cells: readonly CsvCell[]): boolean {
    return this.#rows.write(cells.map((cell) => csvCell(cell, this.#excel)));
  }

  async drained(): Promise<void> {
    if (this.#rows.destroyed) await this.#written;
    if (!this.#rows.writableNeedDrain) return;
    this.#drain ??= Promise.race([once(this.#rows, 'drain'), this.#written]).finally(() => {
      this.#drain = undefined;
    });
    await this.#drain;
  }

  async close(): Promise<void> {
    this.#rows.end();
    try {
      await this.#written;
      await rename(this.#temporary, this.#path);
    } catch (error) {
      await rm(this.#temporary, { force: true });
      throw error;
    }
  }

  async abandon(): Promise<void> {
    this.#rows.destroy();
    await this.#written.catch(() => undefined);
    await rm(this.#temporary, { force: true });
  }
}
