import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { withAssumptions } from '../../scripts/check-readme';
import { assumptionTable, type Assumption } from '../../src/apis/assumptions';
import { rowStatuses } from '../../src/domain/certificates/certificates';
import { readEnvironment } from '../../src/environment';
import { resultColumns } from '../../src/sheets/result-cells';

const root = join(__dirname, '../..');
const text = (path: string): string => readFileSync(join(root, path), 'utf8');
const readme = text('README.md');

/** The names in the first column of the table below a heading. */
function firstColumn(heading: string): string[] {
  const section = readme.split(`\n${heading}\n`)[1]?.split(/\n#+ /)[0] ?? '';
  const rows = [...section.matchAll(/^\| (`[^|]*`) +\|/gm)].map((row) => row[1] ?? '');
  return rows.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map((name) => name[1] ?? ''));
}

/** Our variables, as the module that reads them declares them. */
const declaredVariables = [
  ...text('src/environment.ts').matchAll(/^ {2}([A-Z][A-Z0-9_]+):/gm),
  ...text('src/environment/monitors.ts').matchAll(/^ {2}([A-Z][A-Z0-9_]+):/gm),
  ...text('src/apis/assumptions.ts').matchAll(/^ {2}([A-Z][A-Z0-9_]+):/gm),
]
  .map((found) => found[1] ?? '')
  .toSorted();

/** Variables and example values of `.env.example`, ours and others'. */
const exampleVariables = new Map(
  [...text('.env.example').matchAll(/^# ?([A-Z][A-Z0-9_]+)=(.*)$/gm)].map((found) => [
    found[1] ?? '',
    found[2] ?? '',
  ]),
);

describe('the README', () => {
  test('prints the assumptions as the module has them', () => {
    expect(withAssumptions(readme, assumptionTable) === readme).toBe(true);
  });

  test('is found wrong when an assumption changes, goes or comes', () => {
    const other: Assumption = {
      area: 'Certificates',
      matter: 'the moon',
      value: 'is far',
      variable: 'A=b|c',
      reason: 'it is',
    };
    const rest = assumptionTable.slice(1);
    for (const table of [[other, ...rest], rest, [...assumptionTable, other]]) {
      expect(withAssumptions(readme, table) === readme).toBe(false);
    }
  });

  test('without its marks, or with two of them, is an error', () => {
    for (const broken of ['', `${readme}\n<!-- assumptions -->\n`]) {
      expect(() => withAssumptions(broken, assumptionTable)).toThrow(/once each/);
    }
  });

  test('names every column of the result sheet, in order', () => {
    expect(firstColumn('#### Columns')).toEqual([...resultColumns]);
  });

  test('names every status of a row', () => {
    expect(firstColumn('#### Statuses').toSorted()).toEqual([...rowStatuses].toSorted());
  });

  test('names every variable of ours, and no other', () => {
    expect(declaredVariables.length).toBeGreaterThan(10);
    const named = firstColumn('## Variables').filter((name) => !/^(TEMPORAL|XDG)_/.test(name));
    expect(named.toSorted()).toEqual(declaredVariables);
  });

  test.each(['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'examples/README.md'])(
    '%s links to files that exist',
    (path) => {
      const links = [...text(path).matchAll(/\]\(([^)#]+?)(?:#[^)]*)?\)/g)].map((link) => link[1]);
      const folder = join(root, path, '..');
      const missing = links.filter(
        (link) => !/^https?:/.test(link ?? '') && !existsSync(join(folder, link ?? '')),
      );
      expect(missing).toEqual([]);
    },
  );

  test('lists every decision record', () => {
    const records = readdirSync(join(root, 'docs/decisions'));
    expect(records.filter((name) => !readme.includes(`docs/decisions/${name}`))).toEqual([]);
  });
});

describe('.env.example', () => {
  test('has every variable of ours', () => {
    expect([...exampleVariables.keys()]).toEqual(expect.arrayContaining(declaredVariables));
  });

  test('sets nothing as it stands', () => {
    const set = text('.env.example')
      .split('\n')
      .filter((line) => line.trim() !== '' && !line.startsWith('#'));
    expect(set).toEqual([]);
  });

  test('shows values that are taken', () => {
    const alternatives = /_TOKEN$/;
    const values = [...exampleVariables].filter(([name]) => declaredVariables.includes(name));
    const withFiles = Object.fromEntries(values.filter(([name]) => !alternatives.test(name)));
    const withTokens = Object.fromEntries(values.filter(([name]) => !name.endsWith('_FILE')));
    expect(readEnvironment(withFiles).workers).toBe(1);
    expect(readEnvironment(withTokens).investigation).not.toBeNull();
  });
});
