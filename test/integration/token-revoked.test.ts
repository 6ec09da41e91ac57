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
import { sized } from '../support/full-size';

const rows = sized(70, 200);
const revokedAtRow = sized(40, 150);
/** Usually it is valid again before the third probe, for the next would come eight seconds later. */
const revokedForMs = sized(2_000, 7_000);

describe(`a token revoked at row ${revokedAtRow} of ${rows}`, () => {
  let place: Installation;

  beforeAll(async () => {
    place = await Installation.start({
      issuance: { waitingMs: [20, 100], processingMs: [200, 800], distribution: 'lognormal' },
      latencyMs: [10, 30],
    });
    await place.startWorkerHere();
    await writeFile(join(place.folder, 'input.csv'), sheetOf(rows));
  }, 60_000);

  afterAll(() => place.stop(), 60_000);

  test('and valid again later fails no row; meanwhile the wait is shown, and hardly anything sent', async () => {
    const posts = () => postsOf(place.sandbox);
    const command = place.run([
      'certificate',
      'batch',
      '--input',
      'input.csv',
      '--out',
      'out',
      '--concurrency',
      '60',
    ]);
    await eventually('the row is requested', () => posts().length >= revokedAtRow);
    place.sandbox.setToken(sandboxToken, false);
    const revokedAt = Date.now();
    const requestedBefore = posts().length;
    const listed = await place.run(['list', '--json']);
    const { id } = (JSON.parse(listed.stdout) as { jobs: [{ id: string }] }).jobs[0];
    await eventually('a request is refused', () => posts().some(({ status }) => status === 401));
    await eventually('the wait is shown', async () => {
      const { stdout } = await place.run(['show', id]);
      return stdout.includes('waiting: credentials');
    });
    // The command that follows looks once a second.
    await sleep(Math.max(1_500, revokedAt + revokedForMs - Date.now()));
    const probes = posts().length - requestedBefore;
    place.sandbox.setToken(sandboxToken, true);

    const ended = await command;
    const folder = join(place.folder, 'out');
    const lines = await readSheetLines(join(folder, 'results.csv'));
    expect(requestedBefore).toBeLessThan(rows);
    expect(lines.map(({ status }) => status)).toEqual(Array.from({ length: rows }, () => 'issued'));
    expect(await contradictions(place.sandbox, lines, folder)).toEqual([]);
    expect(ended.code).toBe(0);
    expect(ended.stderr).toContain('waiting: credentials');
    // Three runs met the revocation; then one row at a time, after 1, 2, 4... seconds.
    expect(probes).toBeGreaterThan(0);
    expect(probes).toBeLessThanOrEqual(3 + sized(3, 12));
  }, 180_000);
});
