import { createReadStream } from 'node:fs';

import { readSheet } from 'read-excel-file/node';

import type { Words } from '../../domain/job';
import { type ColumnChoice, hasHeader, mostLinesAbove } from './header-columns';
import { type CellFault, isBlank, type SourceRow } from './row-source';
import { fileError } from '../sheet-error';
import { faultOf, NumberText, type OddCell, readCell } from './xlsx-cells';
import { damaged, openWorkbook, type WorkbookSheet } from './xlsx-package';
import { surveySheet } from './xlsx-survey';

export interface InputChoice extends ColumnChoice {
  /** The sheet as the user names it: its name, or its number among the tabs, from 1. */
  sheet?: string | undefined;
  /** Receives sentences: which of several sheets is read, which lines are skipped. */
  onNotice?: (notice: Words) => void;
  /** Receives the names of the rows' `own` columns, before the first row. */
  onHeader?: (own: readonly string[]) => void;
}

// The reader pads every row to the widest one: a stray cell far right costs memory in each row.
const mostCells = 10_000_000;
const mostRows = 1_048_576;

/**
 * Rows of one sheet of a workbook (.xlsx, .xlsm), numbered as the spreadsheet shows them, hidden
 * ones included. Formulas have their stored results. The whole sheet is held in memory. Throws
 * SheetError `sheet_not_found`, `too_large`, `empty_file`, and those of `openWorkbook`.
 */
export async function* xlsxRows(
  path: string,
  choice: InputChoice = {},
): AsyncGenerator<SourceRow, void> {
  const sheets = await openWorkbook(path);
  const [first, ...others] = chooseSheets(path, sheets, choice);
  let { name, rows } = await sheetRows(path, first, sheets);
  for (const other of others) {
    if (isTable(rows, choice)) break;
    const next = await sheetRows(path, other, sheets);
    if (isTable(next.rows, choice)) ({ name, rows } = next);
  }
  if (choice.sheet === undefined && sheets.some((one) => one.name !== name && one.hasValues)) {
    const [en, pt] = sheetsFound(sheets);
    choice.onNotice?.([
      `${path}: the sheet "${name}" is read. ${en} --sheet names another.`,
      `${path}: a aba "${name}" é lida. ${pt} --sheet indica outra.`,
    ]);
  }
  yield* rows;
}

/** Covers and instructions have no header, or no rows below it. */
function isTable(rows: Iterable<SourceRow>, choice: InputChoice): boolean {
  const filled: SourceRow[] = [];
  for (const row of rows) {
    if (!isBlank(row.cells)) filled.push(row);
    if (filled.length === mostLinesAbove) break;
  }
  return filled.length > 1 && hasHeader(filled, choice);
}

async function sheetRows(
  path: string,
  sheet: WorkbookSheet,
  sheets: readonly WorkbookSheet[],
): Promise<{ name: string; rows: Iterable<SourceRow> }> {
  const { name, position } = sheet;
  const survey = surveySheet(await sheet.xml());
  const { rows, columns } = survey;
  if (columns === 0) {
    const [en, pt] = sheetsFound(sheets);
    throw fileError('empty_file', path, [
      `: the sheet "${name}" is empty. ${en}`,
      `: a aba "${name}" está vazia. ${pt}`,
    ]);
  }
  if (rows > mostRows || rows * columns > mostCells) {
    throw fileError('too_large', path, [
      `: the sheet "${name}" spans ${rows} rows and ${columns} columns, more than ${mostCells} cells: delete what stands far right and far below, or save it as CSV (UTF-8).`,
      `: a aba "${name}" ocupa ${rows} linhas e ${columns} colunas, mais de ${mostCells} células: apague o que está muito à direita ou muito abaixo, ou salve-a como CSV (UTF-8).`,
    ]);
  }
  const cells = await readCells(path, position);
  const last = Math.max(cells.length, ...survey.odd.keys());
  return {
    name,
    rows: {
      *[Symbol.iterator]() {
        for (let line = 1; line <= last; line += 1) {
          yield sourceRow(line, cells[line - 1] ?? [], survey.odd.get(line));
        }
      },
    },
  };
}

function chooseSheets(
  path: string,
  sheets: readonly WorkbookSheet[],
  { sheet: wanted }: InputChoice,
): [WorkbookSheet, ...WorkbookSheet[]] {
  const tabs = sheets.filter(({ hidden }) => !hidden);
  if (wanted === undefined) {
    const [first, ...others] = tabs.filter(({ hasValues }) => hasValues);
    const chosen = first ?? tabs[0] ?? sheets[0];
    if (chosen === undefined)
      throw damaged(path, ['it has no sheet of cells', 'não tem nenhuma aba com células']);
    return [chosen, ...others];
  }
  const name = wanted.trim().toLowerCase();
  const found =
    sheets.find((sheet) => sheet.name === wanted) ??
    sheets.find((sheet) => sheet.name.trim().toLowerCase() === name) ??
    (/^\d+$/.test(name) ? tabs[Number(name) - 1] : undefined);
  if (found !== undefined) return [found];
  const [en, pt] = sheetsFound(sheets);
  throw fileError('sheet_not_found', path, [
    ` has no sheet "${wanted}". ${en}`,
    ` não tem a aba "${wanted}". ${pt}`,
  ]);
}

function sheetsFound(sheets: readonly WorkbookSheet[]): Words {
  let tab = 0;
  const names = sheets.map(({ name, hidden }): Words => {
    if (hidden) return [`"${name}" (hidden)`, `"${name}" (oculta)`];
    tab += 1;
    return [`${tab} "${name}"`, `${tab} "${name}"`];
  });
  const list = (at: 0 | 1): string => names.map((words) => words[at]).join(', ');
  return [`Sheets: ${list(0)}.`, `Abas: ${list(1)}.`];
}

async function readCells(path: string, position: number): Promise<unknown[][]> {
  try {
    return await readSheet<NumberText>(createReadStream(path), position, {
      trim: false,
      parseNumber: (text) => new NumberText(text),
    });
  } catch (error) {
    const reported = error instanceof Error ? error.message : '';
    // Messages of the reader may quote cells.
    const row = /^(?:Out-of-place )?<(?:c|row)\/>[a-z ]* row (\d+)/.exec(reported)?.[1];
    const [en, pt] =
      row === undefined ? ['its cells', 'as suas células'] : [`row ${row}`, `a linha ${row}`];
    throw damaged(path, [`${en} cannot be read`, `não é possível ler ${pt}`], error);
  }
}

function sourceRow(
  line: number,
  values: readonly unknown[],
  odd: ReadonlyMap<number, OddCell> | undefined,
): SourceRow {
  const faults = new Map<number, CellFault>();
  const width = Math.max(values.length, ...(odd?.keys() ?? []));
  const cells = Array.from({ length: width }, (_, at) => {
    const cell = odd?.get(at + 1) ?? readCell(values[at]);
    if (typeof cell === 'string') return cell;
    faults.set(at, faultOf(cell, line, at));
    return cell.text;
  });
  return faults.size === 0 ? { line, cells } : { line, cells, faults };
}
