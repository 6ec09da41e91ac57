import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { accountOf, slowestOf, toRunAgain, type FileResult } from '../../../scripts/run-layers';

const file = (name: string, ...statuses: string[]): FileResult => ({
  name: `/clone/test/${name}.test.ts`,
  status: statuses.length === 0 || statuses.includes('failed') ? 'failed' : 'passed',
  startTime: 0,
  endTime: 1_000,
  assertionResults: statuses.map((status) => ({ status })),
});

test('files that failed in a layer with servers are run again, those of other layers never', () => {
  const results = [
    file('unit/a', 'failed'),
    file('property/b', 'failed'),
    file('contract/c', 'failed'),
    file('workflow/d', 'failed', 'passed'),
    file('integration/e', 'passed'),
    file('integration/f'),
    file('long/g', 'failed'),
  ];
  expect(toRunAgain(results)).toEqual(
    ['workflow/d', 'integration/f', 'long/g'].map((name) => `/clone/test/${name}.test.ts`),
  );
});

test('what counts of a file that was run twice is its second run', () => {
  const first = [
    file('unit/a', 'passed', 'passed'),
    file('integration/b', 'failed', 'passed'),
    file('long/c', 'passed', 'failed'),
  ];
  const second = [file('integration/b', 'passed', 'passed'), file('long/c', 'passed', 'failed')];
  expect(accountOf(first, second)).toEqual({
    passed: 5,
    failed: 1,
    unsteady: ['/clone/test/integration/b.test.ts'],
  });
});

test('a file that failed twice in one of two projects has failed, whatever the other says', () => {
  const [failed, passed] = [file('integration/a', 'failed'), file('integration/a', 'passed')];
  for (const second of [
    [failed, passed],
    [passed, failed],
  ]) {
    expect(accountOf([passed, failed], second)).toMatchObject({ failed: 2, unsteady: [] });
  }
  expect(toRunAgain([failed, failed])).toEqual([failed.name]);
});

test('a file that fails before its first test is one failure', () => {
  expect(accountOf([file('contract/a')], [])).toEqual({ passed: 0, failed: 1, unsteady: [] });
});

test('a second run that says nothing leaves the first one standing', () => {
  expect(accountOf([file('long/a', 'failed')], [])).toMatchObject({ failed: 1, unsteady: [] });
});

test('more than two files that pass at their second try only make the run red', () => {
  const names = ['workflow/a', 'integration/b', 'long/c'];
  const [first, second] = ['failed', 'passed'].map((status) =>
    names.map((name) => file(name, status)),
  );
  expect(accountOf(first ?? [], second ?? [])).toMatchObject({ passed: 3, failed: 3 });
  expect(accountOf(first?.slice(1) ?? [], second?.slice(1) ?? [])).toMatchObject({ failed: 0 });
});

test('the ten slowest files are named, the slowest first', () => {
  const results = Array.from({ length: 12 }, (_, n) => ({
    ...file(`unit/${n}`, 'passed'),
    endTime: n * 1_500,
  }));
  const slowest = slowestOf(results);
  expect(slowest).toHaveLength(10);
  expect(slowest[0]).toMatch(/^16\.5 s .*unit\/11\.test\.ts$/);
});

test.each(['', 'full'])('every file that a project names is there (LONG_TESTS=%s)', (size) => {
  const env = jest.replaceProperty(process, 'env', { ...process.env, LONG_TESTS: size });
  let projects: { testMatch: string[] }[] = [];
  jest.isolateModules(() => {
    ({ projects } = jest.requireActual('../../../jest.config.cjs'));
  });
  env.restore();
  const root = join(__dirname, '..', '..', '..');
  const files = readdirSync(join(root, 'test'), { recursive: true }).map(
    (path) => `test/${String(path)}`,
  );
  const named = projects.flatMap(({ testMatch }) => testMatch).flatMap(alternatives);
  const isThere = (pattern: string): boolean => {
    const path = pattern.replace('<rootDir>/', '').replaceAll('.', '\\.');
    const asked = path.replace('**/', '(.*/)?').replaceAll(/(?<!\.)\*/g, '[^/]*');
    return files.some((one) => new RegExp(`^${asked}$`).test(one));
  };
  expect(named.filter((pattern) => !isThere(pattern))).toEqual([]);
});

/** Of a pattern: one for each word in its braces. */
function alternatives(pattern: string): string[] {
  const [, begin = pattern, words = '', end = ''] = /^(.*)\{(.*)\}(.*)$/.exec(pattern) ?? [];
  return words.split(',').map((word) => `${begin}${word}${end}`);
}
