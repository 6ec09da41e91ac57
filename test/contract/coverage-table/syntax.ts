import { parseSync } from '@swc/core';

/** A node of swc's syntax tree, read by its fields alone. */
export type Syntax = Readonly<Record<string, unknown>>;

/** A source is asked for once for each name in it: it is parsed once. */
const parsed = new Map<string, Syntax>();

export function parseTypeScript(source: string): Syntax {
  const known = parsed.get(source);
  if (known !== undefined) return known;
  const syntax = parseSync(source, { syntax: 'typescript', target: 'es2023' });
  parsed.set(source, syntax as unknown as Syntax);
  return syntax as unknown as Syntax;
}

export function isSyntax(value: unknown): value is Syntax {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The nodes directly below, in the order of the source. */
export function childrenOf(node: Syntax): Syntax[] {
  return Object.values(node).flatMap((value) =>
    Array.isArray(value) ? value.filter(isSyntax) : isSyntax(value) ? [value] : [],
  );
}

/** The node and everything below it. */
export function* everyNode(node: Syntax): Generator<Syntax> {
  yield node;
  for (const child of childrenOf(node)) yield* everyNode(child);
}

/** `as const`, `satisfies` and parentheses taken away. */
export function bare(node: unknown): unknown {
  const around = ['TsConstAssertion', 'TsAsExpression', 'TsSatisfiesExpression'];
  return isSyntax(node) && [...around, 'ParenthesisExpression'].includes(String(node['type']))
    ? bare(node['expression'])
    : node;
}

/** The text of a plain string, undefined for anything else. */
export function textOf(node: unknown): string | undefined {
  const plain = bare(node);
  if (!isSyntax(plain)) return undefined;
  if (plain['type'] === 'StringLiteral') return String(plain['value']);
  if (plain['type'] !== 'TemplateLiteral') return undefined;
  const [only, ...more] = plain['quasis'] as Syntax[];
  return only === undefined || more.length > 0 ? undefined : String(only['cooked']);
}
