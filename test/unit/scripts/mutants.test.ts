import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mutants } from '../../mutants';

const root = join(__dirname, '../../..');

test.each(mutants)('the fault $name can be put into the code as it is', ({ file, find, tests }) => {
  expect(readFileSync(join(root, file), 'utf8').split(find)).toHaveLength(2);
  expect(tests.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
