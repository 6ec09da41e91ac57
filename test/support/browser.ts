import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { chromium, type Browser } from 'playwright-core';

const run = promisify(execFile);

/** As Debian and Ubuntu install it, and others do. */
const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];
const installMs = 300_000;

/**
 * A browser of the machine, without a window. On a Debian of which we are root it is installed.
 *
 * @throws Error that says what to install
 */
export async function openBrowser(): Promise<Browser> {
  const named = process.env['CHROMIUM_PATH'];
  const found = [named, ...places].find((path) => path !== undefined && existsSync(path));
  const executablePath = found ?? (await installed());
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
}

async function installed(): Promise<string> {
  const [path = ''] = places;
  const isRoot = process.getuid?.() === 0;
  if (isRoot && existsSync('/usr/bin/apt-get')) {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const options = { timeout: installMs / 2, env, maxBuffer: 64_000_000 };
    await run('apt-get', ['update'], options).catch(() => null);
    const packages = ['chromium', 'fonts-dejavu-core'];
    const flags = ['install', '-y', '--no-install-recommends'];
    await run('apt-get', [...flags, ...packages], options).catch(() => null);
  }
  if (existsSync(path)) return path;
  throw new Error(
    'The reports are drawn in a browser: install Chromium (`apt-get install -y chromium fonts-dejavu-core`) or name it in CHROMIUM_PATH.',
  );
}

/** More than the tests themselves: the first time it is installed. */
export const openBrowserMs = installMs + 30_000;
