import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { page } from './markdown';

/** The index of the decision records, by their titles. */
export function decisionsPage(root: string): string {
  const folder = join(root, 'docs/decisions');
  const records = readdirSync(folder).filter((name) => /^\d{3}-.*\.md$/.test(name));
  const lines = records.toSorted().map((name) => {
    const [, number, title] =
      /^# (\d{3})\. (.*)$/m.exec(readFileSync(join(folder, name), 'utf8')) ?? [];
    if (number === undefined) throw new Error(`${name}: expected a title like "# 001. Words"`);
    return `- [${number}](${name}) ${title}`;
  });
  return page(
    'Decisions',
    'Why it is as it is, where another way was at hand. A record that no longer holds is removed: numbers have gaps.',
    [lines.join('\n')],
  );
}
