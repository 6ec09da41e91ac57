/** `{{profile.imoveis[].proprietario.documento}}`: what another step told, or what is known of the subject. */
export interface Template {
  /** A step, or `subject`. */
  root: string;
  /** Words of the path; lists on the way are gone through. */
  path: readonly string[];
}

/** A value, and where it came from. */
export interface FoundValue {
  value: string;
  /** `profile: imoveis[2].proprietario.documento`. */
  from: string;
}

const shape = /^\{\{\s*([a-z][\w-]*)((?:\.[\p{L}\w-]+(?:\[\])?)*)\s*\}\}$/u;

/** Null: it is no template, but taken as it stands. @returns `broken`: it has braces, and is none */
export function readTemplate(text: string): Template | 'broken' | null {
  if (!text.includes('{{') && !text.includes('}}')) return null;
  const [, root, path] = shape.exec(text.trim()) ?? [];
  if (root === undefined || path === undefined) return 'broken';
  return { root, path: pathOf(path) };
}

/** `.imoveis[].documento`, with or without its first dot. */
export function pathOf(text: string): string[] {
  return text
    .replaceAll('[]', '')
    .split('.')
    .filter((word) => word !== '');
}

/** Different values, each with the first place where it stands. Objects and blanks are no values. */
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
