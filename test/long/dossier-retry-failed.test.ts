import { sheetRows } from '../support/credit-installation';
import { eventually, type Installation } from '../support/diligence-process';
import { dossierInstallation, soon, type DossierScript } from '../support/dossier-installation';

/** Failed dossiers of the list, tried again together. */

jest.setTimeout(180_000);

const seeded = 24;
let place: Installation;
beforeAll(async () => {
  const pattern: DossierScript = { ...soon, end: ['failure_retryable', 'completed'] };
  place = await dossierInstallation({ seeded: { dossiers: seeded }, pattern }, 'process');
});
afterAll(async () => {
  await place.stop();
});

const troubles = [
  '429',
  '503',
  '502',
  '504_after',
  'reset_before',
  'reset_after',
  'cut_answer',
  '500_html',
  '500_html_after',
  'unreadable_2xx',
  'missing_id',
  'unknown_status',
  'not_a_pdf',
  'empty_pdf',
  'expired_link',
] as const;

test('failed dossiers of the list are shown, and tried again once each under faults and a kill', async () => {
  const { sandbox } = place;
  const run = async (...words: string[]) => {
    const { code, stdout } = await place.run(['dossier', ...words, '--json']);
    return { code, told: JSON.parse(stdout) as Record<string, never> };
  };
  await eventually('all have failed', async () => {
    const { told } = await run('list', '--status', 'failed');
    return told['count'] === seeded;
  });
  expect(await run('list', '--status', 'failed')).toMatchObject({
    code: 0,
    told: { billing: [{ status: 'not_charged', unit: 'tokens' }] },
  });
  const shown = await run('retry-failed', '--limit', '30', '--dry-run');
  expect(shown.told).toMatchObject({ dryRun: true, request: seeded });
  expect(sandbox.dossiers.counts().items.filter((one) => one.retryRequests > 0)).toEqual([]);
  sandbox.configure({ dossiers: { background: { rate: 0.15, kinds: [...troubles] } } });
  const trying = run('retry-failed', '--limit', '30');
  await eventually('some retries have arrived', () => {
    const { items } = sandbox.dossiers.counts();
    return items.filter(({ retryRequests }) => retryRequests > 0).length > 4;
  });
  await place.stopWorkers('SIGKILL');
  await place.startWorker();
  const { code, told } = await trying;
  const { billing } = told['outcome'] as unknown as { billing: unknown };
  const items = await sheetRows(String(told['folder']), 'results.csv');
  expect(items.filter(({ caused, status }) => caused !== '1' || status !== 'completed')).toEqual(
    [],
  );
  expect({ code, items: items.length }).toEqual({ code: 0, items: seeded });
  expect(billing).toMatchObject(
    expect.arrayContaining([expect.objectContaining({ status: 'charged', count: seeded })]),
  );
  const counts = sandbox.dossiers.counts().items;
  expect(counts).toHaveLength(seeded);
  expect(counts.filter(({ attempt, retried }) => attempt !== 2 || retried !== 1)).toEqual([]);
  sandbox.configure({ dossiers: { background: { rate: 0, kinds: [] } } });
  expect((await run('retry-failed', '--dry-run')).told).toMatchObject({ request: 0 });
});
