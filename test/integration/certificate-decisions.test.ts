import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Installation, eventually, readSheetLines } from '../support/diligence-process';
import { cnpj, sheetOf } from '../support/documents';

const calm = { waitingMs: [20, 50], processingMs: [100, 400], distribution: 'uniform' } as const;

describe('what a person decides', () => {
  let place: Installation;
  const posts = (): number =>
    place.sandbox.received().filter(({ method }) => method === 'POST').length;
  const idOf = (stdout: string): string => (JSON.parse(stdout) as { id: string }).id;
  const sheet = (folder: string) => readSheetLines(join(place.folder, folder, 'results.csv'));

  beforeEach(async () => {
    place = await Installation.start({ issuance: calm } as never);
  }, 60_000);

  afterEach(() => place.stop(), 60_000);

  test('resolve sends an unknown row again, gives one up, adopts one, and keeps the record', async () => {
    const lost = { request: ['reset_after'] };
    place.sandbox.configure({
      documents: { [cnpj(1)]: lost, [cnpj(2)]: lost, [cnpj(3)]: lost },
    } as never);
    await place.startWorkerHere();
    await writeFile(join(place.folder, 'input.csv'), sheetOf(6));
    const args = ['--input', 'input.csv', '--out', 'out', '--json'];
    const batch = await place.run(['certificate', 'batch', ...args]);
    expect(batch.code).toBe(3);
    const id = idOf(batch.stdout);
    const resolve = (...words: string[]) =>
      place.run([
        'certificate',
        'resolve',
        '--batch',
        id,
        '--out',
        'out',
        '--note',
        'why',
        ...words,
      ]);

    const reissued = await resolve('--line', '2', '--action', 'reissue');
    const abandoned = await resolve('--line', '3', '--action', 'abandon');
    const another = (await sheet('out'))[3]?.certidao_id ?? '';
    expect(await resolve('--line', '4', '--action', 'adopt', '--certidao', another)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('on file for another row'),
    });
    const held = place.sandbox.state().certificates.find(({ document }) => document === cnpj(3));
    const certidao = String(held?.certificate['certidao_id']);
    const adopted = await resolve('--line', '4', '--action', 'adopt', '--certidao', certidao);
    expect([reissued.code, abandoned.code, adopted.code]).toEqual([3, 3, 0]);

    const lines = await sheet('out');
    expect(lines.map(({ status }) => status)).toEqual([
      'issued',
      'cancelled',
      'issued',
      'issued',
      'issued',
      'issued',
    ]);
    expect(lines[0]).toMatchObject({ attempts: '2', possible_double_charge: 'true' });
    expect(lines[1]?.note).toContain('abandoned by tester: why');
    expect(lines[2]).toMatchObject({ certidao_id: certidao, attempts: '1' });
    const refused = await resolve('--line', '5', '--action', 'reissue');
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('line 5 is issued') });
  }, 120_000);

  test('pause stops new requests, resume goes on, cancel brings home what is outstanding', async () => {
    await place.startWorkerHere({ CERTIFICATES_RPS: '40' });
    await writeFile(join(place.folder, 'input.csv'), sheetOf(200));
    const started = await place.run([
      'certificate',
      'batch',
      '--input',
      'input.csv',
      '--detach',
      '--json',
    ]);
    const id = idOf(started.stdout);
    await eventually('some rows are requested', () => posts() > 20);

    expect((await place.run(['pause', id])).code).toBe(0);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    const pausedAt = posts();
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(posts()).toBe(pausedAt);
    const again = await place.run(['pause', id]);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('paused already') });

    expect((await place.run(['resume', id])).code).toBe(0);
    await eventually('requests go on', () => posts() > pausedAt + 10);
    expect((await place.run(['cancel', id])).code).toBe(0);
    await eventually('the batch has ended', async () => {
      const { stdout } = await place.run(['status', id, '--json']);
      return (JSON.parse(stdout) as { state: string }).state === 'ended';
    });
    const result = await place.run(['result', id, '--out', 'out']);
    expect(result.code).toBe(0);
    const lines = await sheet('out');
    expect(lines).toHaveLength(200);
    const issued = lines.filter(({ status }) => status === 'issued').length;
    expect(issued).toBe(place.sandbox.counts().filter((count) => count.started === 1).length);
    expect(lines.filter(({ status }) => status === 'cancelled')).toHaveLength(200 - issued);
  }, 120_000);

  test('a single issuance tells how it is decided on, and resume of what is not paused says so', async () => {
    await place.startWorkerHere();
    place.sandbox.configure({ documents: { [cnpj(1)]: { request: ['reset_after'] } } } as never);
    const issue = ['certificate', 'issue', '--type', 'cnpj', '--document', cnpj(1)];
    const ended = await place.run(issue);
    expect(ended.code).toBe(3);
    const hint = /`certificate resolve --batch (certificate\/cnpj\/\w+)/.exec(ended.stdout);
    const decided = await place.run([
      'certificate',
      'resolve',
      '--batch',
      hint?.[1] ?? '',
      '--all',
      '--action',
      'abandon',
      '--note',
      'why',
    ]);
    expect(decided.code).toBe(0);

    await writeFile(join(place.folder, 'input.csv'), sheetOf(200));
    const batch = [
      'certificate',
      'batch',
      '--input',
      'input.csv',
      '--concurrency',
      '2',
      '--detach',
    ];
    const id = (await place.run(batch)).stdout.trim();
    expect((await place.run(['resume', id])).stdout).toMatch(/^it was not paused/);
    expect((await place.run(['cancel', id, '--now'])).code).toBe(0);
  }, 120_000);
});
