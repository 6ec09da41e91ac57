/** What an answer holds, and what is shown of it. */

export type Fields = Record<string, unknown>;

export type Leaf = string | number | boolean;

/** Every value, and with `keys` every key; JSON within a text is read too. */
export function leavesOf(value: unknown, { keys = false } = {}): Leaf[] {
  if (value === null || value === undefined || value === '') return [];
  if (typeof value === 'string' && /^[[{]/.test(value))
    return leavesOf(JSON.parse(value), { keys });
  if (typeof value !== 'object') return [value as Leaf];
  const inner = Object.values(value).flatMap((one) => leavesOf(one, { keys }));
  return keys && !Array.isArray(value) ? [...Object.keys(value), ...inner] : inner;
}

/** Values of the one that do not stand among the others. */
export const missing = (from: unknown, among: readonly Leaf[]): Leaf[] => {
  const there = new Set(among);
  return leavesOf(from).filter((leaf) => !there.has(leaf));
};

/** Words of a page as a reader sees them. */
export function wordsOf(page: string): string {
  const text = page.replaceAll(/<(style|svg|details)[^]*?<\/\1>|<[^>]+>/g, ' ');
  const marks = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };
  const shown = Object.entries(marks).reduce((all, [word, mark]) => {
    return all.replaceAll(`&${word};`, mark);
  }, text);
  return plain(shown);
}

export const plain = (text: string) =>
  text.replaceAll('_', ' ').replaceAll(/\s+/g, ' ').toLowerCase();
