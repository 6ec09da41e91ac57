import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AxeResults } from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { openBrowser, openBrowserMs } from '../support/browser';
import { sandboxAnswers } from '../support/report-answers';
import { reportPages } from '../support/report-pages';

/** The page of each kind as a person sees it: on a telephone, on a desk, on paper, and in the dark. */

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const layout = readFileSync(join(__dirname, '../support/page-layout.js'), 'utf8');
const views = {
  telephone: { width: 420, height: 900 },
  desk: { width: 1_280, height: 900 },
  // A4 without the margins of the page, at 96 pixels an inch.
  paper: { width: 688, height: 1_017 },
} as const;

let browser: Browser;
const pages = new Map<string, string>();
beforeAll(async () => {
  browser = await openBrowser();
  const answers = await sandboxAnswers();
  for (const language of ['pt', 'en'] as const) {
    for (const [kind, page] of await reportPages(answers, language)) {
      pages.set(`${kind} ${language}`, page);
    }
  }
}, openBrowserMs);
afterAll(() => browser.close());

interface Problems {
  requests: string[];
  errors: string[];
  layout: string[];
  axe: string[];
}

/** What is wrong with a page at a width. */
async function problemsOf(html: string, view: keyof typeof views, isDark = false) {
  const context = await browser.newContext({
    viewport: views[view],
    colorScheme: isDark ? 'dark' : 'light',
  });
  const page = await context.newPage();
  const found: Problems = { requests: [], errors: [], layout: [], axe: [] };
  page.on('request', (request) => {
    if (!request.url().startsWith('data:')) found.requests.push(request.url());
  });
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) found.errors.push(message.text());
  });
  page.on('pageerror', (error) => found.errors.push(error.message));
  if (view === 'paper') await page.emulateMedia({ media: 'print' });
  await page.setContent(html);
  found.layout = await layoutOf(page);
  // What it looks for hangs on colours and words, not on widths.
  if (view === 'telephone' || isDark) found.axe = await axeOf(page);
  await context.close();
  return found;
}

const none: Problems = { requests: [], errors: [], layout: [], axe: [] };

/** Text that is cut or stands over other text, and what is wider than the page. */
function layoutOf(page: Page): Promise<string[]> {
  return page.evaluate(layout);
}

/** Of what axe finds, what is serious. */
async function axeOf(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const { violations } = (await page.evaluate('axe.run()')) as AxeResults;
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ html }) => `${id}: ${html}`));
}

const kinds = [
  'certificates',
  'credit',
  'monitors',
  'batch',
  'profile',
  'trace',
  'lens-geo',
  'lens-face',
  'dossier',
];

test.each(kinds)('the report of %s is whole and readable everywhere', async (kind) => {
  const pageOf = (language: string): string => {
    const page = pages.get(`${kind} ${language}`);
    if (page === undefined) throw new Error(`no page of ${kind}`);
    return page;
  };
  const [telephone, desk, paper, dark] = await Promise.all([
    problemsOf(pageOf('pt'), 'telephone'),
    problemsOf(pageOf('pt'), 'desk'),
    problemsOf(pageOf('pt'), 'paper'),
    problemsOf(pageOf('en'), 'desk', true),
  ]);
  expect({ telephone, desk, paper, dark }).toEqual({
    telephone: none,
    desk: none,
    paper: none,
    dark: none,
  });
});

test('what is cut, over something else, loaded, run or unreadable is found', async () => {
  const bad = `<html><body style="margin:0"><div style="width:2000px">wide</div>
    <p style="position:absolute;top:50px">one text here</p>
    <p style="position:absolute;top:52px;color:#eee">another text</p>
    <img src="http://127.0.0.1:9/x.png"><script>throw new Error('ran')</script></body></html>`;
  const found = await problemsOf(bad, 'telephone');
  expect(found.layout).toEqual(
    expect.arrayContaining([
      'the page scrolls sideways',
      'over each other: one text here | another text',
    ]),
  );
  expect(found.requests).toEqual(['http://127.0.0.1:9/x.png']);
  expect(found.errors.join()).toContain('ran');
  expect(found.axe.join()).toMatch(/color-contrast|image-alt/);
});
