import { format } from 'node:util';
import {
  bare,
  childrenOf,
  everyNode,
  isSyntax,
  parseTypeScript,
  textOf,
  type Syntax,
} from './syntax';

/**
 * Titles of the tests that a file really runs: `skip`, `todo` and `failing` do not count. A test
 * over a table is known by its title as written, and, where the table stands there (or in a const of
 * the file) in plain words, by the title of each of its rows.
 */
export function testTitles(source: string): Set<string> {
  const file = parseTypeScript(source);
  const tables = tablesOf(file);
  const titles = new Set<string>();
  for (const call of callsThatRun(file)) {
    const title = textOf(argumentOf(call, 0));
    if (title === undefined) continue;
    const { callee } = call;
    if (isTest(callee)) titles.add(title);
    else if (isTestOverTable(callee)) {
      titles.add(title);
      for (const row of rowsOf(argumentOf(callee, 0), tables)) {
        const filled = filledIn(title, row);
        if (filled !== undefined) titles.add(filled);
      }
    }
  }
  return titles;
}

/** Every call but those below `describe.skip`. */
function* callsThatRun(node: Syntax): Generator<Syntax> {
  if (node['type'] === 'CallExpression') {
    const callee = node['callee'];
    if (isSyntax(callee) && isSyntax(callee['property']) && callee['property']['value'] === 'skip')
      return;
    yield node;
  }
  for (const child of childrenOf(node)) yield* callsThatRun(child);
}

/** Arrays of the file by the name of their const. */
function tablesOf(file: Syntax): Map<unknown, unknown> {
  const tables = new Map<unknown, unknown>();
  for (const node of everyNode(file)) {
    if (node['type'] === 'VariableDeclarator' && isSyntax(node['id'])) {
      tables.set(node['id']['value'], node['init']);
    }
  }
  return tables;
}

function isTest(node: unknown): boolean {
  return (
    isSyntax(node) &&
    node['type'] === 'Identifier' &&
    ['test', 'it'].includes(String(node['value']))
  );
}

/** `test.each([...])`, itself a call. */
function isTestOverTable(node: unknown): node is Syntax {
  if (!isSyntax(node) || node['type'] !== 'CallExpression') return false;
  const { callee } = node;
  if (!isSyntax(callee) || callee['type'] !== 'MemberExpression') return false;
  const { property } = callee;
  return isTest(callee['object']) && isSyntax(property) && property['value'] === 'each';
}

function argumentOf(call: Syntax, place: number): unknown {
  return (call['arguments'] as Syntax[])[place]?.['expression'];
}

type Cell = { value: unknown } | null;

function elementsOf(node: unknown): unknown[] | undefined {
  const plain = bare(node);
  if (!isSyntax(plain) || plain['type'] !== 'ArrayExpression') return undefined;
  return (plain['elements'] as (Syntax | null)[]).map((element) => element?.['expression']);
}

/** Null where a cell is not a plain value. */
function rowsOf(table: unknown, tables: ReadonlyMap<unknown, unknown>): Cell[][] {
  const named = isSyntax(table) && table['type'] === 'Identifier';
  const rows = named ? tables.get(table['value']) : table;
  return (elementsOf(rows) ?? []).map((row) => (elementsOf(row) ?? [row]).map(cellOf));
}

function cellOf(node: unknown): Cell {
  const text = textOf(node);
  if (text !== undefined) return { value: text };
  const plain = bare(node);
  if (!isSyntax(plain)) return null;
  if (plain['type'] === 'NullLiteral') return { value: null };
  const literal = ['NumericLiteral', 'BooleanLiteral'].includes(String(plain['type']));
  return literal ? { value: plain['value'] } : null;
}

/** The title as jest prints it for a row, undefined when it needs a cell that is not plain. */
function filledIn(title: string, row: readonly Cell[]): string | undefined {
  const places = title.match(/%[sdifjop]/g)?.length ?? 0;
  const cells = row.slice(0, places);
  if (places === 0 || cells.length < places || cells.includes(null)) return undefined;
  return format(title, ...cells.map((cell) => cell?.value));
}
