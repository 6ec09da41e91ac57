import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ScenarioInput } from '../../src/sandbox';
import { cnabFile, testReceivable } from '../support/cnab-files';
import {
  CreditInstallation,
  fileNameOf,
  sheetRows,
  type ShownAnalysis,
} from '../support/credit-installation';
import { eventually } from '../support/diligence-process';

/** Files are told apart by their names. */
const scenario: ScenarioInput = {
  credit: {
    analysis: { waitingMs: [10, 50], processingMs: [10, 100] },
    files: {
      'busy.rem': { upload: ['429', '503', '429'] },
      'abandoned.rem': { upload: ['reset_after'] },
      'again.rem': { upload: ['reset_after'] },
      'odd.rem': { upload: ['reset_after'] },
      'long.rem': { result: [{ kind: 'not_ready', times: 4 }] },
      's1.rem': { result: [{ kind: 'not_ready', times: 'forever' }] },
      'twice.rem': { upload: ['reset_after'] },
      'going.rem': { upload: ['reset_after'], result: [{ kind: 'not_ready', times: 'forever' }] },
      'late.rem': { upload: ['reset_after'] },
      'gone.rem': { upload: [{ kind: '429', times: 'forever' }] },
    },
  },
};

interface BatchShown {
  id: string;
  exitCode: number;
  folder: string;
  files: { file: string; status: string; id: string | null; reason: string; before: boolean }[];
}

