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
      run(['credit', 'analyze', '--input', 'choice.rem', '--engine', name], noToken);
    const two = await choose('Dois');
    expect(two.code).toBe(1);
    for (const id of ids) expect(two.stderr).toContain(id);
    expect(two.stderr).not.toContain('Padrao');
    const none = await choose('Ninguém');
    expect(none.code).toBe(1);
    expect(none.stderr).toContain('no engine "Ninguém"; there are "Padrao"');
    expect(place.uploads('choice.rem')).toEqual([]);
  }, 120_000);

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
