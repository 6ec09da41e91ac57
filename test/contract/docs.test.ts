import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { leaves } from '../../scripts/reference/commands';
import { commandLines, diligenceWords, documents } from '../../scripts/reference/documents';
import { referencePages } from '../../scripts/write-reference';
import { commandsFor } from '../../src/commands';
import { rowStatuses } from '../../src/domain/certificates/certificates';
import { readEnvironment } from '../../src/environment';
import { variables } from '../../src/environment/variables';
import { resultColumns } from '../../src/sheets/write/result-cells';
import type { Command } from 'commander';

const root = join(__dirname, '../..');
const text = (path: string): string => readFileSync(join(root, path), 'utf8');
const pages = documents(root);

/** The names in the first column of the table below a heading. */
function firstColumn(page: string, heading: string): string[] {
  const section = text(page).split(`\n${heading}\n`)[1]?.split(/\n#+ /)[0] ?? '';
  const rows = [...section.matchAll(/^\| (`[^|]*`) +\|/gm)].map((row) => row[1] ?? '');
  return rows.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map((name) => name[1] ?? ''));
}

/** Anchors as GitHub makes them of headings. */
function anchorsOf(path: string): Set<string> {
  const headings = text(path)
    .replaceAll(/^```.*?^```/gms, '')
    .matchAll(/^#+ (.*)$/gm);
  return new Set(
    [...headings].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/** What is wrong with a command line: no such command, an unknown option, a value refused, one missing. */
function mistakeIn(words: readonly string[]): string | null {
  const path = ['diligence'];
  let below: readonly Command[] = commandsFor(words[0]);
  let command: Command | undefined;
  let rest = [...words];
  for (let next = below.find((one) => one.name() === rest[0]); next !== undefined;) {
    command = next;
    path.push(next.name());
    rest = rest.slice(1);
    below = command.commands;
    next = below.find((one) => one.name() === rest[0]);
  }
  if (command === undefined) return 'no such command';
  if (!leaves().some((leaf) => leaf.path === path.join(' '))) return 'no such command below it';
  command.exitOverride().configureOutput({ writeErr: () => {} });
  let operands: string[];
  try {
    const parsed = command.parseOptions(rest);
    if (parsed.unknown.length > 0) return `unknown: ${parsed.unknown.join(' ')}`;
    operands = parsed.operands;
  } catch (error) {
    return (error as Error).message;
  }
  const { options, registeredArguments } = command;
  const given = command.opts();
  const missing = options.find(
    (option) => option.mandatory && given[option.attributeName()] === undefined,
  );
  if (missing !== undefined) return `missing: ${missing.flags}`;
  return operands.length > registeredArguments.length ? `too much: ${operands.join(' ')}` : null;
}

describe('the pages', () => {
  test('of reference are as the program is: else npm run reference', async () => {
    const stale = [...(await referencePages())].filter(
      ([path, page]) => !existsSync(join(root, path)) || text(path) !== page,
    );
    expect(stale.map(([path]) => `${path}: npm run reference`)).toEqual([]);
  });

  test('README has at most 150 lines', () => {
    expect(text('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(150);
  });

  test.each(pages)('%s links to files and headings that exist', (path) => {
    const links = [...text(path).matchAll(/\]\(([^)#\s]*)(?:#([^)\s]*))?\)/g)];
    const missing = links
      .filter(([, file = '']) => !/^https?:/.test(file))
      .filter(([, file = '', anchor]) => {
        const target = file === '' ? path : join(path, '..', file);
        if (!existsSync(join(root, target))) return true;
        return anchor !== undefined && !anchorsOf(target).has(anchor);
      });
    expect(missing.map(([whole]) => whole)).toEqual([]);
  });

  test.each(pages)('%s has commands that exist, with options that they take', (path) => {
    const wrong = commandLines(root, path).flatMap(({ text: line, line: number }) => {
      const words = diligenceWords(line);
      const mistake = words === null ? null : mistakeIn(words);
      return mistake === null ? [] : [`${path}:${number}: ${line}: ${mistake}`];
    });
    expect(wrong).toEqual([]);
  });

  test.each([
    ['monitor sweap --monitors a', /no such command/],
    ['certificate batch --inputs a.csv', /unknown/],
    ['credit analyze', /missing: --input/],
    ['certificate batch --input a.csv --deadline soon', /deadline/],
    ['show a b', /too much/],
  ])('a page with `diligence %s` is found wrong', (words, why) => {
    expect(mistakeIn(words.split(' '))).toMatch(why);
  });

  test('have scripts of package.json', () => {
    const { scripts } = JSON.parse(text('package.json')) as { scripts: Record<string, string> };
    const named = pages
      .filter((path) => path !== 'CHANGELOG.md')
      .flatMap((path) =>
        [...text(path).matchAll(/npm run ([\w:-]+)/g)].map((found) => found[1] ?? ''),
      );
    expect(named.length).toBeGreaterThan(5);
    expect([...new Set(named)].filter((name) => !(name in scripts))).toEqual([]);
  });

  test('name tests that exist', () => {
    const named = pages.flatMap((path) => [
      ...text(path).matchAll(
        /`((?:test\/)?(?:unit|property|contract|workflow|integration|long|full)\/[\w/-]+)(?:\.test\.ts)?`/g,
      ),
    ]);
    const files = named.map(([, name = '']) => `test/${name.replace(/^test\//, '')}`);
    const missing = files.filter(
      (file) => !existsSync(join(root, file)) && !existsSync(join(root, `${file}.test.ts`)),
    );
    expect(missing).toEqual([]);
  });

  test('name every column of the result sheet, in order, and every status of a row', () => {
    expect(firstColumn('docs/analyst.md', '### Columns')).toEqual([...resultColumns]);
    const statuses = firstColumn('docs/analyst.md', '### Statuses');
    expect(statuses.toSorted()).toEqual([...rowStatuses].toSorted());
  });
});

/** Our variables, as the module that reads them declares them. */
const declaredVariables = Object.keys(variables.shape).toSorted();

/** Variables and example values of `.env.example`, ours and others'. */
const exampleVariables = new Map(
  [...text('.env.example').matchAll(/^# ?([A-Z][A-Z0-9_]+)=(.*)$/gm)].map((found) => [
    found[1] ?? '',
    found[2] ?? '',
  ]),
);

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
    // The file that it names is not there.
    const taken = values.filter(([name]) => name !== 'DILIGENCE_CONFIG');
    const withFiles = Object.fromEntries(taken.filter(([name]) => !alternatives.test(name)));
    const withTokens = Object.fromEntries(taken.filter(([name]) => !name.endsWith('_FILE')));
    expect(readEnvironment(withFiles).investigation).not.toBeNull();
    expect(readEnvironment(withTokens).investigation).not.toBeNull();
  });
});
