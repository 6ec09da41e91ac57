import { mkdtempSync, rmSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Command } from 'commander';
import { certificateCommand } from '../../../src/starters/certificates/commands';
import { investigateCommand } from '../../../src/starters/investigations/commands';
import { profileCommand } from '../../../src/starters/profiles/commands';
import { dossierCommand } from '../../../src/starters/dossiers/commands';
import { dossierIdOf } from '../../../src/starters/dossiers/request';
import { ProfileRepository } from '../../../src/store/profiles/profiles';
import { traceCommand } from '../../../src/starters/traces/commands';
import { TraceRepository } from '../../../src/store/traces/traces';
import { openContext } from '../../../src/starters/jobs/context';
import { jobCommands } from '../../../src/starters/job-commands';
import { cnpj } from '../../support/documents';
import { testPayloadKeys } from '../../support/temporary-store';

/** Commands that take one thing or a file of them, with flags that belong to the other form. */

const before = { ...process.env };
const stdin = Object.getOwnPropertyDescriptor(process, 'stdin') ?? {};
let folder: string;
let printed: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'diligence-forms-'));
  // Whatever wants to start something fails at once.
  process.env['TEMPORAL_ADDRESS'] = '127.0.0.1:1';
  process.env['DILIGENCE_DATA_DIR'] = join(folder, 'data');
  process.env['INVESTIGATION_BASE_URL'] = 'http://127.0.0.1:1/api/v1';
  process.env['INVESTIGATION_TOKEN'] = 't';
  process.env['DILIGENCE_PAYLOAD_KEYS'] = testPayloadKeys;
  printed = '';
  jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
});
afterEach(() => {
  jest.restoreAllMocks();
  process.env = { ...before };
  Object.defineProperty(process, 'stdin', stdin);
  process.exitCode = undefined;
  rmSync(folder, { recursive: true, force: true });
});

async function run(command: Command, ...words: string[]): Promise<void> {
  await command.exitOverride().parseAsync(words, { from: 'user' });
}

const lookup = ['lookup', '--cpf', '529.982.247-25'];
const search = ['search', '--target', 'bob@example.com'];

