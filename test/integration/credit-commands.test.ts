import type { ScenarioInput } from '../../src/sandbox';
import { cnabFile } from '../support/cnab-files';
import {
  CreditInstallation,
  fileNameOf,
  type AnalyzeResult,
  type ShownAnalysis,
} from '../support/credit-installation';
import { eventually } from '../support/diligence-process';
import { tamperWith } from '../support/temporary-store';

/** Files are told apart by their names. A change of it begins the scripts of all files anew. */
const scenario: ScenarioInput = {
  credit: {
    analysis: { waitingMs: [10, 50], processingMs: [10, 100] },
    files: {
      'busy.rem': { upload: ['429', '503'] },
      'abandoned.rem': { upload: ['reset_after'] },
      'again.rem': { upload: ['reset_after'] },
      'odd.rem': { upload: ['reset_after'] },
      'long.rem': { result: [{ kind: 'not_ready', times: 'forever' }] },
      'twice.rem': { upload: ['reset_after'] },
      'going.rem': { upload: ['reset_after'], result: [{ kind: 'not_ready', times: 'forever' }] },
      'late.rem': { upload: ['reset_after'] },
    },
  },
};

/** They wait more than they work: all are begun at once, and each test awaits its own. */
const begunAtOnce: readonly (readonly [name: string, receivables: number, ...more: string[]])[] = [
  ['busy.rem', 60],
  ['abandoned.rem', 64],
  ['again.rem', 65],
  ['twice.rem', 77],
  ['going.rem', 78],
  ['late.rem', 79],
  ['odd.rem', 66],
  ['long.rem', 67, '--deadline', '5s'],
];

