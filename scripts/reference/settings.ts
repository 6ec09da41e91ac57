import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assumptionTable } from '../../src/apis/assumptions';
import { code, page, table } from './markdown';

/** Variables by the sections of `.env.example`, and the assumptions by what they are about. */
export function settingsPage(root: string): string {
  const areas = [...new Set(assumptionTable.map(({ area }) => area))];
  return page(
    'Settings',
    'Read from the environment, then from `.env` in the working directory. A name that begins like ours and is none of these is an error, since a misspelling can cost money. An empty value counts as not set. `TEMPORAL_*`: all names of `@temporalio/envconfig`.',
    [
      ...sectionsOf(readFileSync(join(root, '.env.example'), 'utf8')),
      '## Assumptions',
      'What the specifications of the services do not show, what is assumed instead, and why. `diligence doctor --assumptions` prints the same.',
      ...areas.flatMap((area) => [
        `### ${area}`,
        table(
          ['matter', 'what is assumed', 'overridden by', 'because'],
          assumptionTable
            .filter((row) => row.area === area)
            .map((row) => [row.matter, row.value, row.variable ?? '', row.reason]),
        ),
      ]),
    ],
  );
}

function sectionsOf(text: string): string[] {
  const [, ...sections] = text.split(/^# ---- /m);
  return sections.flatMap((section) => {
    const [title = '', ...lines] = section.split('\n');
    const rows: string[][] = [];
    let words: string[] = [];
    for (const line of lines) {
      const [, name, value] = /^# ([A-Z][A-Z0-9_]+)=(.*)$/.exec(line) ?? [];
      if (name === undefined) {
        words = line === '' ? [] : [...words, line.replace(/^# /, '')];
        continue;
      }
      rows.push([code(name), code(value ?? ''), words.join(' ')]);
      words = [];
    }
    return [`## ${title.replace(/ -+$/, '')}`, table(['variable', 'like', 'means'], rows)];
  });
}
