import { randomUUID } from 'node:crypto';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sheetRows } from '../support/credit-installation';
import { eventually, type Installation } from '../support/diligence-process';
import {
  countsOf,
  dossierInstallation,
  followDossier,
  holdDossier,
  slow,
  type DossierResult,
  type DossierScript,
} from '../support/dossier-installation';

/** Dossiers from a command to the folder of results. */

jest.setTimeout(180_000);

interface ShownBatch {
  id: string;
  folder: string;
  needsAttention: boolean;
  outcome: { counts: Record<string, number>; requested: number; problems: { line: number }[] };
}

interface Begun {
  id: string;
  end: Promise<DossierResult>;
}

const reports: [NonNullable<DossierScript['pdf']>, number, object][] = [
  [['expired_link', 'expired_link'], 0, { notStored: [] }],
  [['not_a_pdf', 'empty_pdf'], 0, { notStored: [] }],
  [['502', 'reset_after', 'slow_pdf'], 0, { notStored: [] }],
  [[{ kind: 'not_a_pdf', times: 'forever' }], 3, { notStored: [{ why: 'not a PDF' }] }],
];
const places = ['status', 'list', 'none'] as const;

let place: Installation;
/** They wait more than they work: all are begun at once, and each test awaits its own. */
let begun: Record<'plain' | 'long', Begun> & Record<'reports' | 'places', Begun[]>;
beforeAll(async () => {
  place = await dossierInstallation();
  const ids = {
    plain: holdDossier(place, { risk: 'classified', end: 'completed' }),
    long: holdDossier(place, { ...slow, waitingMs: [0, 0], end: 'completed' }),
    reports: reports.map(([pdf]) => holdDossier(place, { end: 'completed', pdf })),
    places: places.map((shownIn) =>
      holdDossier(place, { end: 'completed', shownIn, risk: 'insufficient_data' }),
    ),
  };
  const begin = (id: string): Begun => ({ id, end: followDossier(place, id) });
  begun = {
    plain: begin(ids.plain),
    long: begin(ids.long),
    reports: ids.reports.map(begin),
    places: ids.places.map(begin),
  };
});
afterAll(async () => {
  await place.stop();
});

test('a dossier is followed to its end, and its report stored and written', async () => {
  const { id, end } = begun.plain;
  const { code, shown, stderr } = await end;
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(shown?.outcome).toMatchObject({
    status: 'completed',
    caused: 0,
    possibleAttempt: false,
    risk: { form: 'classified', missingFields: 0 },
    stored: [{ type: 'dossie_pdf' }],
    attempts: [{ number: 1, billing: { status: 'charged', unit: 'tokens' } }],
  });
  expect(shown?.outcome).toMatchObject({
    findings: {
      facts: { 'risk.status': 'classified', 'risk.score': expect.any(Number) },
      sections: expect.arrayContaining([
        expect.objectContaining({ name: 'risk.matched_rules', total: 2 }),
      ]),
    },
  });
  expect(shown?.cost).toMatchObject([{ unit: 'tokens', status: 'charged' }]);
  expect((await readdir(shown?.folder ?? '')).sort()).toEqual([
    '.job',
    'dossier.json',
    'dossier.pdf',
    'report.html',
  ]);
  const pdf = await readFile(join(shown?.folder ?? '', 'dossier.pdf'));
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
  expect(countsOf(place, id)).toMatchObject({ retried: 0, retryRequests: 0, cancelRequests: 0 });
});

test('a report whose address expires or breaks is stored, or said to be missing', async () => {
  const ends = await Promise.all(begun.reports.map(({ end }) => end));
  for (const [nth, [pdf, code, told]] of reports.entries()) {
    const end = ends[nth];
    expect({ pdf, code: end?.code, outcome: end?.shown?.outcome }).toMatchObject({
      pdf,
      code,
      outcome: { status: 'completed', stored: code === 0 ? [{ type: 'dossie_pdf' }] : [], ...told },
    });
  }
});

