import { accountOf, toRunAgain, type FileResult } from '../../../scripts/run-layers';

const file = (name: string, ...statuses: string[]): FileResult => ({
  name: `/clone/test/${name}.test.ts`,
  status: statuses.length === 0 || statuses.includes('failed') ? 'failed' : 'passed',
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

test('a file that fails before its first test is one failure', () => {
  expect(accountOf([file('contract/a')], [])).toEqual({ passed: 0, failed: 1, unsteady: [] });
});

test('a second run that says nothing leaves the first one standing', () => {
  expect(accountOf([file('long/a', 'failed')], [])).toMatchObject({ failed: 1, unsteady: [] });
});
