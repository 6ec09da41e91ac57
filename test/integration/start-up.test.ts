import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const main = resolve('dist/main.js');
/** Prints what a command has loaded, by package, when it ends. */
const hook = `
process.on('exit', () => {
  const packageOf = (file) => /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(file)?.[1] ?? 'ours';
  process.stderr.write('loaded ' + JSON.stringify(Object.keys(require.cache).map(packageOf)) + '\\n');
});
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'diligence-start-'));
  writeFileSync(join(folder, 'hook.cjs'), hook);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function loadedBy(words: string[]): Map<string, number> {
  const script = 'node -r ./hook.cjs "$@" 2>&1 >/dev/null; true';
  const printed = execFileSync('sh', ['-c', script, 'sh', main, ...words], {
    cwd: folder,
    env: { PATH: process.env.PATH, DILIGENCE_DATA_DIR: join(folder, 'data') },
  });
  const [, list] = /^loaded (.*)$/m.exec(printed.toString()) ?? [];
  const loaded = new Map<string, number>();
  for (const name of JSON.parse(list ?? '[]') as string[])
    loaded.set(name, (loaded.get(name) ?? 0) + 1);
  return loaded;
}

/** What a start costs is what it loads: figures of processor time are in bench/RESULTS.md. */
describe('a command that needs no Temporal', () => {
  it.each(['list', 'show', 'inbox', 'cost'])('%s loads what it needs, and no SDK', (word) => {
    const loaded = loadedBy([word]);
    expect([...loaded.keys()].sort()).toEqual([
      '@photostructure/sqlite',
      '@temporalio/common',
      '@temporalio/envconfig',
      'commander',
      'ipaddr.js',
      'node-gyp-build',
      'ours',
      'smol-toml',
      'zod',
    ]);
    expect(loaded.get('@temporalio/common')).toBeLessThan(10);
    expect(loaded.get('ours')).toBeLessThan(130);
  });

  it('is told the version by almost nothing', () => {
    expect(Object.fromEntries(loadedBy(['--version']))).toEqual({
      commander: expect.any(Number) as number,
      ours: expect.any(Number) as number,
    });
    expect(loadedBy(['--version']).get('ours')).toBeLessThan(20);
  });
});

describe('.env of the working directory', () => {
  const file = (): string => join(folder, '.env');
  afterEach(() => rmSync(file(), { recursive: true }));

  function list(variables: Record<string, string> = {}): [code: number | null, printed: string] {
    const { status, stderr, stdout } = spawnSync(process.execPath, [main, 'list'], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, DILIGENCE_DATA_DIR: join(folder, 'data'), ...variables },
    });
    return [status, `${stdout}${stderr}`];
  }

  it('is read as editors write it, and what the process has already stands', () => {
    writeFileSync(file(), '\uFEFFDILIGENCE_LANG=pt\r\nCERTIFICATES_RPS="12" # a bound\r\n');
    expect(list()).toEqual([0, expect.stringContaining('nenhum')]);
    expect(list({ DILIGENCE_LANG: 'en' })).toEqual([0, expect.stringContaining('no such jobs')]);
    // An empty one is set too: `dev` keeps a service from its worker by it.
    expect(list({ DILIGENCE_LANG: '' })).toEqual([0, expect.stringContaining('no such jobs')]);
  });

  it('is an error when it cannot be read', () => {
    mkdirSync(file());
    expect(list()).toEqual([2, 'diligence: .env: cannot be read (EISDIR)\n']);
  });
});
