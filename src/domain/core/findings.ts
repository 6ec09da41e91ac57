export type Cell = string | number | boolean | null;

/** By column; deeper values are JSON. */
export type FlatRow = Readonly<Record<string, Cell>>;

export type Fields = Readonly<Record<string, unknown>>;

export interface FindingSection {
  name: string;
  /** What its rows are, if they show it (`places`); else the name. */
  title: string;
  file: string;
  /** Most important first: a narrow screen shows no others. */
  columns: readonly string[];
  rows: readonly FlatRow[];
  /** Total, when these are the first rows only. */
  total: number;
}

export interface Findings {
  /** The raw response; of an analysis its sums; null: not in the store. */
  result: unknown;
  /** Single values by their paths in the response. */
  facts: FlatRow;
  sections: readonly FindingSection[];
}

/** The service's words for a field, likeliest first; without accents, `_` and capitals. */
export type KnownWords = Readonly<Record<string, readonly string[]>>;

export const noFindings: Findings = { result: null, facts: {}, sections: [] };

const deepest = 6;

/**
 * Everything of an undocumented part of a response: each list is a section, each single value a fact.
 * @param known columns added to each row, from the first word with a value; null: none has
 */
export function readFindings(
  reported: unknown,
  { file, name = '', known = {} }: { file: string; name?: string; known?: KnownWords },
): Pick<Findings, 'facts' | 'sections'> {
  const facts: [string, Cell][] = [];
  const sections: FindingSection[] = [];
  const read = (path: string, value: unknown, depth: number): void => {
    const own = path === '' ? 'result' : path;
    if (Array.isArray(value)) sections.push(findingSection(own, value, { file, known }));
    else if (isFields(value) && depth < deepest) {
      for (const [word, inner] of Object.entries(value)) {
        read(path === '' ? word : `${path}.${word}`, inner, depth + 1);
      }
    } else if (value !== undefined) facts.push([own, cellOf(value)]);
  };
  read(name, reported, 0);
  return { facts: Object.fromEntries(facts), sections };
}

/** @param first leading columns; those of `known` come before them @param total when these are the first rows only */
export function findingSection(
  name: string,
  list: readonly unknown[],
  {
    file,
    known = {},
    first = [],
    total = list.length,
  }: { file: string; known?: KnownWords; first?: readonly string[]; total?: number },
): FindingSection {
  const read = new Set<string>();
  const rows = list.map((one) => {
    const row = flatRow(one);
    const added = Object.entries(known).map(([column, words]) => {
      const found = findColumn(row, words);
      if (found !== null && found !== column) read.add(found);
      return [column, found === null ? null : (row[found] ?? null)] as const;
    });
    return { ...Object.fromEntries(added), ...row, ...Object.fromEntries(added) };
  });
  const columns = new Set([...Object.keys(known), ...first]);
  for (const row of rows) {
    for (const column of Object.keys(row)) if (!read.has(column)) columns.add(column);
  }
  return { name, title: name, file, columns: [...columns], rows, total };
}

function findColumn(row: FlatRow, words: readonly string[]): string | null {
  const columns = Object.keys(row).filter((column) => row[column] !== null && row[column] !== '');
  for (const word of words) {
    const found = columns.find((column) => plainWord(column) === word);
    if (found !== undefined) return found;
  }
  return null;
}

/** Of `posicao.Latitude`, `latitude`. */
function plainWord(column: string): string {
  const last = column.slice(column.lastIndexOf('.') + 1);
  return last
    .normalize('NFD')
    .replaceAll(/[\p{M}_-]/gu, '')
    .toLowerCase();
}

/** Nested objects become columns once: `localizacao.cidade`. */
export function flatRow(row: unknown): FlatRow {
  if (!isFields(row)) return { valor: cellOf(row) };
  const cells = Object.entries(row).flatMap(([name, value]) =>
    isFields(value)
      ? Object.entries(value).map(([inner, one]) => [`${name}.${inner}`, cellOf(one)] as const)
      : [[name, cellOf(value)] as const],
  );
  return Object.fromEntries(cells);
}

function cellOf(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  return typeof value === 'object' ? JSON.stringify(value) : (value as Cell);
}

export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
