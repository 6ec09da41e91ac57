import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const main = join(__dirname, '..', '..', 'dist', 'main.js');

test('the demo issues, decides about what is unknown, and leaves a result without it', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'diligence-demo-'));
  try {
    const env = { ...process.env, INVESTIGATION_BASE_URL: '', TEMPORAL_ADDRESS: '' };
    const run = promisify(execFile)(process.execPath, [main, 'demo'], {
      cwd,
      env,
      timeout: 120_000,
    });
    const { stderr, stdout } = await run;
    expect(`${stdout}${stderr}`).not.toMatch(/^(error|diligence):/m);
    const summary = await readFile(join(cwd, 'out', 'demo', 'summary.json'), 'utf8');
    expect(JSON.parse(summary)).toMatchObject({ issued: 53, unknown_outcome: 0 });
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
}, 150_000);
