import { createReadStream } from 'node:fs';

import { readSheet } from 'read-excel-file/node';

import type { CellFault, SourceRow } from './row-source';
import { SheetError } from './sheet-error';
import { faultOf, NumberText, type OddCell, readCell } from './xlsx-cells';
import { damaged, openWorkbook, type WorkbookSheet } from './xlsx-package';
import { type SheetSurvey, surveySheet } from './xlsx-survey';

export interface SheetChoice {
  /** The sheet as the user names it: its name, or its number among the tabs, from 1. */
  sheet?: string;
  /** Called once, with a sentence, when nobody named a sheet and there were several to choose from. */
  onSheetChosen?: (notice: string) => void;
}

// The reader fills up every row to the widest one: a stray cell far right costs memory in each row.
const mostCells = 10_000_000;
const mostRows = 1_048_576;

/**
 * Rows of one sheet of a workbook (.xlsx, .xlsm), numbered as the spreadsheet shows them, hidden
 * ones among them. Formulas count as what they came to. The whole sheet is held in memory. Throws
 * SheetError `sheet_not_found`, `too_large`, `empty_file`, and those of `openWorkbook`.
 */
export async function* xlsxRows(
  path: string,
  choice: SheetChoice = {},
): AsyncGenerator<SourceRow, void> {
  const { place, survey } = await chooseAndSurvey(path, choice);
  const rows = await readCells(path, place);
  let last = rows.length;
  for (const line of survey.odd.keys()) last = Math.max(last, line);
  for (let line = 1; line <= last; line += 1) {
    yield sourceRow(line, rows[line - 1] ?? [], survey.odd.get(line));
  }
}

async function chooseAndSurvey(
  path: string,
  choice: SheetChoice,
): Promise<{ place: number; survey: SheetSurvey }> {
  const sheets = await openWorkbook(path);
  const sheet = chooseSheet(path, sheets, choice);
  const survey = surveySheet(await sheet.xml());
  const { rows, columns } = survey;
  if (columns === 0) {
    throw new SheetError(
      'empty_file',
      `${path}: the sheet "${sheet.name}" is empty. ${sheetsFound(sheets)}`,
      { file: path },
    );
  }
  if (rows > mostRows || rows * columns > mostCells) {
    throw new SheetError(
      'too_large',
      `${path}: the sheet "${sheet.name}" spans ${rows} rows and ${columns} columns, more than ${mostCells} cells: delete what stands far right and far below, or save it as CSV (UTF-8).`,
      { file: path },
    );
  }
  return { place: sheet.place, survey };
}

function chooseSheet(
  path: string,
  sheets: readonly WorkbookSheet[],
  { sheet: wanted, onSheetChosen }: SheetChoice,
): WorkbookSheet {
  const tabs = sheets.filter(({ hidden }) => !hidden);
  if (wanted === undefined) {
    const first = tabs[0] ?? sheets[0];
    if (first === undefined) throw damaged(path, 'it has no sheet of cells');
    if (sheets.some((other) => other !== first && other.hasValues)) {
      onSheetChosen?.(
        `${path}: the sheet "${first.name}" is read. ${sheetsFound(sheets)} --sheet names another.`,
      );
    }
    return first;
  }
  const name = wanted.trim().toLowerCase();
  const found =
    sheets.find((sheet) => sheet.name === wanted) ??
    sheets.find((sheet) => sheet.name.trim().toLowerCase() === name) ??
    (/^\d+$/.test(name) ? tabs[Number(name) - 1] : undefined);
  if (found !== undefined) return found;
  throw new SheetError(
    'sheet_not_found',
    `${path} has no sheet "${wanted}". ${sheetsFound(sheets)}`,
    { file: path },
  );
}

function sheetsFound(sheets: readonly WorkbookSheet[]): string {
  let tab = 0;
  const names = sheets.map(({ name, hidden }) => {
    if (hidden) return `"${name}" (hidden)`;
    tab += 1;
    return `${tab} "${name}"`;
  });
  return `Sheets: ${names.join(', ')}.`;
}

async function readCells(path: string, place: number): Promise<unknown[][]> {
  try {
    return await readSheet<NumberText>(createReadStream(path), place, {
      trim: false,
      parseNumber: (text) => new NumberText(text),
    });
  } catch (error) {
    const told = error instanceof Error ? error.message : '';
    // Messages of the reader may hold what stands in the cells.
    const row = /^(?:Out-of-place )?<(?:c|row)\/>[a-z ]* row (\d+)/.exec(told)?.[1];
    const what = row === undefined ? 'its cells' : `row ${row}`;
    throw damaged(path, `${what} cannot be read`, error);
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
