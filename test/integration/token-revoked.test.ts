import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { contradictions, postsOf } from '../support/batch-account';
import {
  Installation,
  eventually,
  readSheetLines,
  sandboxToken,
} from '../support/diligence-process';
import { sheetOf } from '../support/documents';

const rows = 200;
const revokedForMs = 7_000;

describe('a token revoked at row 150 of 200', () => {
  let place: Installation;

  beforeAll(async () => {
    place = await Installation.start({
      issuance: { waitingMs: [20, 100], processingMs: [300, 2_000], distribution: 'lognormal' },
      latencyMs: [10, 30],
    });
    await place.startWorkerHere();
    await writeFile(join(place.folder, 'input.csv'), sheetOf(rows));
  }, 60_000);

  afterAll(() => place.stop(), 60_000);

  test('and valid again later fails no row; meanwhile the wait is shown, and hardly anything sent', async () => {
    const posts = () => postsOf(place.sandbox);
    const command = place.begin([
      'certificate',
      'batch',
      '--input',
      'input.csv',
      '--out',
      'out',
      '--concurrency',
      '40',
    ]);
    await eventually('150 rows are requested', () => posts().length >= 150);
    place.sandbox.setToken(sandboxToken, false);
    const revokedAt = Date.now();
    const requestedBefore = posts().length;
    const listed = await place.run(['list', '--json']);
    const { id } = (JSON.parse(listed.stdout) as { works: [{ id: string }] }).works[0];
    await eventually('the wait is shown', async () => {
      const { stdout } = await place.run(['status', id]);
      return stdout.includes('waiting: credentials');
    });
    await sleep(Math.max(0, revokedAt + revokedForMs - Date.now()));
    const probes = posts().length - requestedBefore;
    place.sandbox.setToken(sandboxToken, true);

    const ended = await command.result;
    const folder = join(place.folder, 'out');
    const lines = await readSheetLines(join(folder, 'results.csv'));
    expect(requestedBefore).toBeLessThan(rows);
    expect(lines.map(({ status }) => status)).toEqual(Array.from({ length: rows }, () => 'issued'));
    expect(await contradictions(place.sandbox, lines, folder)).toEqual([]);
    expect(ended.code).toBe(0);
    expect(ended.stderr).toContain('waiting: credentials');
    // Three runs met the revocation; then one row at a time, after 1, 2, 4... seconds.
    expect(probes).toBeGreaterThan(0);
    expect(probes).toBeLessThanOrEqual(3 + 12);
  }, 180_000);
});
