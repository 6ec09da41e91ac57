import { chmod, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { printPdf } from '../../../src/starters/investigations/report/print-pdf';

const files = { page: 'report.html', pdf: 'report.pdf' };
const path = process.env.PATH;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'print-'));
  process.env.PATH = folder;
});
afterEach(async () => {
  process.env.PATH = path;
  await rm(folder, { recursive: true, force: true });
});

/** A browser on the PATH that does what the script says. */
async function browser(script: string): Promise<void> {
  const name = join(folder, 'chromium');
  await writeFile(name, `#!/bin/sh\nPATH=${path}\n${script}\n`);
  await chmod(name, 0o755);
}

const prints = `for word in "$@"; do case "$word" in
  --print-to-pdf=*) printf '%%PDF-1.4 %s' "$*" > "\${word#*=}";;
esac; done`;

test('prints the page with the browser, which is given no network and none of our tokens', async () => {
  process.env.INVESTIGATION_TOKEN = 'a-token';
  await browser(`${prints}\n[ -z "$INVESTIGATION_TOKEN" ] || exit 9`);
  expect(await printPdf(folder, files)).toBeNull();
  delete process.env.INVESTIGATION_TOKEN;
  const printed = await readFile(join(folder, 'report.pdf'), 'utf8');
  expect(printed).toContain('--host-resolver-rules=MAP * ~NOTFOUND');
  expect(printed).toMatch(/file:\/\/.*\/report\.html$/);
});

test('without a browser says so, and leaves no page of an earlier report', async () => {
  await writeFile(join(folder, 'report.pdf'), '%PDF-1.4 of another');
  expect(await printPdf(folder, files)).toBe('there is no Chromium or Chrome on the PATH');
  expect(await readdir(folder)).toEqual([]);
});

test('says what a browser that fails has said', async () => {
  await browser('echo "no usable sandbox" >&2; exit 1');
  const why = await printPdf(folder, files);
  expect(why).toBe(`${join(folder, 'chromium')} did not print it: no usable sandbox`);
  expect(await readdir(folder)).toEqual(['chromium']);
});

test('ends a browser that does not end, and what it has started', async () => {
  // What is started has the pipe of its errors open: not ended, it would be waited for.
  await browser('sleep 60 & wait');
  const why = await printPdf(folder, { ...files, longestMs: 500 });
  expect(why).toContain('it had not ended after 0.5 s');
});
