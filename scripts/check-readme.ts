/**
 * `npx tsx scripts/check-readme.ts`: README prints the assumptions as the module has them, between
 * `<!-- assumptions -->` and `<!-- /assumptions -->`. With `--write` it puts them there.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assumptionTable, type Assumption } from '../src/apis/assumptions';

const marks = { start: '<!-- assumptions -->', end: '<!-- /assumptions -->' } as const;

/** The table as Markdown, laid out as Prettier does, so that formatting changes nothing. */
export function assumptionsMarkdown(table: readonly Assumption[]): string {
  const areas = [...new Set(table.map(({ area }) => area))];
  return areas
    .map((area) => {
      const rows = table.filter((row) => row.area === area);
      const cells = rows.map((row) => [row.matter, row.value, row.variable ?? '-', row.reason]);
      return `**${area}**\n\n${markdownTable([['matter', 'what is assumed', 'overridden by', 'because'], ...cells])}`;
    })
    .join('\n\n');
}

function markdownTable(rows: readonly string[][]): string {
  const escaped = rows.map((row) => row.map((cell) => cell.replaceAll('|', String.raw`\|`)));
  const widths = (escaped[0] ?? []).map((_, column) =>
    Math.max(3, ...escaped.map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const [header, ...body] = escaped.map((row) =>
    line(row.map((cell, column) => cell.padEnd(widths[column] ?? 0))),
  );
  return [header, line(widths.map((width) => '-'.repeat(width))), ...body].join('\n');
}

/** README with the table put between the marks. Throws when the marks are not there once each. */
export function withAssumptions(readme: string, table: readonly Assumption[]): string {
  const [before, rest, ...moreStarts] = readme.split(marks.start);
  const [, after, ...moreEnds] = (rest ?? '').split(marks.end);
  if (before === undefined || after === undefined || moreStarts.length + moreEnds.length > 0) {
    throw new Error(
      `README.md: expected ${marks.start} and ${marks.end}, once each, in this order`,
    );
  }
  return `${before}${marks.start}\n\n${assumptionsMarkdown(table)}\n\n${marks.end}${after}`;
}

function main(): void {
  const path = join(__dirname, '..', 'README.md');
  const readme = readFileSync(path, 'utf8');
  const right = withAssumptions(readme, assumptionTable);
  if (readme === right) return;
  if (process.argv.includes('--write')) {
    writeFileSync(path, right);
    return;
  }
  process.stderr.write(
    'README.md does not print the assumptions as src/apis/assumptions.ts has them: run `npx tsx scripts/check-readme.ts --write`\n',
  );
  process.exitCode = 1;
}

if (require.main === module) main();
