import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DossierOutcome } from '../../src/domain/dossiers/follow';
import { Installation } from '../support/diligence-process';

/** Dossiers from a command to the folder of results, on a real server, under faults and a kill. */

interface Shown {
  id: string;
  exitCode: number;
  folder: string | null;
  files: string[];
  billed: { unit: string; status: string; amount: number }[];
  outcome: DossierOutcome;
}

const soon: DossierScript = { waitingMs: [100, 200], processingMs: [300, 600] };
/** As a scenario has one. */
type DossierScript = NonNullable<
  NonNullable<
    NonNullable<Parameters<Installation['sandbox']['configure']>[0]['dossiers']>['held']
  >[string]
>;

let installation: Installation;

jest.setTimeout(180_000);
beforeAll(async () => {
  installation = await Installation.start(
    { dossiers: { pollAfterSeconds: 1 } },
    { INVESTIGATION_RPS: '400' },
  );
  await installation.startWorker();
});
afterAll(async () => {
  await installation.stop();
});

let nth = 0;
/** A dossier of its own, as the script says. */
function held(script: DossierScript): string {
  nth += 1;
  const id = `0f0e0d0c-0b0a-4000-8000-${String(nth).padStart(12, '0')}`;
  installation.sandbox.configure({ dossiers: { held: { [id]: { ...soon, ...script } } } });
  return id;
}

async function dossier(
  words: string[],
): Promise<{ code: number | null; stderr: string; shown: Shown | null }> {
  const { code, stderr, stdout } = await installation.run(['dossier', ...words]);
  return { code, stderr, shown: stdout.startsWith('{') ? (JSON.parse(stdout) as Shown) : null };
}

function follow(id: string, ...more: string[]) {
  return dossier(['follow', '--id', id, '--json', '--out', `out-${id}`, ...more]);
}

const counted = (id: string) =>
  installation.sandbox.dossiers.counts().items.find(({ dossieId }) => dossieId === id);

test('a dossier is followed to its end, and its report filed and written', async () => {
  const id = held({ risk: 'classified', end: 'completed' });
  const { code, shown, stderr } = await follow(id);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(shown?.outcome).toMatchObject({
    status: 'completed',
    caused: 0,
    possibleAttempt: false,
    risk: { form: 'classified', missingFields: 0 },
    filed: [{ type: 'dossie_pdf' }],
    attempts: [{ number: 1, billing: { status: 'charged', unit: 'tokens' } }],
  });
  expect(shown?.billed).toMatchObject([{ unit: 'tokens', status: 'charged' }]);
  expect((await readdir(shown?.folder ?? '')).sort()).toEqual(['dossier.json', 'dossier.pdf']);
  const pdf = await readFile(join(shown?.folder ?? '', 'dossier.pdf'));
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
  expect(counted(id)).toMatchObject({ retried: 0, retryRequests: 0, cancelRequests: 0 });
});
