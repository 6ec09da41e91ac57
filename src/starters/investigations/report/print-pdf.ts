import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { writeWhole } from '../../jobs/written-file';

const browsers = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
  'microsoft-edge',
];

/**
 * Prints a page with a browser of the PATH, without network.
 * @param longestMs timeout; the browser and its children are killed
 * @returns null: printed; else the reason
 */
export async function printPdf(
  folder: string,
  { page, pdf, longestMs = 60_000 }: { page: string; pdf: string; longestMs?: number },
): Promise<string | null> {
  // Removes the PDF of an earlier report.
  await rm(join(folder, pdf), { force: true });
  const browser = await findBrowser();
  if (browser === null) return 'there is no Chromium or Chrome on the PATH';
  const profile = await mkdtemp(join(tmpdir(), 'diligence-print-'));
  try {
    const printed = join(profile, 'page.pdf');
    const why = await run(browser, { profile, longestMs }, [
      `--print-to-pdf=${printed}`,
      '--no-pdf-header-footer',
      pathToFileURL(resolve(folder, page)).href,
    ]);
    const bytes = await readFile(printed).catch(() => Buffer.alloc(0));
    if (why !== null || bytes.subarray(0, 5).toString() !== '%PDF-')
      return `${browser} did not print it: ${why ?? 'what it wrote is no PDF'}`;
    await writeWhole(folder, pdf, bytes);
    return null;
  } finally {
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function findBrowser(): Promise<string | null> {
  for (const folder of (process.env.PATH ?? '').split(delimiter))
    for (const name of browsers) {
      const path = join(folder, name);
      const isThere = await access(path, constants.X_OK).then(
        () => true,
        () => false,
      );
      if (folder !== '' && isThere) return path;
    }
  return null;
}

/** @returns null: success; else the reason, or the last output of standard error */
function run(
  browser: string,
  { longestMs, profile }: { longestMs: number; profile: string },
  words: readonly string[],
): Promise<string | null> {
  const settings = [
    '--headless',
    '--disable-gpu',
    '--disable-dev-shm-usage',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-extensions',
    '--no-first-run',
    // The page loads nothing; the browser's own requests resolve no host.
    '--host-resolver-rules=MAP * ~NOTFOUND',
    `--user-data-dir=${profile}`,
    // The browser's sandbox does not start as root; the page is ours, and has no script.
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  ];
  return new Promise((end) => {
    const child = spawn(browser, [...settings, ...words], {
      // Its own process group, so that its children are killed too. Our tokens are not in its environment.
      detached: true,
      env: { PATH: process.env.PATH ?? '', HOME: profile, TZ: 'UTC' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let last = '';
    let why: string | null = null;
    child.stderr.on('data', (chunk: Buffer) => (last = (last + chunk.toString()).slice(-2_000)));
    const endGroup = (): void => {
      try {
        process.kill(-(child.pid ?? Number.NaN), 'SIGKILL');
      } catch {
        // Already exited.
      }
    };
    const timer = setTimeout(() => {
      why = `it had not ended after ${longestMs / 1_000} s`;
      endGroup();
    }, longestMs);
    child.on('error', ({ message }) => (last = message));
    child.on('exit', endGroup);
    child.on('close', (code) => {
      clearTimeout(timer);
      if (why === null && code !== 0) why = last.trim().split('\n').at(-1) ?? '';
      end(why);
    });
  });
}
