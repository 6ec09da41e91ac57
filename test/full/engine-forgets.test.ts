import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Installation, eventually, readSheetLines } from '../support/diligence-process';
import { cnpj, sheetOf } from '../support/documents';

const calm = { waitingMs: [20, 50], processingMs: [100, 300], distribution: 'uniform' } as const;
const slow = {
  waitingMs: [20, 50],
  processingMs: [3_000, 5_000],
  distribution: 'uniform',
} as const;

/** What the engine no longer holds: the store answers. */
describe('when the engine has forgotten', () => {
  let place: Installation;
  const posts = (): number =>
    place.sandbox.received().filter(({ method }) => method === 'POST').length;
  const batch = ['certificate', 'batch', '--input', 'input.csv', '--out', 'out'];
  const resolve = (id: string, ...words: string[]) =>
    place.run(['resolve', id, '--note', 'why', ...words]);
  const sheet = (folder: string) => readSheetLines(join(place.folder, folder, 'results.csv'));
  const json = async (...args: string[]) => {
    const { stdout } = await place.run([...args, '--json']);
    return JSON.parse(stdout) as Record<string, unknown>;
  };

  /** A server that knows nothing, in the place of the one that did the work. */
  async function forget(): Promise<void> {
    await place.server.stop();
    await place.restartServer(`server-${Date.now()}`);
  }

  async function open(issuance: object): Promise<void> {
    place = await Installation.startAlone({ issuance });
    await place.startWorker();
    await writeFile(join(place.folder, 'input.csv'), sheetOf(12));
  }

  afterEach(() => place.stop(), 60_000);

  test('list, status, result and resolve work on what has ended, decisions too', async () => {
    await open(calm);
    const lost = { request: ['reset_after'] };
    place.sandbox.configure({ documents: { [cnpj(1)]: lost, [cnpj(2)]: lost } } as never);
    const ended = await place.run([...batch, '--json']);
    const { id } = JSON.parse(ended.stdout) as { id: string };
    const single = ['certificate', 'issue', '--type', 'cnpj', '--document', cnpj(500)];
    expect((await place.run(single)).code).toBe(0);
    expect((await resolve(id, '--line', '2', '--action', 'abandon')).code).toBe(3);

    await forget();
    const { jobs } = await json('list');
    expect(jobs).toMatchObject([
      { id: `${id}/decision-1`, kind: 'decision', input: 'abandon of 1 row' },
      { kind: 'certificate', status: 'issued', needsAttention: false },
      { id, kind: 'certificate-batch', needsAttention: true },
    ]);
    const expected = { outcome: { counts: { issued: 10, cancelled: 1, unknown_outcome: 1 } } };
    expect(await json('show', id)).toMatchObject(expected);
    expect(await json('show', `${id}/decision-1`)).toMatchObject(expected);
    const [, alone] = jobs as { id: string }[];
    expect(await json('show', alone?.id ?? '')).toMatchObject({ status: 'issued' });
    expect((await place.run(['result', id, '--out', 'again'])).code).toBe(3);
    expect(await sheet('again')).toHaveLength(12);
    expect((await place.run(['result', alone?.id ?? '', '--out', 'alone'])).code).toBe(0);

    await place.startWorker();
    expect(await resolve(id, '--line', '3', '--action', 'reissue')).toMatchObject({ code: 0 });
    expect((await place.run(['result', id, '--out', 'out'])).code).toBe(0);
    expect((await sheet('out'))[1]).toMatchObject({
      status: 'issued',
      attempts: '2',
      possible_double_charge: 'true',
    });
    expect(await json('show', `${id}/decision-2`)).toMatchObject({ outcome: expect.any(Object) });
  }, 120_000);

  test('a batch that it lost half-way says so, and the same command brings it home', async () => {
    await open(slow);
    const id = (await place.run([...batch, '--detach'])).stdout.trim();
    await eventually('all are requested', () => posts() === 12);
    await forget();
    const lost = await place.run(['show', id]);
    expect(lost.stdout).toContain(`${id}: interrupted\n`);
    expect(lost.stdout).toContain('start the same command again to go on');
    const away = await place.run(['show', id, '--json'], { TEMPORAL_ADDRESS: '127.0.0.1:1' });
    expect(JSON.parse(away.stdout)).toMatchObject({ status: 'unknown' });
    expect(await json('list')).toMatchObject({ jobs: [{ id, status: null }] });
    const refused = await place.run(['pause', id]);
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('it is not running'),
    });
    const decided = await resolve(id, '--line', '2', '--action', 'reissue');
    expect(decided).toMatchObject({ code: 1, stderr: expect.stringContaining('has not ended') });

    await place.startWorker();
    expect((await place.run(batch)).code).toBe(0);
    expect((await sheet('out')).every(({ status }) => status === 'issued')).toBe(true);
    expect(place.sandbox.counts().every(({ started }) => started === 1)).toBe(true);
    expect(await json('show', id)).toMatchObject({ outcome: expect.any(Object) });
  }, 120_000);

  test('a single issuance that it lost goes on under its own id', async () => {
    await open(slow);
    const issue = ['certificate', 'issue', '--type', 'cnpj', '--document', cnpj(7)];
    const id = (await place.run([...issue, '--detach'])).stdout.trim();
    await eventually('it is requested', () => posts() === 1);
    await forget();
    expect(await json('show', id)).toMatchObject({ status: 'interrupted' });
    await place.startWorker();
    expect((await place.run(issue)).code).toBe(0);
    expect(posts()).toBe(1);
    expect((await json('list'))['jobs']).toMatchObject([{ kind: 'certificate', status: 'issued' }]);
  }, 120_000);

  test('a batch shows a decision that runs; the same one again is that one, and buys nothing', async () => {
    await open(calm);
    const lost = { request: ['reset_after'] };
    place.sandbox.configure({ documents: { [cnpj(1)]: lost } } as never);
    const ended = await place.run([...batch, '--json']);
    const { id } = JSON.parse(ended.stdout) as { id: string };
    place.sandbox.configure({ issuance: slow } as never);
    const reissue = ['--all', '--action', 'reissue', '--detach'];
    expect((await resolve(id, ...reissue)).code).toBe(0);
    expect(await json('show', id)).toMatchObject({
      outcome: { openDecisionIds: [`${id}/decision-1`] },
    });
    const second = await resolve(id, ...reissue);
    expect(second).toMatchObject({ code: 0, stderr: expect.stringContaining('/decision-1:') });
    await eventually('the decision has ended', async () => {
      const { outcome } = (await json('show', id)) as { outcome: { openDecisionIds: string[] } };
      return outcome.openDecisionIds.length === 0;
    });
    expect(await json('show', id)).toMatchObject({ outcome: { counts: { issued: 12 } } });
    expect(posts()).toBe(13);
  }, 120_000);

  test('a decision that it lost is given again, and buys nothing twice', async () => {
    await open(calm);
    const lost = { request: ['reset_after'] };
    place.sandbox.configure({ documents: { [cnpj(1)]: lost } } as never);
    const ended = await place.run([...batch, '--json']);
    const { id } = JSON.parse(ended.stdout) as { id: string };
    place.sandbox.configure({ issuance: slow } as never);
    const reissue = ['--all', '--action', 'reissue'];
    await resolve(id, ...reissue, '--detach');
    await eventually('it is sent again', () => posts() === 13);
    await forget();
    expect(await json('show', `${id}/decision-1`)).toMatchObject({ status: 'interrupted' });
    await place.startWorker();
    expect((await resolve(id, ...reissue)).code).toBe(0);
    expect(posts()).toBe(13);
    expect(await json('show', id)).toMatchObject({
      outcome: { counts: { issued: 12 }, openDecisionIds: [] },
    });
  }, 120_000);

  test('a batch that was terminated says so', async () => {
    await open(slow);
    const id = (await place.run([...batch, '--detach'])).stdout.trim();
    const client = await place.client();
    await client.workflow.getHandle(id).terminate('by hand');
    const status = await place.run(['show', id]);
    expect(status.stdout).toContain('it was interrupted: start the same command again');
    expect((await place.run(batch)).code).toBe(0);
    expect(place.sandbox.counts().every(({ started }) => started <= 1)).toBe(true);
  }, 120_000);
});
