import { randomBytes } from 'node:crypto';
import type { AuditEntry } from '../../domain/core/audit';
import { insertInto, marksOf, partsOf, statement, type Statement } from '../statement';

/**
 * A line of the audit trail is for ever, and whoever holds the id key can try whether a keyed name is that of
 * somebody. So a line has a random number in its place, which is nobody's once an erasure took it from the table.
 */

/** The store, as far as it is needed for this. */
interface Numbers {
  read<T>(one: Statement): Promise<T[]>;
  commit(statements: readonly Statement[]): Promise<unknown>;
}

/** Keyed names, and numbers in their place: `IdKey.nameOf`. */
const names = /(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])/g;

/** Entries as they are told: with the number of each name, the same for all who write. */
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
    // Another may be first, or an erasure take them away.
    await database.commit(numberSubjects(missing));
  }
}

/** Texts as lines of the trail have them; of a name that has no number none can tell. */
export async function asNumbered(
  database: Numbers,
  texts: Iterable<string>,
): Promise<(text: string) => string> {
  const wanted = new Set([...texts].flatMap((text) => text.match(names) ?? []));
  const known = await lookUp(database, wanted, { from: 'subject', to: 'number' });
  return (text) => text.replaceAll(names, (name) => known.get(name) ?? name);
}

/** What is told, with the names that its numbers still lead to. */
export async function named(
  database: Numbers,
  texts: readonly string[],
): Promise<(text: string) => string> {
  const numbers = new Set(texts.flatMap((text) => text.match(names) ?? []));
  const known = await lookUp(database, numbers, { from: 'number', to: 'subject' });
  return (text) => text.replaceAll(names, (number) => known.get(number) ?? number);
}

/** What stands in a text for keyed names. */
export function numbersIn(text: string): readonly string[] {
  return text.match(names) ?? [];
}

/** Those that have none get one: where many are stored at once, so that none waits for it later. */
export function numberSubjects(subjects: Iterable<string>): Statement[] {
  // In order, so that of two who write the same none waits for the other.
  const rows = [...new Set(subjects)]
    .toSorted()
    .map((name) => [name, randomBytes(16).toString('hex')]);
  return partsOf(rows).map((some) => insertInto('subject_number', ['subject', 'number'], some));
}

async function lookUp(
  database: Numbers,
  wanted: Iterable<string>,
  { from, to }: Record<'from' | 'to', 'subject' | 'number'>,
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const some of partsOf([...wanted])) {
    const rows = await database.read<Record<'subject' | 'number', string>>(
      statement(
        `SELECT subject, number FROM subject_number WHERE ${from} IN ${marksOf([some])}`,
        some,
      ),
    );
    for (const row of rows) found.set(row[from], row[to]);
  }
  return found;
}
