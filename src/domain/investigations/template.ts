/** `{{profile.imoveis[].proprietario.documento}}`: a value from another step's result, or of the subject. */
export interface Template {
  root: string;
  /** Fields of the path; lists on the way are flattened. */
  path: readonly string[];
}

export interface FoundValue {
  value: string;
  /** `profile: imoveis[2].proprietario.documento`. */
  from: string;
}

const shape = /^\{\{\s*([a-z][\w-]*)((?:\.[\p{L}\w-]+(?:\[\])?)*)\s*\}\}$/u;

/** @returns null: no template, a literal value; `broken`: it has braces, but is not a template */
export function readTemplate(text: string): Template | 'broken' | null {
  if (!text.includes('{{') && !text.includes('}}')) return null;
  const [, root, path] = shape.exec(text.trim()) ?? [];
  if (root === undefined || path === undefined) return 'broken';
  return { root, path: pathOf(path) };
}

export function pathOf(text: string): string[] {
  return text
    .replaceAll('[]', '')
    .split('.')
    .filter((word) => word !== '');
}

/** Distinct values, each with its first position. Objects and blanks are skipped. */
export function valuesOf({ root, path }: Template, facts: unknown): FoundValue[] {
  const found = new Map<string, FoundValue>();
  for (const { value, at } of valuesAt(facts, path, '')) {
    const text = String(value).trim();
    if (text !== '' && !found.has(text)) found.set(text, { value: text, from: `${root}: ${at}` });
  }
  return [...found.values()];
}

type Single = string | number | boolean;

function* valuesAt(
  value: unknown,
  path: readonly string[],
  at: string,
): Generator<{ value: Single; at: string }> {
  if (Array.isArray(value)) {
    for (const [index, one] of value.entries()) yield* valuesAt(one, path, `${at}[${index}]`);
    return;
  }
  const [word, ...rest] = path;
  if (word === undefined) {
    if (isSingle(value)) yield { value, at };
    return;
  }
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, word)) return;
  const inner = (value as Readonly<Record<string, unknown>>)[word];
  yield* valuesAt(inner, rest, at === '' ? word : `${at}.${word}`);
}

function isSingle(value: unknown): value is Single {
  return ['string', 'number', 'boolean'].includes(typeof value);
}
