import { randomUUID } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sheetRows } from '../support/credit-installation';
import type { Installation } from '../support/diligence-process';
import { countsOf, dossierInstallation, holdDossier } from '../support/dossier-installation';

/** Dossiers of a sheet, followed together. */

interface Shown {
  id: string;
  folder: string;
  needsAttention: boolean;
  outcome: { counts: Record<string, number>; asked: number; problems: { line: number }[] };
}

jest.setTimeout(120_000);

let place: Installation;
beforeAll(async () => {
  place = await dossierInstallation();
});
afterAll(() => place.stop());

async function follow(...words: string[]) {
  const given = ['dossier', 'follow', '--input', 'ids.csv', ...words, '--json'];
  const { code, stdout } = await place.run(given);
  return { code, shown: JSON.parse(stdout) as Shown };
}

test('each line of a sheet is accounted for, and what was completed is not followed again', async () => {
  const [done, failing] = [
    holdDossier(place, { end: 'completed' }),
    holdDossier(place, { end: 'failure_permanent' }),
  ];
  const gone = randomUUID();
  const lines = [`${done};a`, `${failing};b`, `${done.toUpperCase()};c`, 'x;d', `${gone};e`];
  await writeFile(join(place.folder, 'ids.csv'), `dossie;referencia\n${lines.join('\n')}\n`);
  const planned = await follow('--dry-run');
  expect(planned.shown).toMatchObject({ request: 3, reuse: 0, problems: [{ line: 5 }] });

  const { code, shown } = await follow('--out', 'out-first', '--label', 'monday');
  expect({ code, counts: shown.outcome.counts }).toEqual({
    code: 3,
    counts: { completed: 1, failed: 1, duplicate: 1, invalid: 1, refused: 1 },
  });
  const rows = await sheetRows(shown.folder, 'results.csv');
  expect(rows).toMatchObject([
    { line: '2', asked: done, status: 'completed', reference: 'a', caused: '0' },
    { asked: failing, status: 'failed' },
    { asked: done, status: 'duplicate', duplicate_of: '2', caused: '' },
    { asked: 'x', status: 'invalid', error_code: 'wrong_shape' },
    { asked: gone, status: 'refused' },
  ]);
  expect(await readdir(join(shown.folder, done))).toContain('dossier.json');
  expect(countsOf(place, failing)).toMatchObject({ retryRequests: 0 });
  const { stdout } = await place.run(['list', '--label', 'monday', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ jobs: [{ id: shown.id, needsAttention: true }] });

  const again = await follow('--out', 'out-again');
  expect(again.shown.id).not.toBe(shown.id);
  expect(again.shown.outcome).toMatchObject({ asked: 2, counts: shown.outcome.counts });
});
