import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const main = join(__dirname, '..', '..', 'dist', 'main.js');

test('the demo tells the whole story, and says where the reports are', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'diligence-demo-'));
  try {
    const env = { ...process.env, INVESTIGATION_BASE_URL: '', TEMPORAL_ADDRESS: '' };
    const run = (...words: string[]) =>
      promisify(execFile)(process.execPath, [main, ...words], { cwd, env, timeout: 150_000 });
    const { stderr, stdout } = await run('demo');
    expect(`${stdout}${stderr}`).not.toMatch(/^(error|diligence):/m);
    const written = async (...names: string[]): Promise<unknown> =>
      JSON.parse(await readFile(join(cwd, 'out', 'demo', ...names), 'utf8')) as unknown;
    expect(await written('suppliers', 'summary.json')).toMatchObject({
      issued: 53,
      unknown_outcome: 0,
    });
    expect(stderr).toContain('waits for a person');
    expect(stdout).toContain('monitors probed: 3, sweeps: 3');
    const [, places = ''] = stderr.split('The reports, for a browser:\n');
    const reports = [...places.matchAll(/out\S+report\.html/g)].map(([path]) => path);
    expect(reports).toHaveLength(4);
    for (const path of reports)
      expect(await readFile(join(cwd, path), 'utf8')).toContain('</html>');
    for (const plan of ['supplier', 'individual', 'assignor']) {
      const name = `investigation-${plan}`;
      expect(await written(name, 'report.json')).toMatchObject({ status: 'completed' });
      // It fails when a byte is not as it was written.
      const verified = await run('report', 'verify', join('out', 'demo', name));
      expect(verified.stdout).toContain('consistent, origin not proved');
    }
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
}, 180_000);
