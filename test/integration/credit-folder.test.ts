import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cnabFile } from '../support/cnab-files';
import { sheetRows } from '../support/credit-installation';
import { Installation, creditSettings } from '../support/diligence-process';

describe('an analysis of a folder', () => {
  let installation: Installation;

  beforeAll(async () => {
    installation = await Installation.start({}, creditSettings);
    await installation.startWorkerHere();
  }, 60_000);
  afterAll(() => installation.stop(), 60_000);

  const startedOf = (fileName: string) =>
    installation.sandbox.credit.counts().find((one) => one.fileName === fileName)?.started;

  test('a folder is analysed file by file, and run again it goes on', async () => {
    const folder = join(installation.folder, 'files');
    await mkdir(folder);
    for (const receivables of [51, 52, 53]) {
      const bytes = cnabFile({ bank: 'paulista', receivables });
      await writeFile(join(folder, `f${receivables}.rem`), bytes);
    }
    await writeFile(join(folder, 'f54.REM'), '');
    const words = ['credit', 'analyze', '--input', 'files', '--concurrency', '2', '--json'];
    const sheets: string[] = [];
    for (let time = 1; time <= 2; time += 1) {
      const { code, stdout } = await installation.run(words);
      expect(code).toBe(3);
      const { folder: out } = JSON.parse(stdout) as { folder: string };
      sheets.push(join(out, 'f52', 'titulos.csv'));
      expect(await sheetRows(out, 'results.csv')).toMatchObject([
        { asked: 'f51.rem', status: 'completed' },
        { asked: 'f52.rem', status: 'completed' },
        { asked: 'f53.rem', status: 'completed' },
        {
          asked: 'f54.REM',
          status: 'invalid',
          error_message: expect.stringContaining('f54.REM'),
        },
      ]);
    }
    for (const name of ['f51.rem', 'f52.rem', 'f53.rem']) expect(startedOf(name)).toBe(1);
    for (const sheet of sheets) {
      expect((await readFile(sheet, 'utf8')).trimEnd().split('\n')).toHaveLength(53);
    }
  }, 120_000);
});
