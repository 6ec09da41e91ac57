import { cut, printable } from '../jobs/text';

/** Aligned columns with heads; numbers to the right. */
export function tableLines(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
): string[] {
  const upper = heads.map((head) => head.toUpperCase());
  const widths = widthsOf([upper, ...rows]);
  const isNumber = heads.map((_, at) => rows.every((row) => /^\d*$/.test(row[at] ?? '')));
  return [upper, ...rows].map((row) => lineOf(row, widths, isNumber));
}

export function widthsOf(rows: readonly (readonly string[])[]): number[] {
  const columns = rows[0] ?? [];
  return columns.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
}

/** One line of cells, each cut to its width. */
export function lineOf(
  cells: readonly string[],
  widths: readonly number[],
  isNumber: readonly boolean[] = [],
): string {
  const shown = widths.map((width, at) => {
    const cell = cut(printable(cells[at] ?? ''), width);
    return isNumber[at] === true ? cell.padStart(width) : cell.padEnd(width);
  });
  return shown.join('  ').trimEnd();
}
