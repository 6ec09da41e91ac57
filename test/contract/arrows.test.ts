import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(__dirname, '..', '..');

/** Runs the check over the `src` of a folder. Of the product itself `npm run arrows` does. */
function arrowsOf(folder: string): { code: number | null; output: string } {
  const binary = join(root, 'node_modules', 'dependency-cruiser', 'bin', 'dependency-cruise.mjs');
  const config = join(root, '.dependency-cruiser.cjs');
  const run = spawnSync(process.execPath, [binary, 'src', '--config', config], { cwd: folder });
  return { code: run.status, output: run.stdout.toString() };
}

describe('the import arrows', () => {
  test('refuse a sandbox that shares our rules, a workflow that reads a file, a starter that acts, SQL outside of the store', () => {
    const { code, output } = arrowsOf(join(root, 'test', 'fixtures', 'wrong-imports'));
    expect(code).not.toBe(0);
    expect(output).toContain('sandbox-imports: src/sandbox/agrees-with-us.ts');
    expect(output).toContain('workflows-are-deterministic: src/workflows/reads-a-file.ts');
    expect(output).toContain('starters-imports: src/starters/acts-itself.ts');
    expect(output).toContain('store-alone-speaks-sql: src/activities/speaks-sql.ts');
  }, 60_000);
});
