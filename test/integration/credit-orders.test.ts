import { cnabFile, testReceivable } from '../support/cnab-files';
import {
  CreditInstallation,
  outOfSequence,
  sheetRows,
  type ShownAnalysis,
} from '../support/credit-installation';
import { storeIn } from '../support/temporary-store';

describe('an order for a credit analysis', () => {
  let place: CreditInstallation;

  beforeAll(async () => {
    place = await CreditInstallation.start({
      scenario: { credit: { analysis: { waitingMs: [10, 50], processingMs: [10, 100] } } },
    });
  }, 60_000);
  afterAll(() => place.stop(), 60_000);

  const cnab = (receivables: number) => cnabFile({ bank: 'paulista', receivables });
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

  /** As with `dev`: the worker knows the service, the command does not. */
  const noToken = { CREDIT_BASE_URL: '', CREDIT_TOKEN: '' };

  test('chooses an engine by its name without a token, and its rules judge', async () => {
    const id = await engine('Só grandes');
    await place.write('named.rem', cnab(61));
    const words = ['credit', 'analyze', '--input', 'named.rem', '--engine', 'Só grandes'];
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

  test('of an engine that nobody has, or two have, ends with 1, lists them, and sends nothing', async () => {
    const ids = [await engine('Dois'), await engine('Dois')];
    await place.write('choice.rem', cnab(62));
    const choose = (name: string) =>
      run(['credit', 'analyze', '--input', 'choice.rem', '--engine', name, '--json'], noToken);
    const two = await choose('Dois');
    expect(two.code).toBe(1);
    const { error, status } = (JSON.parse(two.stdout) as ShownAnalysis).outcome;
    expect({ status, code: error?.code }).toEqual({ status: 'refused', code: 'engine_ambiguous' });
    for (const id of ids) expect(error?.message).toContain(id);
    expect(error?.message).not.toContain('Padrao');
    const none = await choose('Ninguém');
    expect(none.code).toBe(1);
    expect((JSON.parse(none.stdout) as ShownAnalysis).outcome).toMatchObject({
      status: 'refused',
      operationId: null,
      error: {
        code: 'engine_unknown',
        message: expect.stringContaining('no engine "Ninguém"; there are "Padrao"'),
      },
    });
    expect(place.uploads('choice.rem')).toEqual([]);

    // It is there by now: the same command asks anew.
    await engine('Ninguém');
    expect((await choose('Ninguém')).code).toBe(0);
    expect(place.uploads('choice.rem')).toHaveLength(1);
  }, 120_000);

  test('by the id of an engine and by its name buys once, whichever comes first', async () => {
    const id = await engine('Uma vez');
    const order = async (file: string, words: string[]): Promise<ShownAnalysis> => {
      const given = ['credit', 'analyze', '--input', file, '--engine', ...words, '--json'];
      const { code, stdout, stderr } = await run(given, noToken);
      expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
      return JSON.parse(stdout) as ShownAnalysis;
    };
    for (const [file, first, second] of [
      ['name-first.rem', ' Uma vez ', id],
      ['id-first.rem', id.toUpperCase(), 'Uma vez'],
    ] as const) {
      await place.write(file, cnab(64 + file.length));
      const bought = await order(file, [first]);
      const again = await order(file, [first.trim()]);
      expect(again.id).toBe(bought.id);
      const other = await order(file, [second]);
      expect(other.outcome.operationId).toBe(bought.outcome.operationId);
      expect(place.uploads(file)).toHaveLength(1);

      const anew = await order(file, [second, '--rerun']);
      expect(anew.outcome.operationId).not.toBe(bought.outcome.operationId);
      expect(place.uploads(file)).toHaveLength(2);
    }
  }, 120_000);

  test('ordered anew by a name gives up what was bought by the id, which it could not know of', async () => {
    const id = await engine('Outra vez');
    await place.write('anew.rem', cnab(91));
    const words = ['credit', 'analyze', '--input', 'anew.rem', '--json', '--engine'];
    expect((await run([...words, id], noToken)).code).toBe(0);
    expect((await run([...words, 'Outra vez', '--rerun'], noToken)).code).toBe(0);
    expect(place.uploads('anew.rem')).toHaveLength(2);
  }, 120_000);

  test('says by --dry-run what a name would order, with no worker and no service', async () => {
    await place.write('dry.rem', cnab(92));
    const words = ['credit', 'analyze', '--input', 'dry.rem', '--engine', 'Só grandes'];
    const { code, stdout } = await run([...words, '--dry-run'], noToken);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('request 1') });
    expect(place.uploads('dry.rem')).toEqual([]);
  }, 60_000);

  test('of a file that is refused goes with a reason, which is kept and told on the audit trail', async () => {
    await place.write('forced.rem', outOfSequence(63));
    expect((await place.analyze('forced.rem')).code).toBe(2);
    expect(place.uploads('forced.rem')).toEqual([]);
    const { code, shown } = await place.analyze(
      'forced.rem',
      '--force',
      'cut by the bank: ticket 7',
    );
    expect(code).toBe(0);
    const folder = shown?.id.replace(/^credit\//, 'analyses/') ?? '';
    const asked = await storeIn(place.folder).jobs.input(folder);
    expect(asked).toMatchObject({ forced: 'cut by the bank: ticket 7' });
    const { stdout } = await run(['audit', 'export']);
    const entries = stdout.split('\n').filter((line) => line.includes(`${shown?.id}/start`));
    expect(entries.join()).toMatch(/forced\W+true/);
    expect(stdout).not.toContain('ticket 7');
  }, 120_000);
});
