import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = join(__dirname, '..', '..');

test.each(['22', '24'])(
  'the store works on Node %s',
  async (major) => {
    const folder = await mkdtemp(join(tmpdir(), 'diligence-node-'));
    try {
      // The binary of that version, as the registry of npm has it.
      const name = `node-${process.platform}-${process.arch}`;
      await run('npm', ['install', '--no-save', '--prefix', folder, `${name}@${major}`]);
      const node = join(folder, 'node_modules', name, 'bin', 'node');
      expect((await run(node, ['--version'])).stdout).toMatch(new RegExp(`^v${major}\\.`));
      const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
      const words = ['--selectProjects', 'unit', '--testPathPatterns', 'unit/store/'];
      const { stderr } = await run(node, [jest, ...words], { cwd: root });
      expect(stderr).toMatch(/^Tests: +\d+ passed, \d+ total$/m);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
  300_000,
);
