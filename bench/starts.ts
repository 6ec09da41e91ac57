import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Samples } from './run';

const main = join(__dirname, '..', 'dist', 'main.js');

/** Commands that need no Temporal, on an empty store. */
export async function started(): Promise<Samples> {
  const folder = await mkdtemp(join(tmpdir(), 'diligence-bench-'));
  try {
    return {
      'start of a command that reads the store: processor seconds': secondsOf(
        ['list', 'show', 'inbox', 'cost'],
        folder,
      ),
      'start of --version: processor seconds': secondsOf(['--version'], folder),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Processor seconds of a command, as the shell counts those of its children: `0m1.230s 0m0.120s`. */
function secondsOf(commands: string[], cwd: string): number {
  const script = 'for word in "$@"; do "$NODE" "$MAIN" "$word"; done >/dev/null 2>&1; times';
  const env = { NODE: process.execPath, MAIN: main, DILIGENCE_DATA_DIR: cwd };
  const words = ['-c', script, 'sh', ...commands, ...commands, ...commands];
  const [, children = ''] = execFileSync('sh', words, { cwd, env }).toString().split('\n');
  const parts = [...children.matchAll(/(\d+)m([\d.]+)s/g)];
  const seconds = parts.reduce((sum, [, m, s]) => sum + Number(m) * 60 + Number(s), 0);
  return seconds / (3 * commands.length);
}