test.each([
  ['a lookup', profileCommand, lookup],
  ['a search', traceCommand, search],
])('--dry-run of %s tells what would be asked for, and puts nothing on file', async (...of) => {
  const [, command, words] = of;
  await run(command(), ...words, '--dry-run');
  expect(printed).toContain('would request 1, reuse 0');
  expect(printed).toContain('nothing was sent');
  const kept = await readdir(join(folder, 'data'), { recursive: true });
  expect(kept.filter((path) => /(profiles|traces)\//.test(path))).toEqual([]);
});

test.each([
  ['--column', profileCommand, lookup, ['cpf']],
  ['--sheet', profileCommand, lookup, ['1']],
  ['--concurrency', profileCommand, lookup, ['10']],
  ['--column', traceCommand, search, ['alvo']],
  ['--sheet', traceCommand, search, ['1']],
  ['--concurrency', traceCommand, search, ['20']],
  ['--excel', traceCommand, search, []],
  ['--excel', dossierCommand, ['follow', '0c8d5f0e-7d0a-4b8e-9a55-2f3c1d4e5f60'], []],
])('%s beside one thing is refused', async (flag, command, words, value) => {
  const refused = run(command(), ...words, flag, ...value);
  await expect(refused).rejects.toMatchObject({
    name: 'UsageError',
    message: expect.stringContaining(`${flag} does not go with`),
  });
});

test.each([
  ['a lookup', profileCommand, lookup],
  ['a search', traceCommand, search],
  ['a dossier is followed', dossierCommand, ['follow', '0c8d5f0e-7d0a-4b8e-9a55-2f3c1d4e5f60']],
])('--out that is a file is refused before any call: %s', async (...of) => {
  const [, command, words] = of;
  const out = join(folder, 'file');
  await writeFile(out, '');
  await expect(run(command(), ...words, '--out', out)).rejects.toMatchObject({
    name: 'UsageError',
    message: expect.stringContaining('is a file'),
  });
});

const uuid = '0c8d5f0e-7d0a-4b8e-9a55-2f3c1d4e5f60';
const inputs: [name: string, command: () => Command, words: string[], sheet: string][] = [
  ['certificate batch', certificateCommand, ['batch', '--type', 'cnpj'], `cnpj,x\n${cnpj(1)},a\n`],
  ['profile lookup', profileCommand, ['lookup'], 'cpf,x\n52998224725,a\n'],
  ['trace search', traceCommand, ['search'], 'email,x\nbob@example.com,a\n'],
  ['dossier follow', dossierCommand, ['follow'], `dossie,x\n${uuid},a\n`],
  ['investigate', investigateCommand, ['--plan', 'supplier'], `cnpj,x\n${cnpj(1)},a\n`],
];

test.each(inputs)('%s reads standard input, and the columns that it is told', async (...of) => {
  const [, command, words, sheet] = of;
  const read = (...flags: string[]): Promise<void> => {
    Object.defineProperty(process, 'stdin', { value: Readable.from([sheet]), configurable: true });
    const told = ['--input', '-', '--reference', 'x', '--excel', ...flags];
    return run(command(), ...words, ...told, '--dry-run');
  };
  await read();
  expect(printed).toContain('would request 1, reuse 0');
  await expect(read('--reference', 'nope')).rejects.toMatchObject({ name: 'SheetError' });
  await expect(read('--column', 'nope')).rejects.toMatchObject({ name: 'SheetError' });
});

function works(...words: string[]): Promise<void> {
  const [name, ...more] = words;
  const command = jobCommands().find((one) => one.name() === name);
  return run(command as Command, ...more);
}

test('jobs are listed newest first, whatever they are, below a heading', async () => {
  const place = await openContext(() => undefined);
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'setTimeout'] });
  const ids: string[] = [];
  for (const [at, cpf] of ['52998224725', '11144477735'].entries()) {
    jest.setSystemTime(Date.parse('2026-01-05T10:00:00.000Z') + at * 120_000);
    const name = place.idKey.nameOf('document', cpf);
    ids.unshift(
      (await new ProfileRepository(place.store).put(place, { cpf, name, retryRural: false })).jobId,
    );
    jest.setSystemTime(Date.parse('2026-01-05T10:01:00.000Z') + at * 120_000);
    const ask = { target: `bob${at}@example.com`, strategy: null };
    ids.unshift((await new TraceRepository(place.store).put(place, ask, { label: null })).jobId);
  }
  jest.useRealTimers();
  await works('list');
  const [heading, ...rows] = printed.split('\n').filter(Boolean);
  expect(heading?.split(/ {2,}/)).toEqual(['CREATED', 'KIND', 'STATUS', 'INPUT', 'ID']);
  expect(rows.map((line) => line.split(/ {2,}/).at(-1))).toEqual(ids);
});

test.each([
  ['result', '--excel'],
  ['result', '--pdf-names', 'reference'],
  ['cancel', '--cancel-remote'],
  ['pause'],
])('%s %s of a search is refused: it would change nothing', async (name, ...flags) => {
  const place = await openContext(() => undefined);
  const ask = { target: 'bob@example.com', strategy: null };
  const { jobId } = await new TraceRepository(place.store).put(place, ask, { label: null });
  await expect(works(name, jobId, ...flags)).rejects.toMatchObject({ name: 'UsageError' });
});

test('a dossier beside an input of them is refused', async () => {
  const words = ['follow', '0c8d5f0e-7d0a-4b8e-9a55-2f3c1d4e5f60', '--input', 'ids.csv'];
  await expect(run(dossierCommand(), ...words)).rejects.toMatchObject({ name: 'UsageError' });
});

test('the id of a dossier is one, however it is spelled', () => {
  const id = '0c8d5f0e-7d0a-4b8e-9a55-2f3c1d4e5f60';
  expect(dossierIdOf(` ${id.toUpperCase()}\n`)).toBe(id);
});

test('only what is followed has a deadline: a cancellation has a bound of its own', () => {
  const withDeadline = dossierCommand().commands.filter(({ options }) =>
    options.some(({ long }) => long === '--deadline'),
  );
  expect(withDeadline.map((command) => command.name())).toEqual(['follow', 'retry-failed']);
});
