import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ScenarioInput } from '../../src/sandbox';
import { Installation, readSheetLines } from '../support/diligence-process';
import { cnpj, sheetOf } from '../support/documents';

const calm: ScenarioInput['issuance'] = {
  waitingMs: [20, 50],
  processingMs: [100, 400],
  distribution: 'uniform',
};

describe('rows that a person decides about', () => {
  let place: Installation;
  const idOf = (stdout: string): string => (JSON.parse(stdout) as { id: string }).id;
  const sheet = (folder: string) => readSheetLines(join(place.folder, folder, 'results.csv'));

  beforeAll(async () => {
    place = await Installation.start({ issuance: calm }, { CERTIFICATES_RPS: '20' });
    await place.startWorkerHere();
  }, 60_000);

  beforeEach(() => place.sandbox.reset());
  afterAll(() => place.stop(), 60_000);

  test('resolve sends an unknown row again, gives one up, adopts one, and keeps the record', async () => {
    const lost = { request: ['reset_after'] };
    place.sandbox.configure({
      // Between rows that go well, for one that does opens the way again at once.
      documents: { [cnpj(1)]: lost, [cnpj(3)]: lost, [cnpj(5)]: lost },
    } as never);
    await writeFile(join(place.folder, 'input.csv'), sheetOf(6));
    const args = ['--input', 'input.csv', '--out', 'out', '--json'];
    const batch = await place.run(['certificate', 'batch', ...args]);
    expect(batch.code).toBe(3);
    const id = idOf(batch.stdout);
    const resolve = async (...words: string[]) => {
      const done = await place.run(['resolve', id, '--note', 'why', ...words]);
      await place.run(['result', id, '--out', 'out']);
      return done;
    };

    const reissued = await resolve('--line', '2', '--action', 'reissue');
    const abandoned = await resolve('--row', '2', '--action', 'abandon');
    const another = (await sheet('out'))[3]?.certidao_id ?? '';
    expect(
      await resolve('--line', '6', '--action', 'adopt', '--external-id', another),
    ).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('stored for another row'),
    });
    const mistyped = '3f2a9c51-0000-4000-8000-00000000abcd';
    expect(
      await resolve('--line', '6', '--action', 'adopt', '--external-id', mistyped),
    ).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(
        `line 6: unknown_outcome (adopt by tester refused: the service does not know ${mistyped})`,
      ),
    });
    const held = place.sandbox.state().certificates.find(({ document }) => document === cnpj(5));
    const certidao = String(held?.certificate['certidao_id']);
    const adopted = await resolve('--line', '6', '--action', 'adopt', '--external-id', certidao);
    expect([reissued.code, abandoned.code, adopted.code]).toEqual([3, 3, 0]);

    const lines = await sheet('out');
    expect(lines.map(({ status }) => status)).toEqual([
      'issued',
      'issued',
      'cancelled',
      'issued',
      'issued',
      'issued',
    ]);
    expect(lines[0]).toMatchObject({ attempts: '2', possible_double_charge: 'true' });
    expect(lines[2]?.note).toContain('abandoned by tester: why');
    expect(lines[4]).toMatchObject({ certidao_id: certidao, attempts: '1' });
    const refused = await resolve('--line', '5', '--action', 'reissue');
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('line 5 is issued') });
    // As one of two at once that comes when the other is carried out.
    expect(await resolve('--status', 'unknown_outcome', '--action', 'reissue')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('tester has resolved it already: adopt'),
    });
  }, 120_000);
});
