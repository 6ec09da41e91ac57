import { randomBytes } from 'node:crypto';
import type { AuditEntry } from '../../domain/core/audit';
import { inserts } from '../sealed/table-rows';
import { raw, sql, type Statement } from '../statement';

/**
 * An audit line is permanent, and whoever holds the id key can test whether a keyed name belongs to a person. So a
 * line holds a random number instead, which leads to no one once an erasure removes it from the table.
 */

interface Numbers {
  readAmong<T>(values: Iterable<string>, select: (some: string[]) => Statement): Promise<T[]>;
  commit(statements: readonly Statement[]): Promise<unknown>;
}

/** Keyed names, and the numbers that replace them: `IdKey.nameOf`. */
const names = /(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])/g;

export async function numbered(
  database: Numbers,
  entries: readonly AuditEntry[],
): Promise<string[]> {
  const texts = entries.map((entry) => JSON.stringify(entry));
  const wanted = new Set(texts.flatMap((text) => text.match(names) ?? []));
  for (;;) {
    const known = await lookUp(database, wanted, { from: 'subject', to: 'number' });
    const missing = [...wanted].filter((name) => !known.has(name));
    if (missing.length === 0)
      return texts.map((text) => text.replaceAll(names, (name) => known.get(name) ?? ''));
    // Another writer may insert them first, or an erasure remove them.
    await database.commit(numberSubjects(missing));
  }
}

/** Texts as written in audit lines (`number`), or with the names that still exist (`subject`). */
export async function rewritten(
  database: Numbers,
  texts: Iterable<string>,
  to: 'number' | 'subject',
): Promise<(text: string) => string> {
  const wanted = new Set([...texts].flatMap((text) => text.match(names) ?? []));
  const from = to === 'number' ? 'subject' : 'number';
  const known = await lookUp(database, wanted, { from, to });
  return (text) => text.replaceAll(names, (one) => known.get(one) ?? one);
}

export function numbersIn(text: string): readonly string[] {
  return text.match(names) ?? [];
}

/** Assigns numbers in advance where many subjects are stored at once. */
export function numberSubjects(subjects: Iterable<string>): Statement[] {
  // Sorted, so that two writers of the same names do not block each other.
  const rows = [...new Set(subjects)]
    .toSorted()
    .map((subject) => ({ subject, number: randomBytes(16).toString('hex') }));
  return inserts('subject_number', rows);
}

async function lookUp(
  database: Numbers,
  wanted: Iterable<string>,
  { from, to }: Record<'from' | 'to', 'subject' | 'number'>,
): Promise<Map<string, string>> {
  const rows = await database.readAmong<Record<'subject' | 'number', string>>(
    wanted,
    (some) => sql`SELECT subject, number FROM subject_number WHERE ${raw(from)} IN ${some}`,
  );
  return new Map(rows.map((row) => [row[from], row[to]]));
}
