/**
 * `npm run check:readme`: a new user's first hour. Runs every command below a `<!-- run -->` of the
 * pages, as it is written, in a copy of what the package holds, and fails where one ends otherwise than
 * the page says. Needs `dist`.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandLines } from './reference/documents';

const root = join(__dirname, '..');
/** The README first: it starts the engine, and its last command ends it. */
const pages = ['README.md', 'docs/analyst.md', 'docs/monitors.md'];
const longest = 120_000;

function main(): void {
  const folder = mkdtempSync(join(tmpdir(), 'diligence-readme-'));
  try {
    for (const name of ['package.json', 'dist', 'docs', 'examples', 'plans']) {
      cpSync(join(root, name), join(folder, name), { recursive: true });
    }
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    const lines = pages.flatMap((page) => commandLines(root, page)).filter(({ runs }) => runs);
    const stops = lines.filter(({ text }) => text === 'npx diligence stop');
    const others = lines.filter(({ text }) => text !== 'npx diligence stop');
    if (others.length < 15 || stops.length !== 1)
      throw new Error('the blocks that run are not found');
    const failed = [...others, ...stops].filter((line) => !ranAsWritten(folder, line));
    process.stdout.write(`${others.length + 1 - failed.length} passed, ${failed.length} failed\n`);
    if (failed.length > 0) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function ranAsWritten(
  cwd: string,
  { path, line, text, exitCode }: { path: string; line: number; text: string; exitCode: number },
): boolean {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(INVESTIGATION|CREDIT|DILIGENCE|TEMPORAL_ADDRESS)/.test(name),
    ),
  );
  const startedAt = Date.now();
  const ended = spawnSync('sh', ['-c', text], { cwd, env, timeout: longest, encoding: 'utf8' });
  const seconds = ((Date.now() - startedAt) / 1_000).toFixed(1);
  process.stdout.write(`${seconds} s  ${text}\n`);
  if (ended.status === exitCode) return true;
  process.stderr.write(
    `${path}:${line}: ${text}: ended with ${ended.status ?? ended.signal}, not ${exitCode}\n${ended.stdout}${ended.stderr}\n`,
  );
  return false;
}

main();