describe('commands of credit analyses', () => {
  let place: CreditInstallation;
  const ends = new Map<string, Promise<AnalyzeResult>>();

  beforeAll(async () => {
    place = await CreditInstallation.start({ scenario });
    await Promise.all(
      begunAtOnce.map(([name, receivables]) => place.write(name, cnab(receivables))),
    );
    for (const [name, , ...more] of begunAtOnce) ends.set(name, place.analyze(name, ...more));
  }, 60_000);
  afterAll(() => place.stop(), 60_000);

  const cnab = (receivables: number) => cnabFile({ bank: 'paulista', receivables });
  async function ended(name: string): Promise<AnalyzeResult> {
    const end = await ends.get(name);
    if (end === undefined) throw new Error(`${name} was not begun`);
    return end;
  }
  const run = (words: string[], env: Record<string, string> = {}) =>
    place.installation.run(words, env);

  test('an upload that is turned away goes again, with few events', async () => {
    const { code, shown } = await ended('busy.rem');
    expect({ code, status: shown?.outcome.status }).toEqual({ code: 0, status: 'completed' });
    expect(place.uploads('busy.rem').map(({ status }) => status)).toEqual([429, 503, 202]);
    const client = await place.installation.client();
    const workflowId = shown?.id.split('/').slice(0, 2).join('/') ?? '';
    const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
    expect(events?.length).toBeLessThan(40);
  }, 120_000);

  /** The analysis that went on after a decision. */
  const goneOn = async (stdout: string): Promise<ShownAnalysis> => {
    const { continuation } = JSON.parse(stdout) as { continuation: string };
    return JSON.parse((await run(['result', continuation, '--json'])).stdout) as ShownAnalysis;
  };

  describe('an unknown outcome', () => {
    const resolve = (id: string, ...words: string[]) =>
      run(['resolve', id, '--note', 'seen', '--json', ...words]);

    async function lost(name: string): Promise<string> {
      const { code, shown } = await ended(name);
      expect(code).toBe(3);
      return shown?.id ?? '';
    }

    test('is abandoned: nothing is sent, and the file may be bought again', async () => {
      const id = await lost('abandoned.rem');
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
      const id = await lost('again.rem');
      const { code, stdout } = await resolve(id, '--action', 'reissue');
      expect(code).toBe(0);
      const { outcome } = await goneOn(stdout);
      expect(outcome).toMatchObject({ status: 'completed', possibleDoubleCharge: true });
      expect(place.started('again.rem')).toBe(2);
    }, 120_000);

    test('is bought again once, however often that is said', async () => {
      const id = await lost('twice.rem');
      const first = await resolve(id, '--action', 'reissue');
      expect(first.code).toBe(0);
      const next = (await goneOn(first.stdout)).id;
      const second = await resolve(id, '--action', 'reissue');
      expect({ code: second.code, stderr: second.stderr }).toEqual({
        code: 1,
        stderr: expect.stringContaining('tester has resolved it already: reissue'),
      });
      expect((await place.analyze('twice.rem')).stderr).toContain(`${next}: ended`);
      expect(place.started('twice.rem')).toBe(2);
    }, 120_000);

    test('is not decided about while what was bought again is under way', async () => {
      const id = await lost('going.rem');
      const going = await run([
        'resolve',
        id,
        '--note',
        'seen',
        '--action',
        'reissue',
        '--detach',
        '--json',
      ]);
      const { continuation: next } = JSON.parse(going.stdout) as { continuation: string };
      await eventually('it was sent', () => place.started('going.rem') === 2);
      for (const action of ['reissue', 'abandon']) {
        expect(await resolve(id, '--action', action)).toMatchObject({
          code: 1,
          stderr: expect.stringContaining('tester has resolved it already: reissue'),
        });
      }
      place.sandbox.configure({ credit: { files: { 'going.rem': {} } } });
      const isCompleted = async () =>
        (await run(['show', next, '--json'])).stdout.includes('"completed"');
      await eventually('it completed', isCompleted);
      expect((await place.analyze('going.rem')).stderr).toContain(`${next}: ended`);
      expect(place.started('going.rem')).toBe(2);
    }, 120_000);

    test('whose answer came late is polled: it is not bought again', async () => {
      const id = await lost('late.rem');
      const { id: operationId = null } =
        place.sandbox.credit
          .received()
          .filter(({ method, parts }) => method === 'POST' && fileNameOf(parts) === 'late.rem')
          .at(-1) ?? {};
      // As a worker files it that was frozen, and given up, before it could.
      const [, name = ''] = id.split('/');
      await tamperWith(
        place.folder,
        `UPDATE attempt SET receipt = 'accepted', external_id = ? WHERE subject = ?`,
        operationId,
        `credit/${name}`,
      );
      const refused = { code: 1, stderr: expect.stringContaining(`operation ${operationId}`) };
      expect(await resolve(id, '--action', 'reissue')).toMatchObject(refused);
      expect(await place.analyze('late.rem', '--rerun')).toMatchObject(refused);
      const watched = await resolve(id, '--action', 'watch');
      expect(watched.code).toBe(0);
      expect((await goneOn(watched.stdout)).outcome).toMatchObject({
        status: 'completed',
        operationId,
      });
      expect(place.started('late.rem')).toBe(1);
    }, 120_000);

    test('is watched, which sends nothing; what makes no sense is refused', async () => {
      const id = await lost('odd.rem');
      const watched = await resolve(id, '--action', 'watch');
      expect(watched.code).toBe(3);
      expect((await goneOn(watched.stdout)).outcome.status).toBe('unknown_outcome');
      expect(place.uploads('odd.rem')).toHaveLength(1);
      expect((await resolve(id, '--action', 'adopt')).code).toBe(2);
      expect((await resolve(`credit/${'0'.repeat(32)}`, '--action', 'watch')).code).toBe(1);
    }, 120_000);
  });

  test('one that expired is watched to its end, and not sent again', async () => {
    const early = await ended('long.rem');
    expect(early).toMatchObject({ code: 3, shown: { outcome: { status: 'expired' } } });
    const id = early.shown?.id ?? '';
    place.sandbox.configure({ credit: { files: { 'long.rem': {} } } });
    const words = ['resolve', id, '--action', 'watch', '--note', 'late', '--json'];
    const { code, stdout } = await run(words);
    expect(code).toBe(0);
    expect((await goneOn(stdout)).outcome).toMatchObject({
      status: 'completed',
      operationId: early.shown?.outcome.operationId,
      possibleDoubleCharge: false,
    });
    expect(place.started('long.rem')).toBe(1);
  }, 120_000);
});
