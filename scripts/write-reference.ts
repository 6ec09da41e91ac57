/**
 * `npm run reference`: writes the pages of docs that are told by the program itself. With `--check` it
 * writes nothing and names those that are not as it would write them (exit code 1).
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandsPage } from './reference/commands';
import { decisionsPage } from './reference/decisions';
import { libraryPage } from './reference/library';
import { metricsPage } from './reference/metrics';
import { sandboxPage } from './reference/sandbox';
import { settingsPage } from './reference/settings';

const root = join(__dirname, '..');

/** Texts by the path of their page. */
export async function referencePages(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ['docs/reference/commands.md', commandsPage()],
    ['docs/reference/library.md', libraryPage(root)],
    ['docs/reference/settings.md', settingsPage()],
    ['docs/reference/metrics.md', metricsPage()],
    ['docs/reference/sandbox.md', sandboxPage()],
    ['docs/decisions/README.md', decisionsPage(root)],
  ]);
}

function textAt(path: string): string | null {
  const file = join(root, path);
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

async function main(): Promise<void> {
  const pages = await referencePages();
  if (!process.argv.includes('--check')) {
    for (const [path, text] of pages) writeFileSync(join(root, path), text);
    return;
  }
  const stale = [...pages].filter(([path, text]) => textAt(path) !== text).map(([path]) => path);
  if (stale.length === 0) return;
  process.stderr.write(`${stale.join(', ')}: not as the program is: npm run reference\n`);
  process.exitCode = 1;
}

if (require.main === module) void main();
