import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { creditCommand } from '../../../src/starters/credit/commands';
import { preparedInput } from '../../../src/starters/credit/input';
import { UsageError } from '../../../src/starters/jobs/errors';
import { openContext } from '../../../src/starters/jobs/context';
import { writeEngineRecord } from '../../../src/temporal/engine-record';
import { goodZip } from '../../support/bad-inputs';
import { cnabFile, testReceivable } from '../../support/cnab-files';

/** What a command says before anything is sent: no engine is needed for it. */

const before = { cwd: process.cwd(), env: process.env };
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'diligence-credit-batch-'));
  process.chdir(folder);
  process.env = { PATH: before.env['PATH'], DILIGENCE_DATA_DIR: join(folder, 'data') };
  await mkdir('lot');
});
afterEach(async () => {
  process.chdir(before.cwd);
  process.env = before.env;
  process.exitCode = undefined;
  jest.restoreAllMocks();
  await rm(folder, { recursive: true });
});

interface Ended {
  error: unknown;
  stdout: string;
  stderr: string;
}

const run = (...words: string[]): Promise<Ended> =>
  told(() => creditCommand().parseAsync(words, { from: 'user' }));

async function told(work: () => Promise<unknown>): Promise<Ended> {
  const written = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    jest.spyOn(process[stream], 'write').mockImplementation((text) => {
      written[stream] += String(text);
      return true;
    });
  }
  const error = await work().then(
    () => null,
    (reason: unknown) => reason,
  );
  return { error, ...written };
}

/** Refused: the third line has the number of another. */
function outOfSequence(): Buffer {
  const bytes = cnabFile({ receivables: 3 });
  bytes.write('000099', 2 * 401 + 394, 'latin1');
  return bytes;
}

/** May be sent: its payer has a wrong check digit. */
const warned = () => cnabFile({ receivables: [{ ...testReceivable(0), payer: '12345678000100' }] });

describe('a folder of files that are all refused', () => {
  interface Shown {
    id: string;
    exitCode: number;
    folder: string;
    outcome: { counts: object; problems: { line: number; status: string; message: string }[] };
  }

  test('tells each with where it is refused, a ZIP without its file too, and sends nothing', async () => {
    await writeFile('lot/cut.rem', outOfSequence());
    await writeFile('lot/LOTE-9.zip', goodZip);
    const { error, stdout, stderr } = await run('analyze', '--input', 'lot', '--json');
    expect({ error, code: process.exitCode }).toEqual({ error: null, code: 3 });
    const shown = JSON.parse(stdout) as Shown;
    expect(shown).toMatchObject({ needsAttention: true, outcome: { counts: { invalid: 2 } } });
    expect(shown.outcome.problems).toMatchObject([
      { line: 2, status: 'invalid', message: expect.stringContaining('(line 3: sequence)') },
      { line: 3, status: 'invalid', message: 'no .rem of this name' },
    ]);
    expect(stderr).toContain('LOTE-9.zip: no .rem of this name; not sent');
    const sheet = await readFile(join(shown.folder, 'results.csv'), 'utf8');
    expect(sheet).toContain('LOTE-9.zip,invalid');
    jest.restoreAllMocks();
    const again = JSON.parse((await run('analyze', '--input', 'lot', '--json')).stdout) as Shown;
    expect(again).toEqual(shown);
  });

  test('says one line of a file that may be sent, and all of one that is refused', async () => {
    await writeFile('lot/cut.rem', outOfSequence());
    await writeFile('lot/good.rem', warned());
    const lines: string[] = [];
    const place = await openContext((line) => lines.push(line));
    const { error } = await told(async () => {
      for (const cnab of ['lot/good.rem', 'lot/cut.rem']) {
        await preparedInput(place, { cnab }, null, 'briefly');
      }
    });
    expect(error).toBeInstanceOf(UsageError);
    const good = lines.filter((line) => line.startsWith('lot/good.rem'));
    expect(good).toEqual([
      expect.stringMatching(/1 receivable, .*; warnings: payer_document \(1\)/),
    ]);
    expect(lines.join('\n')).toMatch(/lot\/cut\.rem: line 3, .*refused unless forced \(sequence\)/);
  });
});

test.each([
  [['--input', 'lot/good.rem', '--concurrency', '2']],
  [['--input', 'lot', '--xmls', 'lot/good.zip']],
])('flags of the other form are refused: %j', async (words) => {
  expect((await run('analyze', ...words)).error).toBeInstanceOf(UsageError);
});

describe('a result folder that cannot be written', () => {
  test.each([
    ['of a folder', ['--input', 'lot']],
    ['of a file', ['--input', 'lot/good.rem']],
    ['of a dry run', ['--input', 'lot/good.rem', '--dry-run']],
  ])('is told by an analysis %s before anything is sent', async (_, words) => {
    await writeFile('lot/good.rem', cnabFile({ receivables: 1 }));
    await writeFile('taken', 'a file');
    const { error } = await run('analyze', ...words, '--out', 'taken/below');
    expect(error).toBeInstanceOf(UsageError);
    expect(String(error)).toMatch(/--out: taken\/below cannot be written \(.* is a file\)/);
  });
});

test('says of what is forced that it is sent although refused, and why', async () => {
  await writeFile('lot/cut.rem', outOfSequence());
  const words = ['--input', 'lot/cut.rem', '--force', 'the bank knows', '--dry-run'];
  const { stderr } = await run('analyze', ...words);
  expect(stderr).toContain('Sent although refused: the bank knows');
  expect(stderr).not.toContain('will not be sent');
});

test('a command is refused whose credit service is not that of the engine that runs', async () => {
  const data = join(folder, 'data');
  await writeEngineRecord(data, {
    pid: process.pid,
    address: '127.0.0.1:1',
    namespace: 'default',
    uiUrl: null,
    sandboxUrl: 'http://127.0.0.1:2',
    investigationBaseUrl: 'http://127.0.0.1:2/api/v1',
    creditBaseUrl: 'http://127.0.0.1:2/credit',
  });
  Object.assign(process.env, { CREDIT_BASE_URL: 'http://127.0.0.1:3/v1', CREDIT_TOKEN: 't' });
  await writeFile('lot/good.rem', cnabFile({ receivables: 1 }));
  const { error } = await run('analyze', '--input', 'lot/good.rem');
  expect(error).toMatchObject({ name: 'ConfigError', variable: 'CREDIT_BASE_URL' });
});
