import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ScenarioInput } from '../../src/sandbox';
import { cnabFile } from '../support/cnab-files';
import { CreditInstallation, outOfSequence, sheetRows } from '../support/credit-installation';
import { eventually } from '../support/diligence-process';

/** Files are told apart by their names. */
const scenario: ScenarioInput = {
  credit: {
    analysis: { waitingMs: [10, 50], processingMs: [10, 100] },
    files: {
      's1.rem': { result: [{ kind: 'not_ready', times: 'forever' }] },
      'gone.rem': { upload: [{ kind: '429', times: 'forever' }] },
    },
  },
};

interface BatchShown {
  id: string;
  exitCode: number;
  folder: string;
  outcome: { counts: Record<string, number>; problems: { message: string }[] };
}

describe('a batch of credit files', () => {
  let place: CreditInstallation;
  beforeAll(async () => {
    place = await CreditInstallation.start({ scenario });
  }, 60_000);
  afterAll(() => place.stop(), 60_000);

  const cnab = (receivables: number) => cnabFile({ bank: 'paulista', receivables });
  const run = (words: string[]) => place.installation.run(words);
  const batch = async (dir: string, ...more: string[]) => {
    const words = ['credit', 'analyze', '--input', dir, '--json', '--out', `out-${dir}`, ...more];
    const { code, stdout, stderr } = await run(words);
    const shown = JSON.parse(stdout) as BatchShown;
    return { code, stderr, shown, rows: await sheetRows(shown.folder, 'results.csv') };
  };
  const folderOf = async (dir: string, files: Record<string, Buffer>) => {
    await mkdir(join(place.folder, dir));
    for (const [name, bytes] of Object.entries(files)) {
      await writeFile(join(place.folder, dir, name), bytes);
    }
  };

  test('tells every file with its reason, and is known by its id to every command', async () => {
    await folderOf('mixed', {
      'a.rem': cnab(71),
      'b.rem': cnab(72),
      'c.rem': cnab(71),
      'empty.REM': Buffer.alloc(0),
    });
    const first = await batch('mixed', '--filter', 'issues', '--label', 'tuesday');
    expect(first.code).toBe(3);
    const { id, folder } = first.shown;
    expect(id).toMatch(/^credit-batch\/[0-9a-f]{32}\/\d{8}T\d{9}Z[0-9a-f]{6}$/);
    expect(first.stderr).toContain(`${id}: analyses of mixed`);
    expect(first.rows).toMatchObject([
      { requested: 'a.rem', status: 'completed', titulos: '71', note: '' },
      { requested: 'b.rem', status: 'completed', titulos: '72' },
      { requested: 'c.rem', status: 'duplicate', duplicate_of: '2', titulos: '71' },
      {
        requested: 'empty.REM',
        status: 'invalid',
        id: '',
        error_message: expect.stringContaining('empty.REM'),
      },
    ]);
    expect(place.uploads('a.rem').length + place.uploads('c.rem').length).toBe(1);
    const shown = await readFile(join(folder, 'b', 'result.json'), 'utf8');
    expect(shown).toContain('"sacados":[]');
    expect(await sheetRows(join(folder, 'b'), 'titulos.csv')).toHaveLength(72);

    const { stdout: listed } = await run(['list', '--label', 'tuesday', '--json']);
    expect(JSON.parse(listed)).toMatchObject({
      jobs: [{ id, kind: 'credit-batch', input: 'mixed', status: 'invalid', needsAttention: true }],
      next: null,
    });
    const status = await run(['show', id, '--json']);
    expect(JSON.parse(status.stdout)).toMatchObject({
      status: 'invalid',
      needsAttention: true,
      outcome: { counts: { completed: 2 } },
    });
    const result = await run(['result', id, '--json', '--out', 'out-of-result']);
    expect(result.code).toBe(3);
    expect((JSON.parse(result.stdout) as BatchShown).outcome).toMatchObject({
      counts: first.shown.outcome.counts,
    });
    expect((await run(['cancel', id])).code).toBe(1);

    const again = await batch('mixed');
    expect(again.shown.id).toBe(id);
    expect(place.uploads('b.rem')).toHaveLength(1);
  }, 120_000);

  test('that is cancelled begins no more, and run again it goes on', async () => {
    await folderOf('many', { 's1.rem': cnab(73), 's2.rem': cnab(74), 's3.rem': cnab(75) });
    const words = ['credit', 'analyze', '--input', 'many', '--concurrency', '1', '--detach'];
    const id = (await run(words)).stdout.trim();
    await eventually('the first file is there', () => place.started('s1.rem') > 0);
    const status = await run(['show', id]);
    expect(status.stdout).toMatch(/0\/3 {2}1 outstanding/);
    const attached = await run([...words.slice(0, -2), '3', '--detach']);
    expect(attached.code).toBe(2);
    expect((await run(words)).stdout.trim()).toBe(id);
    expect(attached.stderr).toContain('--concurrency would be ignored');
    expect((await run(['cancel', id])).stdout).toContain('cancelling');
    place.sandbox.configure({ credit: { files: { 's1.rem': { result: [] } } } });
    const ended = async () => {
      const { stdout } = await run(['show', id, '--json']);
      return (JSON.parse(stdout) as { outcome: object | null }).outcome !== null;
    };
    await eventually('it ends', ended);
    const { code, stdout } = await run(['result', id, '--json', '--out', 'out-many']);
    expect(code).toBe(0);
    expect((JSON.parse(stdout) as BatchShown).outcome.counts).toEqual({
      completed: 1,
      cancelled: 2,
    });
    const again = await batch('many');
    expect(again.code).toBe(0);
    expect(again.rows).toMatchObject([
      { status: 'completed', note: 'had ended before' },
      { status: 'completed', note: '' },
      { status: 'completed', note: '' },
    ]);
    expect(['s1', 's2', 's3'].map((name) => place.started(`${name}.rem`))).toEqual([1, 1, 1]);
  }, 120_000);

  test('tells a file whose analysis was lost as lost, and not how it ended before', async () => {
    await folderOf('gone', { 'gone.rem': cnab(80) });
    const words = ['credit', 'analyze', '--input', 'gone/gone.rem', '--detach'];
    const id = (await run(words)).stdout.trim();
    await eventually('it was tried', () => place.uploads('gone.rem').length > 0);
    await run(['cancel', id]);
    const isCancelled = async () =>
      (await run(['show', id, '--json'])).stdout.includes('"cancelled"');
    await eventually('it was cancelled', isCancelled);
    place.sandbox.configure({
      credit: { files: { 'gone.rem': { result: [{ kind: 'not_ready', times: 'forever' }] } } },
    });
    const begun = await run(['credit', 'analyze', '--input', 'gone', '--detach']);
    const batchId = begun.stdout.trim();
    await eventually('it was sent', () => place.started('gone.rem') === 1);
    const client = await place.installation.client();
    await client.workflow.getHandle(id.split('/').slice(0, 2).join('/')).terminate('test');
    const shown = async () => {
      const { code, stdout } = await run(['result', batchId, '--json', '--out', 'gone-out']);
      // Before its end, an error.
      const { outcome } = JSON.parse(stdout) as Partial<BatchShown>;
      return { code, counts: outcome?.counts ?? null };
    };
    await eventually('the batch ended', async () => (await shown()).counts !== null);
    expect(await shown()).toEqual({ code: 3, counts: { lost: 1 } });
  }, 120_000);

  test('of files that are all refused sends nothing, unless it is forced', async () => {
    await folderOf('cut', { 'cut.rem': outOfSequence(76) });
    expect(await batch('cut')).toMatchObject({
      code: 3,
      shown: { outcome: { counts: { invalid: 1 }, problems: [{ line: 2 }] } },
    });
    expect(place.uploads('cut.rem')).toEqual([]);
    const forced = await batch('cut', '--force', 'the bank knows');
    expect(forced).toMatchObject({ code: 0, shown: { outcome: { counts: { completed: 1 } } } });
  }, 120_000);

  test('sends again only what it is told to send again', async () => {
    await folderOf('twice', { 'r.rem': cnab(90) });
    expect((await batch('twice')).code).toBe(0);
    const planned = await run(['credit', 'analyze', '--input', 'twice', '--dry-run', '--json']);
    expect(JSON.parse(planned.stdout)).toMatchObject({ request: 0, reuse: 1 });
    expect((await batch('twice')).code).toBe(0);
    expect(place.uploads('r.rem')).toHaveLength(1);
    expect((await batch('twice', '--rerun')).code).toBe(0);
    expect(place.uploads('r.rem')).toHaveLength(2);
  }, 120_000);
});
