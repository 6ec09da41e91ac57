import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { stringify } from 'csv-stringify';
import type {
  AnalysedAssignor,
  AnalysedPayer,
  AnalysedReceivable,
  AnalysisIssue,
} from '../../domain/credit/analysis';
import { sheetText } from './result-cells';

/** Published formats: add at the end only. */
export const receivableColumns = [
  'titulo_id',
  'numero',
  'valor',
  'data_vencimento',
  'nfe_chave',
  'status',
  'cedente_cnpj',
  'cedente_razao_social',
  'cedente_status',
  'sacado_cnpj_cpf',
  'sacado_razao_social',
  'sacado_tipo',
  'sacado_status',
  'issue_count',
  'issues',
] as const;

export const issueColumns = [
  'level',
  'id',
  'name',
  'rule_id',
  'rule_name',
  'category',
  'status',
  'field',
  'actual',
  'expected',
  'threshold',
  'data_source',
  'message',
] as const;

type Cell = string | number | boolean | null;

export function receivableCells(
  assignor: AnalysedAssignor,
  payer: AnalysedPayer | undefined,
  { id, number, value, dueOn, invoiceKey, status, issues }: AnalysedReceivable,
): Cell[] {
  return [
    id,
    number,
    value,
    dueOn,
    invoiceKey,
    status,
    assignor.document,
    assignor.name,
    assignor.status,
    payer?.document ?? null,
    payer?.name ?? null,
    payer?.kind ?? null,
    payer?.status ?? null,
    issues.length,
    issues.map(issueWords).join(' | '),
  ];
}

export function issueCells(
  level: 'cedente' | 'sacado' | 'titulo',
  { id, name }: { id: string | null; name: string | null },
  issue: AnalysisIssue,
): Cell[] {
  const { ruleId, ruleName, category, status, field, actual, expected, threshold } = issue;
  return [
    level,
    id,
    name,
    ruleId,
    ruleName,
    category,
    status,
    field,
    actual,
    expected,
    threshold,
    issue.source,
    issue.message,
  ];
}

function issueWords({ ruleName, ruleId, status, message }: AnalysisIssue): string {
  return `${ruleName ?? ruleId ?? 'a rule'} (${status ?? '-'}): ${message ?? ''}`;
}

/** A CSV file readable by its owner only, which appears when it is complete. */
export class AnalysisSheet {
  readonly #path: string;
  readonly #temporary: string;
  readonly #rows;
  readonly #excel: boolean;
  readonly #written: Promise<void>;

  /**
   * @param excel `;`, BOM and CRLF, like result sheets
   * @param decimalComma with `excel`: in numbers too
   */
  constructor(
    path: string,
    columns: readonly string[],
    { excel = false, decimalComma = false } = {},
  ) {
    this.#path = path;
    this.#excel = excel;
    this.#rows = stringify({
      delimiter: excel ? ';' : ',',
      record_delimiter: excel ? '\r\n' : '\n',
      bom: excel,
      ...(excel && decimalComma && { cast: { number: withComma } }),
      quoted_match: /[;,\t\r\n]/,
    });
    this.#temporary = join(dirname(path), `.${basename(path)}.${randomUUID()}.partial`);
    this.#written = pipeline(
      this.#rows,
      createWriteStream(this.#temporary, { flush: true, mode: 0o600 }),
    );
    // `close` throws the error; unhandled, the event would end the process.
    this.#written.catch(() => undefined);
    this.#rows.write(columns.map((column) => sheetText(column, excel)));
  }

  /** @returns false: await `drained` before writing much more */
  write(cells: readonly Cell[]): boolean {
    return this.#rows.write(
      cells.map((cell) => (typeof cell === 'string' ? sheetText(cell, this.#excel) : plain(cell))),
    );
  }

  async drained(): Promise<void> {
    if (this.#rows.writableNeedDrain)
      await Promise.race([once(this.#rows, 'drain'), this.#written]);
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

function withComma(value: number): string {
  return String(value).replace('.', ',');
}

/** csv-stringify would write a boolean as `1`, or as nothing. */
function plain(cell: number | boolean | null): string | number | null {
  return typeof cell === 'boolean' ? String(cell) : cell;
}
