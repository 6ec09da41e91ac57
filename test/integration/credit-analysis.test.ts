import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ScenarioInput } from '../../src/sandbox';
import { cnabFile } from '../support/cnab-files';
import { Installation, creditSettings } from '../support/diligence-process';

/** A file of its own for each test: the scenario tells them apart by their names. */
const scenario: ScenarioInput = {
  credit: {
    files: {
      'lost.rem': { upload: ['reset_after'] },
      'failing.rem': { end: 'failed' },
      'odd.rem': { result: [{ kind: 'wrong_summary', times: 'forever' }] },
      'cut.rem': { result: ['cut_answer', 'ok', '503'] },
    },
  },
};

interface Shown {
  id: string;
  exitCode: number;
  folder: string | null;
  outcome: { status: string; operationId: string | null; result: { contradictions: string[] } };
}

describe('credit analyze', () => {
  let installation: Installation;

  beforeAll(async () => {
    installation = await Installation.start(scenario, creditSettings);
    await installation.startWorkerHere();
  }, 60_000);
  afterAll(() => installation.stop(), 60_000);

  /** Another number of receivables makes another file. */
  async function fileOf(name: string, receivables: number): Promise<Buffer> {
    const bytes = cnabFile({ bank: 'paulista', receivables });
    await writeFile(join(installation.folder, name), bytes);
    return bytes;
  }

  const startedOf = (fileName: string) =>
    installation.sandbox.credit.counts().find((one) => one.fileName === fileName)?.started;

  async function analyze(name: string, ...more: string[]) {
    const words = ['credit', 'analyze', '--input', name, '--json', '--out', `out-${name}`, ...more];
    const { code, stdout, stderr } = await installation.run(words);
    return { code, stderr, shown: stdout === '' ? null : (JSON.parse(stdout) as Shown) };
  }

  test('what is sent is the file, byte for byte, and what comes back is written out', async () => {
    const bytes = await fileOf('good.rem', 40);
    const { code, shown, stderr } = await analyze('good.rem');
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    expect(shown?.outcome).toMatchObject({ status: 'completed', result: { contradictions: [] } });
    expect(shown).toMatchObject({ requests: { requested: 1, reused: 0 } });
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect(installation.sandbox.credit.counts()).toContainEqual(
      expect.objectContaining({ fileName: 'good.rem', fileSha256: sha256, started: 1 }),
    );
    const read = (name: string) => readFile(join(shown?.folder ?? '', name), 'utf8');
    const tree = JSON.parse(await read('result.json')) as { summary: { totalTitulos: number } };
    expect(tree.summary.totalTitulos).toBe(40);
    expect((await read('titulos.csv')).trimEnd().split('\n')).toHaveLength(41);
    expect(await read('issues.csv')).toMatch(/^level,id,name,rule_id/);
    expect(await read('report.html')).toContain('Credit analysis');
  }, 120_000);

  test('what was analysed is not bought again unless a person asks for it', async () => {
    const again = await analyze('good.rem');
    expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('--rerun') });
    expect(startedOf('good.rem')).toBe(1);
    const id = again.shown?.id ?? '';
    const shown = await installation.run(['result', id, '--out', 'again']);
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining('completed') });
    expect((await analyze('good.rem', '--rerun')).shown?.outcome.status).toBe('completed');
    expect(startedOf('good.rem')).toBe(2);
  }, 120_000);

  test('a lost answer is an unknown outcome, until a person names the operation', async () => {
    await fileOf('lost.rem', 41);
    const lost = await analyze('lost.rem');
    expect(lost).toMatchObject({ code: 3, shown: { outcome: { status: 'unknown_outcome' } } });
    const { code, shown } = await analyze('lost.rem');
    expect({ code, shown }).toEqual({ code: 3, shown: lost.shown });
    expect(startedOf('lost.rem')).toBe(1);
    const { id: operationId } =
      installation.sandbox.credit.received().find(({ fault }) => fault === 'reset_after') ?? {};
    const adopted = await installation.run([
      'resolve',
      lost.shown?.id ?? '',
      '--action',
      'adopt',
      '--note',
      'told by the service',
      '--external-id',
      operationId ?? '',
      '--json',
    ]);
    expect(adopted.code).toBe(0);
    const { continuation } = JSON.parse(adopted.stdout) as { continuation: string };
    const next = await installation.run(['result', continuation, '--json']);
    expect((JSON.parse(next.stdout) as Shown).outcome).toMatchObject({
      status: 'completed',
      operationId,
    });
    expect(startedOf('lost.rem')).toBe(1);
  }, 120_000);

  test('an operation that fails, and a tree that contradicts itself, are told', async () => {
    await fileOf('failing.rem', 42);
    const failed = await analyze('failing.rem');
    expect(failed).toMatchObject({ code: 1, shown: { outcome: { status: 'failed' } } });
    await fileOf('odd.rem', 43);
    const odd = await analyze('odd.rem');
    expect(odd).toMatchObject({ code: 0, shown: { outcome: { status: 'completed' } } });
    expect(odd.shown?.outcome.result.contradictions).not.toEqual([]);
  }, 120_000);

  test('a result that is cut short is fetched again, and never kept', async () => {
    await fileOf('cut.rem', 44);
    const { shown } = await analyze('cut.rem');
    expect(shown?.outcome).toMatchObject({ status: 'completed', result: { contradictions: [] } });
  }, 120_000);

  test('what the scan refuses is not sent', async () => {
    const before = installation.sandbox.credit.received().length;
    await writeFile(join(installation.folder, 'empty.rem'), '');
    expect((await analyze('empty.rem')).code).toBe(2);
    expect(installation.sandbox.credit.received()).toHaveLength(before);
  }, 60_000);
});
