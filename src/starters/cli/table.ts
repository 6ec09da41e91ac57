import { printable } from '../jobs/text';

/** Aligned columns with heads; numbers to the right. */
export function tableLines(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
): string[] {
  const cells = [heads.map((head) => head.toUpperCase()), ...rows].map((row) => row.map(printable));
  const widths = heads.map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)));
  const isNumber = heads.map((_, at) => rows.every((row) => /^\d*$/.test(row[at] ?? '')));
  return cells.map((row) =>
    row
      .map((cell, at) =>
        isNumber[at] === true ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
}