describe('commands of credit analyses', () => {
  let place: CreditInstallation;

  beforeAll(async () => {
    place = await CreditInstallation.start({ scenario });
  }, 60_000);
  afterAll(() => place.stop(), 60_000);

  const cnab = (receivables: number) => cnabFile({ bank: 'paulista', receivables });
  /** Refused, unless it is forced: the third line has the number of another. */
  function outOfSequence(receivables: number): Buffer {
    const bytes = cnabFile({ receivables });
    bytes.write('000099', 2 * 401 + 394, 'latin1');
    return bytes;
  }
  const run = (words: string[], env: Record<string, string> = {}) =>
    place.installation.run(words, env);

  async function engine(name: string): Promise<string> {
    const headers = {
      authorization: 'Bearer credit-sandbox-token',
      'content-type': 'application/json',
    };
    const url = `${place.sandbox.creditBaseUrl}/v1/engines`;
    const body = JSON.stringify({ name, rules: { valor_minimo: { threshold: 2_000_000 } } });
    const answer = await fetch(url, { method: 'POST', headers, body });
    return ((await answer.json()) as { id: string }).id;
  }

  test('an upload that is turned away goes again, with few events', async () => {
    await place.write('busy.rem', cnab(60));
    const { code, shown } = await place.analyze('busy.rem');
    expect({ code, status: shown?.outcome.status }).toEqual({ code: 0, status: 'completed' });
    expect(place.uploads('busy.rem').map(({ status }) => status)).toEqual([429, 503, 429, 202]);
    const client = await place.installation.client();
    const workflowId = shown?.id.split('/').slice(0, 2).join('/') ?? '';
    const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
    expect(events?.length).toBeLessThan(40);
  }, 120_000);

  describe('an engine is chosen by its name', () => {
    /** As with `dev`: the worker knows the service, the command does not. */
    const noToken = { CREDIT_BASE_URL: '', CREDIT_TOKEN: '' };

    test('by a command that has no token, and its rules judge', async () => {
      const id = await engine('Só grandes');
      await place.write('named.rem', cnab(61));
      const words = ['credit', 'analyze', '--cnab', 'named.rem', '--engine', 'Só grandes'];
      const { code, stdout, stderr } = await run([...words, '--json', '--out', 'named'], noToken);
      expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
      const { outcome, folder } = JSON.parse(stdout) as ShownAnalysis;
      expect(outcome.result).toMatchObject({ engineId: id, summary: { blocked: 61 } });
      const issues = await sheetRows(folder ?? '', 'issues.csv');
      const rows = issues.filter(({ level }) => level === 'titulo');
      expect(rows).toHaveLength(61);
      expect(rows[0]).toMatchObject({
        rule_id: 'valor_minimo',
        name: testReceivable(0).number,
        actual: expect.stringContaining('1000'),
        threshold: expect.stringContaining('2000000'),
      });
    }, 120_000);

    test('one that nobody has, or two have, ends with 1, lists them, and sends nothing', async () => {
      const ids = [await engine('Dois'), await engine('Dois')];
      await place.write('choice.rem', cnab(62));
      const choose = (name: string) =>
        run(['credit', 'analyze', '--cnab', 'choice.rem', '--engine', name], noToken);
      const two = await choose('Dois');
      expect(two.code).toBe(1);
      for (const id of ids) expect(two.stderr).toContain(id);
      expect(two.stderr).not.toContain('Padrao');
      const none = await choose('Ninguém');
      expect(none.code).toBe(1);
      expect(none.stderr).toContain('no engine "Ninguém"; there are "Padrao"');
      expect(place.uploads('choice.rem')).toEqual([]);
    }, 120_000);
  });

  test('what is refused goes with a reason, which is kept and told on the audit trail', async () => {
    await place.write('forced.rem', outOfSequence(63));
    expect((await place.analyze('forced.rem')).code).toBe(2);
    expect(place.uploads('forced.rem')).toEqual([]);
    const { code, shown } = await place.analyze(
      'forced.rem',
      '--force',
      'cut by the bank: ticket 7',
    );
    expect(code).toBe(0);
    const folder = shown?.id.replace(/^credit\//, 'data/archive/analyses/') ?? '';
    const asked = await readFile(join(place.folder, folder, 'asked.json'), 'utf8');
    expect(JSON.parse(asked)).toMatchObject({ forced: 'cut by the bank: ticket 7' });
    const { stdout } = await run(['audit', 'export']);
    const entries = stdout.split('\n').filter((line) => line.includes(`${shown?.id}/start`));
    expect(entries.join()).toMatch(/forced\W+true/);
    expect(stdout).not.toContain('ticket 7');
  }, 120_000);

  describe('an unknown outcome', () => {
    const resolve = (id: string, ...words: string[]) =>
      run(['credit', 'resolve', id, '--note', 'seen', '--json', ...words]);

    async function lost(name: string, receivables: number): Promise<string> {
      await place.write(name, cnab(receivables));
      const { code, shown } = await place.analyze(name);
      expect(code).toBe(3);
      return shown?.id ?? '';
    }

    test('is abandoned: nothing is sent, and the file may be bought again', async () => {
      const id = await lost('abandoned.rem', 64);
      expect((await resolve(id, '--action', 'abandon')).code).toBe(0);
      expect(place.uploads('abandoned.rem')).toHaveLength(1);
      const { code, shown } = await place.analyze('abandoned.rem');
      expect({ code, twice: shown?.outcome.possibleDoubleCharge }).toEqual({
        code: 0,
        twice: true,
      });
      expect(place.started('abandoned.rem')).toBe(2);
    }, 120_000);

    test('is bought again, and the possible double charge is told', async () => {
      const id = await lost('again.rem', 65);
      const { code, stdout } = await resolve(id, '--action', 'reissue');
      expect(code).toBe(0);
      const { outcome } = JSON.parse(stdout) as ShownAnalysis;
      expect(outcome).toMatchObject({ status: 'completed', possibleDoubleCharge: true });
      expect(place.started('again.rem')).toBe(2);
    }, 120_000);

    test('is bought again once, however often that is said', async () => {
      const id = await lost('twice.rem', 77);
      const first = await resolve(id, '--action', 'reissue');
      expect(first.code).toBe(0);
      const next = (JSON.parse(first.stdout) as ShownAnalysis).id;
      const second = await resolve(id, '--action', 'reissue');
      expect({ code: second.code, stderr: second.stderr }).toEqual({
        code: 1,
        stderr: expect.stringContaining(`asked for again since: decide about ${next}`),
      });
      expect((await place.analyze('twice.rem')).stderr).toContain(`diligence result ${next}`);
      expect(place.started('twice.rem')).toBe(2);
    }, 120_000);

    test('is not decided about while what was bought again is under way', async () => {
      const id = await lost('going.rem', 78);
      const going = await run([
        'credit',
        'resolve',
        id,
        '--note',
        'seen',
        '--action',
        'reissue',
        '--detach',
      ]);
      const next = going.stdout.trim();
      await eventually('it was sent', () => place.started('going.rem') === 2);
      for (const action of ['reissue', 'abandon']) {
        expect(await resolve(id, '--action', action)).toMatchObject({
          code: 1,
          stderr: expect.stringContaining(`decide about ${next}`),
        });
      }
      place.sandbox.configure({ credit: { files: { 'going.rem': {} } } });
      const isCompleted = async () =>
        (await run(['status', next, '--json'])).stdout.includes('"completed"');
      await eventually('it completed', isCompleted);
      expect((await place.analyze('going.rem')).stderr).toContain(`diligence result ${next}`);
      expect(place.started('going.rem')).toBe(2);
    }, 120_000);

    test('whose answer came late is watched: it is not bought again', async () => {
      const id = await lost('late.rem', 79);
      const { operationId = null } =
        place.sandbox.credit
          .received()
          .filter(({ method, parts }) => method === 'POST' && fileNameOf(parts) === 'late.rem')
          .at(-1) ?? {};
      // As a worker files it that was frozen, and given up, before it could.
      const [, name = ''] = id.split('/');
      const claims = join('data', 'archive', 'claims', 'credit', name.slice(0, 2), name);
      const receipt = { kind: 'accepted', certidaoId: operationId, at: Date.now() };
      await writeFile(join(place.folder, claims, '000001.receipt.json'), JSON.stringify(receipt));
      const refused = { code: 1, stderr: expect.stringContaining(`operation ${operationId}`) };
      expect(await resolve(id, '--action', 'reissue')).toMatchObject(refused);
      expect(await place.analyze('late.rem', '--again')).toMatchObject(refused);
      const watched = await resolve(id, '--action', 'watch');
      expect(watched.code).toBe(0);
      expect((JSON.parse(watched.stdout) as ShownAnalysis).outcome).toMatchObject({
        status: 'completed',
        operationId,
      });
      expect(place.started('late.rem')).toBe(1);
    }, 120_000);

    test('is watched, which sends nothing; what makes no sense is refused', async () => {
      const id = await lost('odd.rem', 66);
      const watched = await resolve(id, '--action', 'watch');
      expect(watched.code).toBe(3);
      expect((JSON.parse(watched.stdout) as ShownAnalysis).outcome.status).toBe('unknown_outcome');
      expect(place.uploads('odd.rem')).toHaveLength(1);
      expect((await resolve(id, '--action', 'adopt')).code).toBe(2);
      expect((await resolve(`credit/${'0'.repeat(32)}`, '--action', 'watch')).code).toBe(1);
    }, 120_000);
  });

  test('one that expired is watched to its end, and not sent again', async () => {
    await place.write('long.rem', cnab(67));
    const early = await place.analyze('long.rem', '--deadline', '1s');
    expect(early).toMatchObject({ code: 3, shown: { outcome: { status: 'expired' } } });
    const id = early.shown?.id ?? '';
    const words = ['credit', 'resolve', id, '--action', 'watch', '--note', 'late', '--json'];
    const { code, stdout } = await run(words);
    expect(code).toBe(0);
    expect((JSON.parse(stdout) as ShownAnalysis).outcome).toMatchObject({
      status: 'completed',
      operationId: early.shown?.outcome.operationId,
      possibleDoubleCharge: false,
    });
    expect(place.started('long.rem')).toBe(1);
  }, 120_000);

  describe('a batch', () => {
    const batch = async (dir: string, ...more: string[]) => {
      const words = ['credit', 'batch', '--dir', dir, '--json', '--out', `out-${dir}`, ...more];
      const { code, stdout, stderr } = await run(words);
      return { code, stderr, shown: stdout === '' ? null : (JSON.parse(stdout) as BatchShown) };
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
        'empty.rem': Buffer.alloc(0),
      });
      const first = await batch('mixed', '--filter', 'issues');
      expect(first.code).toBe(3);
      const { id, files, folder } = first.shown ?? { id: '', files: [], folder: '' };
      expect(id).toMatch(/^credit-batch\/[0-9a-f]{32}\/\d{8}T\d{9}Z$/);
      expect(first.stderr).toContain(`${id}: 2 files to analyse`);
      expect(files).toMatchObject([
        { file: 'a.rem', status: 'completed', reason: expect.stringMatching(/^71 titulos, /) },
        { file: 'b.rem', status: 'completed', before: false },
        {
          file: 'c.rem',
          status: 'completed',
          reason: expect.stringContaining('the same as a.rem'),
        },
        { file: 'empty.rem', status: 'not sent', id: null },
      ]);
      expect(place.uploads('a.rem').length + place.uploads('c.rem').length).toBe(1);
      expect((await sheetRows(folder, 'files.csv')).map(({ status }) => status)).toEqual(
        files.map(({ status }) => status),
      );
      const shown = await readFile(join(folder, 'b', 'result.json'), 'utf8');
      expect(shown).toContain('"sacados":[]');

      const { stdout: listed } = await run(['list', '--json']);
      expect(JSON.parse(listed)).toMatchObject({
        creditBatches: [{ id, kind: 'credit-batch', input: 'mixed', status: 'ended' }],
      });
      const status = await run(['status', id, '--json']);
      expect(JSON.parse(status.stdout)).toMatchObject({
        state: 'ended',
        counts: { completed: 3, 'not sent': 1 },
      });
      const result = await run(['result', id, '--json', '--out', 'out-of-result']);
      expect(result.code).toBe(3);
      expect((JSON.parse(result.stdout) as BatchShown).files).toMatchObject(
        files.map(({ file, status: how }) => ({ file, status: how })),
      );
      expect((await run(['cancel', id])).code).toBe(1);

      const again = await batch('mixed');
      expect(again.shown?.files.map(({ before }) => before)).toEqual([true, true, true, false]);
      expect(place.uploads('b.rem')).toHaveLength(1);
    }, 120_000);

    test('that is cancelled begins no more, and run again it goes on', async () => {
      await folderOf('many', { 's1.rem': cnab(73), 's2.rem': cnab(74), 's3.rem': cnab(75) });
      const words = ['credit', 'batch', '--dir', 'many', '--concurrency', '1', '--detach'];
      const id = (await run(words)).stdout.trim();
      await eventually('the first file is there', () => place.started('s1.rem') > 0);
      const status = await run(['status', id]);
      expect(status.stdout).toMatch(/0 of 3 ended, 1 under way/);
      const attached = await run([...words.slice(0, -2), '3', '--detach']);
      expect(attached.stdout.trim()).toBe(id);
      expect(attached.stderr).toContain('it runs already: --concurrency and --deadline are those');
      expect((await run(['cancel', id])).stdout).toContain('cancelling');
      place.sandbox.configure({ credit: { files: { 's1.rem': { result: [] } } } });
      const ended = async () => {
        const { stdout } = await run(['status', id, '--json']);
        return (JSON.parse(stdout) as { state: string }).state === 'ended';
      };
      await eventually('it ends', ended);
      const { code, stdout } = await run(['result', id, '--json', '--out', 'out-many']);
      expect(code).toBe(0);
      expect((JSON.parse(stdout) as BatchShown).files.map(({ status: how }) => how)).toEqual([
        'completed',
        'not begun',
        'not begun',
      ]);
      const again = await batch('many');
      expect(again.code).toBe(0);
      expect(again.shown?.files).toMatchObject([
        { status: 'completed', before: true },
        { status: 'completed', before: false },
        { status: 'completed', before: false },
      ]);
      expect(['s1', 's2', 's3'].map((name) => place.started(`${name}.rem`))).toEqual([1, 1, 1]);
    }, 120_000);

    test('tells a file whose analysis was lost as lost, and not how it ended before', async () => {
      await folderOf('gone', { 'gone.rem': cnab(80) });
      const words = ['credit', 'analyze', '--cnab', 'gone/gone.rem', '--detach'];
      const id = (await run(words)).stdout.trim();
      await eventually('it was tried', () => place.uploads('gone.rem').length > 0);
      await run(['cancel', id]);
      const isCancelled = async () =>
        (await run(['status', id, '--json'])).stdout.includes('"cancelled"');
      await eventually('it was cancelled', isCancelled);
      place.sandbox.configure({
        credit: { files: { 'gone.rem': { result: [{ kind: 'not_ready', times: 'forever' }] } } },
      });
      const begun = await run(['credit', 'batch', '--dir', 'gone', '--detach']);
      const batchId = begun.stdout.trim();
      await eventually('it was sent', () => place.started('gone.rem') === 1);
      const client = await place.installation.client();
      await client.workflow.getHandle(id.split('/').slice(0, 2).join('/')).terminate('test');
      const shown = async () => {
        const { code, stdout } = await run(['result', batchId, '--json', '--out', 'gone-out']);
        return { code, files: stdout === '' ? [] : (JSON.parse(stdout) as BatchShown).files };
      };
      await eventually('the batch ended', async () => (await shown()).files.length > 0);
      expect(await shown()).toMatchObject({ code: 3, files: [{ status: 'lost' }] });
    }, 120_000);

    test('of files that are all refused sends nothing and ends with 2, unless it is forced', async () => {
      await folderOf('cut', { 'cut.rem': outOfSequence(76) });
      expect(await batch('cut')).toMatchObject({
        code: 2,
        shown: { files: [{ status: 'not sent' }] },
      });
      expect(place.uploads('cut.rem')).toEqual([]);
      const forced = await batch('cut', '--force', 'the bank knows');
      expect(forced).toMatchObject({ code: 0, shown: { files: [{ status: 'completed' }] } });
    }, 120_000);
  });
});
