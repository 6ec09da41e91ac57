import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ScenarioInput } from '../../src/sandbox';
import { postsOf } from '../support/batch-account';
import { eventually, Installation, readSheetLines } from '../support/diligence-process';
import { cnpj, sheetOf } from '../support/documents';

const calm: ScenarioInput['issuance'] = {
  waitingMs: [20, 50],
  processingMs: [50, 100],
  distribution: 'uniform',
};

jest.setTimeout(120_000);

interface Listed {
  jobs: {
    id: string;
    kind: string;
    status: string;
    waitsFor: string | null;
    budget: object | null;
    why: string;
    actions: object[];
  }[];
}

describe('what needs a person', () => {
  let place: Installation;
  const inbox = async (...words: string[]): Promise<Listed['jobs']> =>
    (JSON.parse((await place.run(['inbox', '--json', ...words])).stdout) as Listed).jobs;
  const resolve = (id: string, by: string, ...words: string[]) =>
    place.run(['resolve', id, '--note', 'why', '--by', by, '--json', ...words]);

  beforeAll(async () => {
    place = await Installation.start({ issuance: calm }, { CERTIFICATES_RPS: '20' });
    await place.startWorkerHere();
  }, 60_000);
  beforeEach(() => place.sandbox.reset());
  afterAll(() => place.stop(), 60_000);

  async function batchWithLostRow(name: string): Promise<string> {
    const document = cnpj(101);
    place.sandbox.configure({ documents: { [document]: { request: ['reset_after'] } } } as never);
    await writeFile(join(place.folder, name), sheetOf(4, 100));
    const words = ['certificate', 'batch', '--input', name, '--label', name, '--json'];
    const { code, stdout } = await place.run(words);
    expect(code).toBe(3);
    return (JSON.parse(stdout) as { id: string }).id;
  }

  test('is in the inbox until a person has decided; of two at once one stands', async () => {
    const id = await batchWithLostRow('two.csv');
    expect(await inbox('--kind', 'certificate-batch')).toMatchObject([
      { id, status: 'unknown_outcome', waitsFor: null },
    ]);
    const shown = await place.run(['inbox', 'show', id]);
    const rows = ['--status', 'unknown_outcome'];
    expect(shown.stdout).toContain(`diligence resolve ${id} ${rows.join(' ')} --action watch`);
    const both = await Promise.all([
      resolve(id, 'ana', ...rows, '--action', 'abandon'),
      resolve(id, 'rui', ...rows, '--action', 'reissue'),
    ]);
    const [stands, refused] = both.sort((a, b) => Number(a.code) - Number(b.code));
    expect(stands?.code).toBe(0);
    expect(refused).toMatchObject({ code: 1 });
    expect(refused?.stderr).toMatch(
      /(?:ana|rui) has resolved it already: (?:abandon|reissue), at 20/,
    );
    expect(await inbox()).toEqual([]);
    const result = await place.run(['result', id, '--out', 'two']);
    expect(result.code).toBe(0);
  });

  test('a batch waits there once as many rows are unknown as may be, and goes on when told to', async () => {
    const lost = [401, 404, 407].map((n) => [cnpj(n), { request: ['reset_after'] }]);
    place.sandbox.configure({ documents: Object.fromEntries(lost) });
    await writeFile(join(place.folder, 'lost.csv'), sheetOf(9, 400));
    const few = ['--max-unknown', '2', '--concurrency', '1', '--label', 'lost'];
    const words = ['certificate', 'batch', '--input', 'lost.csv', ...few, '--json'];
    const command = place.run(words);
    await eventually('it is in the inbox', async () => (await inbox()).length === 1);
    const [waiting] = await inbox();
    expect(waiting).toMatchObject({ status: 'waiting', waitsFor: 'unknown', actions: [] });
    expect(waiting?.why).toMatch(/^2 rows are unknown: .*`diligence resume`/);
    expect(postsOf(place.sandbox).length).toBeLessThan(9);
    const soFar = await place.run(['result', waiting?.id ?? '', '--out', 'so-far']);
    expect(soFar).toMatchObject({
      code: 3,
      stdout: expect.stringMatching(/\nnot ended: .*so-far/),
    });
    const standing = await readSheetLines(join(place.folder, 'so-far', 'results.csv'));
    const open = standing.filter(({ status }) => status === 'open').length;
    // One may have been requested, and not settled.
    expect([9, 10]).toContain(open + postsOf(place.sandbox).length);
    const summary = await readFile(join(place.folder, 'so-far', 'summary.json'), 'utf8');
    const counts = { issued: 7 - open, open, unknown_outcome: 2 };
    expect(JSON.parse(summary)).toMatchObject({ ended: false, total: 9, counts });
    const resumed = await place.run(['resume', waiting?.id ?? '']);
    expect(resumed.stdout).toContain('until 2 more rows are unknown');
    const { code, stdout } = await command;
    expect(code).toBe(3);
    const { outcome } = JSON.parse(stdout) as { outcome: { counts: object } };
    expect(outcome.counts).toMatchObject({ issued: 6, unknown_outcome: 3 });
    await resolve(waiting?.id ?? '', 'ana', '--status', 'unknown_outcome', '--action', 'abandon');
  });

  test('a batch waits there once its budget is spent, and resume lets as many be requested again', async () => {
    await writeFile(join(place.folder, 'budget.csv'), sheetOf(7, 500));
    const few = ['--budget', '3', '--lane-rows', '3', '--label', 'budget'];
    const command = place.run(['certificate', 'batch', '--input', 'budget.csv', ...few, '--json']);
    for (const [made, left] of [
      [3, 4],
      [6, 1],
    ] as const) {
      const words = `${made} of ${made} requests made; the rest takes at most ${left}`;
      const isWaiting = (job: { why: string }): boolean => job.why.startsWith(words);
      await eventually('it is in the inbox', async () => (await inbox()).some(isWaiting));
      const [waiting] = await inbox();
      const budget = { made, allowed: made, rest: left };
      expect(waiting).toMatchObject({ status: 'waiting', waitsFor: 'budget', actions: [], budget });
      const shown = await place.run(['show', waiting?.id ?? '', '--json']);
      expect(JSON.parse(shown.stdout)).toMatchObject({ progress: { waiting: { budget } } });
      expect((await place.run(['show', waiting?.id ?? ''])).stdout).toContain(words);
      expect(postsOf(place.sandbox)).toHaveLength(made);
      const resumed = await place.run(['resume', waiting?.id ?? '']);
      expect(resumed.stdout).toContain('3 more requests may be made');
    }
    expect((await command).code).toBe(0);
    expect(postsOf(place.sandbox)).toHaveLength(7);
    expect(await inbox()).toEqual([]);
  });

  test('so does a batch of searches, and what is asked beyond its budget is asked once a person says so', async () => {
    const quick: [number, number] = [0, 0];
    const targets = { '*': { waitingMs: quick, processingMs: quick } };
    place.sandbox.configure({ traces: { targets } });
    const alvos = [1, 2, 3, 4, 5].map((n) => `budget${n}@example.com`);
    await writeFile(join(place.folder, 'alvos.csv'), `alvo\n${alvos.join('\n')}\n`);
    const words = ['trace', 'search', '--input', 'alvos.csv', '--json'];
    const command = place.run([...words, '--budget', '3']);
    await eventually('it is in the inbox', async () => (await inbox()).length === 1);
    const [waiting] = await inbox();
    const budget = { made: 3, allowed: 3, rest: 2 };
    expect(waiting).toMatchObject({ kind: 'trace-batch', waitsFor: 'budget', budget });
    const asked = (): number => place.sandbox.traces.counts().items.length;
    await eventually('what it covers is asked for', () => asked() === 3);
    const other = await place.run([...words, '--budget', '9']);
    expect(other).toMatchObject({ code: 2 });
    const resumed = await place.run(['resume', waiting?.id ?? '']);
    expect(resumed.stdout).toContain('3 more requests may be made');
    expect((await command).code).toBe(0);
    expect(asked()).toBe(5);
    expect(await inbox()).toEqual([]);
  });

  test('is acknowledged once, with no engine asked', async () => {
    await writeFile(join(place.folder, 'invalid.csv'), 'documento\n123\n11222333000181\n');
    const words = ['certificate', 'batch', '--input', 'invalid.csv', '--type', 'cnpj', '--json'];
    const { code, stderr, stdout } = await place.run(words);
    expect(code).toBe(3);
    expect(stderr).toContain('line 2: invalid (wrong_length)');
    const { id } = JSON.parse(stdout) as { id: string };
    expect((await inbox()).map((job) => job.id)).toEqual([id]);
    const both = await Promise.all(
      ['ana', 'rui'].map((by) => resolve(id, by, '--action', 'acknowledge')),
    );
    expect(both.map((one) => one.code).toSorted((a, b) => Number(a) - Number(b))).toEqual([0, 1]);
    expect(await inbox()).toEqual([]);
    expect(await resolve(id, 'eva', '--action', 'acknowledge')).toMatchObject({ code: 1 });
  });

  test('what waits for a token that works is there while it waits', async () => {
    const refused = { request: Array.from({ length: 3 }, () => '401') };
    place.sandbox.configure({ documents: { [cnpj(301)]: refused } } as never);
    const started = await place.run([
      'certificate',
      'issue',
      '--type',
      'cnpj',
      '--document',
      cnpj(301),
      '--detach',
    ]);
    expect(started.code).toBe(0);
    await eventually('it is in the inbox', async () => (await inbox()).length === 1);
    expect(await inbox()).toMatchObject([
      { kind: 'certificate', status: 'waiting', waitsFor: 'credentials', actions: [] },
    ]);
    await eventually('it goes on', async () => (await inbox()).length === 0);
  });
});