test('artifacts and result are found in the status or in the list, or told to be missing', async () => {
  const ends = await Promise.all(begun.places.map(({ end }) => end));
  expect(ends.map(({ code, shown }) => [code, shown?.outcome.stored.length])).toEqual([
    [0, 1],
    [0, 1],
    [0, 0],
  ]);
  for (const { shown } of ends) {
    expect(shown?.outcome.risk).toMatchObject({
      form: 'insufficient_data',
      level: null,
      score: null,
      missingFields: 1,
    });
  }
});

test('an unknown dossier is refused, and a wrong id is wrong usage', async () => {
  const unknown = await followDossier(place, '0f0e0d0c-0b0a-4000-8000-ffffffffffff');
  expect(unknown).toMatchObject({
    code: 1,
    shown: { outcome: { status: 'refused', error: { code: 'dossie_not_found' } } },
  });
  expect((await followDossier(place, '4711')).code).toBe(2);
});

test('histories are sealed and short, whatever the number of polls', async () => {
  const { id, end } = begun.long;
  await eventually('it is read often', () => (countsOf(place, id)?.statusReads ?? 0) >= 6);
  place.sandbox.clock.advance(700_000);
  const { stderr } = await end;
  expect(stderr).toMatch(/running \(attempt 1\) +\d of 5 phases/);
  const client = await place.client();
  const { events } = await client.workflow.getHandle(`dossier/${id}`).fetchHistory();
  expect(events?.length).toBeLessThanOrEqual(30 + 8);
  expect(Buffer.from(JSON.stringify(events)).toString('latin1')).not.toMatch(
    /charged|download_url/,
  );
  expect(await place.workerLog()).not.toContain('signature');
});

async function followSheet(...words: string[]) {
  const given = ['dossier', 'follow', '--input', 'ids.csv', ...words, '--json'];
  const { code, stdout } = await place.run(given);
  return { code, shown: JSON.parse(stdout) as ShownBatch };
}

test('each line of a sheet is accounted for, and what was completed is not followed again', async () => {
  const [done, failing] = [
    holdDossier(place, { end: 'completed' }),
    holdDossier(place, { end: 'failure_permanent' }),
  ];
  const gone = randomUUID();
  const lines = [`${done};a`, `${failing};b`, `${done.toUpperCase()};c`, 'x;d', `${gone};e`];
  await writeFile(join(place.folder, 'ids.csv'), `dossie;referencia\n${lines.join('\n')}\n`);
  const planned = await followSheet('--dry-run');
  expect(planned.shown).toMatchObject({ request: 3, reuse: 0, problems: [{ line: 5 }] });

  const { code, shown } = await followSheet('--out', 'out-first', '--label', 'monday');
  expect({ code, counts: shown.outcome.counts }).toEqual({
    code: 3,
    counts: { completed: 1, failed: 1, duplicate: 1, invalid: 1, refused: 1 },
  });
  const rows = await sheetRows(shown.folder, 'results.csv');
  expect(rows).toMatchObject([
    { line: '2', requested: done, status: 'completed', reference: 'a', caused: '0' },
    { requested: failing, status: 'failed' },
    { requested: done, status: 'duplicate', duplicate_of: '2', caused: '' },
    { requested: 'x', status: 'invalid', error_code: 'wrong_shape' },
    { requested: gone, status: 'refused' },
  ]);
  expect(await readdir(join(shown.folder, done))).toContain('dossier.json');
  expect(countsOf(place, failing)).toMatchObject({ retryRequests: 0 });
  const { stdout } = await place.run(['list', '--label', 'monday', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ jobs: [{ id: shown.id, needsAttention: true }] });

  const again = await followSheet('--out', 'out-again');
  expect(again.shown.id).not.toBe(shown.id);
  expect(again.shown.outcome).toMatchObject({ requested: 2, counts: shown.outcome.counts });
});
