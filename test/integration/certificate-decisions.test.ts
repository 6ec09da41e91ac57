import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ScenarioInput } from '../../src/sandbox';
import { Installation, eventually, readSheetLines } from '../support/diligence-process';
import { cnpj, sheetOf } from '../support/documents';

/** At twenty a second, more than are asked for until the cancel. */
const pausedRows = 70;
const calm: ScenarioInput['issuance'] = {
  waitingMs: [20, 50],
  processingMs: [100, 400],
  distribution: 'uniform',
};

describe('what a person decides', () => {
  let place: Installation;
  const posts = (): number =>
    place.sandbox.received().filter(({ method }) => method === 'POST').length;
  const idOf = (stdout: string): string => (JSON.parse(stdout) as { id: string }).id;
  const sheet = (folder: string) => readSheetLines(join(place.folder, folder, 'results.csv'));

  beforeAll(async () => {
    place = await Installation.start({ issuance: calm }, { CERTIFICATES_RPS: '20' });
    await place.startWorkerHere();
  }, 60_000);

  beforeEach(() => place.sandbox.reset());
  afterAll(() => place.stop(), 60_000);

  test('pause stops new requests, resume goes on, cancel brings home what is outstanding', async () => {
    await writeFile(join(place.folder, 'paused.csv'), sheetOf(pausedRows, 1_000));
    const started = await place.run([
      'certificate',
      'batch',
      '--input',
      'paused.csv',
      '--detach',
      '--json',
    ]);
    const id = idOf(started.stdout);
    await eventually('some rows are requested', () => posts() > 10);

    expect((await place.run(['pause', id])).code).toBe(0);
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    const pausedAt = posts();
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(posts()).toBe(pausedAt);
    const again = await place.run(['pause', id]);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('paused already') });

    expect((await place.run(['resume', id])).code).toBe(0);
    await eventually('requests go on', () => posts() > pausedAt + 10);
    expect((await place.run(['cancel', id])).code).toBe(0);
    await (await place.client()).workflow.getHandle(id).result();
    const { stdout } = await place.run(['show', id, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ outcome: expect.any(Object) });
    const result = await place.run(['result', id, '--out', 'paused']);
    expect(result.code).toBe(0);
    const lines = await sheet('paused');
    expect(lines).toHaveLength(pausedRows);
    const issued = lines.filter(({ status }) => status === 'issued').length;
    expect(issued).toBe(place.sandbox.counts().filter((count) => count.started === 1).length);
    expect(lines.filter(({ status }) => status === 'cancelled')).toHaveLength(pausedRows - issued);
  }, 120_000);

  test('a single issuance tells how it is decided on, and resume of what is not paused says so', async () => {
    place.sandbox.configure({
      documents: { [cnpj(2_001)]: { request: ['reset_after'] } },
    } as never);
    const issue = ['certificate', 'issue', '--type', 'cnpj', '--document', cnpj(2_001)];
    const ended = await place.run(issue);
    expect(ended.code).toBe(3);
    const hint = /`resolve (certificate\/cnpj\/\w+\/\w+)/.exec(ended.stdout);
    const decided = await place.run([
      'resolve',
      hint?.[1] ?? '',
      '--all',
      '--action',
      'abandon',
      '--note',
      'why',
    ]);
    expect(decided.code).toBe(0);

    await writeFile(join(place.folder, 'running.csv'), sheetOf(100, 3_000));
    const batch = [
      'certificate',
      'batch',
      '--input',
      'running.csv',
      '--concurrency',
      '2',
      '--detach',
    ];
    const id = (await place.run(batch)).stdout.trim();
    expect((await place.run(['resume', id])).stdout).toMatch(/^it was not paused/);
    expect((await place.run(['cancel', id, '--now'])).code).toBe(0);
  }, 120_000);
});
