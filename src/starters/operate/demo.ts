import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, mkdir, readFile, rm } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { Command } from 'commander';
import { readEnvironment } from '../../environment';
import { languages, type Language } from '../../domain/job';
import { CommandError, UsageError } from '../jobs/errors';
import { exitCodes, oneOf, tell } from '../cli/terminal';

interface DemoFlags {
  input?: string;
  out: string;
  type?: string;
  lang?: Language;
}

/** The repository's own folder: examples lie beside `dist`. */
const home = join(__dirname, '..', '..', '..');

/** `diligence demo`: the whole of it in a minute, on the sandbox; or on the user's own service. */
export function demoCommand(): Command {
  return new Command('demo')
    .description('Issue a spreadsheet of certificates before your eyes, on the sandbox.')
    .option('--input <file>', 'your spreadsheet (default: examples/suppliers.csv)')
    .option('--type <type>', 'type of the certificates, for a spreadsheet without a column for it')
    .option('--out <folder>', 'result folder', 'out/demo')
    .option('--lang <language>', 'language of report.html: en or pt', oneOf(languages))
    .action(async (flags: DemoFlags) => {
      process.exitCode = await demo(flags);
    });
}

async function demo(flags: DemoFlags): Promise<number> {
  const own = readEnvironment().investigation !== null;
  const folder = resolve(flags.out);
  const input = flags.input ?? join(home, 'examples', 'suppliers.csv');
  if (!existsSync(input)) throw new UsageError(`--input: there is no file ${input}`);
  if (own && flags.input === undefined) {
    throw new UsageError(
      'INVESTIGATION_BASE_URL is set: give --input your spreadsheet, or unset it to see the demo on the sandbox (the numbers of the example are invented)',
    );
  }
  if (own) {
    tell(
      'INVESTIGATION_BASE_URL is set: this is your service, and it may charge for what it issues',
    );
    return runCommand(batchArguments(input, flags, folder), process.env);
  }
  await rm(folder, { recursive: true, force: true });
  // A new sandbox knows nothing of an old one's issuances, so each demo has a store of its own.
  await mkdir('data', { recursive: true, mode: 0o700 });
  const dataDir = await mkdtemp(resolve('data', 'demo-'));
  const env = { ...process.env, DILIGENCE_DATA_DIR: dataDir };
  const scenario = join(home, 'examples', 'scenarios', 'demo.json');
  const stop = await startEngine(env, scenario);
  try {
    tell('');
    tell(`$ diligence certificate batch --input ${relative(process.cwd(), input)}`);
    const code = await runCommand(batchArguments(input, flags, folder), env);
    if (code !== exitCodes.needsAttention) return code;
    const { batchId, unknown_outcome: unknown } = await summaryOf(folder);
    tell('');
    tell(
      'Exit code 3: every line has its outcome, and some of them need a person. Invalid lines are',
    );
    tell(
      'mended in the spreadsheet; an unknown outcome is a request whose answer was lost, which may',
    );
    tell('or may not have been accepted. Nothing sends it again by itself. Say we decide to:');
    if (unknown > 0) {
      const words = ['--status', 'unknown_outcome', '--action', 'reissue'];
      const decision = ['resolve', batchId, ...words, '--note', 'demo: the risk is accepted'];
      tell('');
      tell(
        `$ diligence ${decision.map((word) => (word.includes(' ') ? `"${word}"` : word)).join(' ')}`,
      );
      await runCommand(decision, env);
      tell('');
      tell(`$ diligence result ${batchId}`);
      await runCommand(['result', batchId, '--out', folder], env);
    }
    tell('');
    tell(`Open ${join(flags.out, 'report.html')} in a browser: what to show to others.`);
    tell(`The rows: ${join(flags.out, 'results.csv')}, the PDFs: ${join(flags.out, 'pdf')}.`);
    tell(
      'Your own: set INVESTIGATION_BASE_URL and INVESTIGATION_TOKEN, and give --input your file.',
    );
    return exitCodes.done;
  } finally {
    await stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

function batchArguments(input: string, { type, lang }: DemoFlags, folder: string): string[] {
  const types = type === undefined ? [] : ['--type', type];
  const language = lang === undefined ? [] : ['--lang', lang];
  return ['certificate', 'batch', '--input', input, ...types, '--out', folder, ...language];
}

/** Starts `dev` in this process's group and waits until it is ready. */
async function startEngine(env: NodeJS.ProcessEnv, scenario: string): Promise<() => Promise<void>> {
  const args = [process.argv[1] ?? '', 'dev', '--scenario', scenario, '--seed', '25'];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'inherit', 'pipe', 'ipc'] });
  const ended = once(child, 'exit');
  const ready = new Promise<void>((done) => {
    child.stderr?.on('data', (chunk: Buffer) => {
      process.stderr.write(chunk);
      if (chunk.toString().includes('ready\n')) done();
    });
  });
  await Promise.race([
    ready,
    ended.then(() => {
      throw new CommandError('the engine did not start');
    }),
  ]);
  return async () => {
    child.kill('SIGTERM');
    await ended;
  };
}

async function runCommand(args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn(process.execPath, [process.argv[1] ?? '', ...args], {
    env,
    stdio: 'inherit',
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? exitCodes.failed;
}

async function summaryOf(folder: string): Promise<{ batchId: string; unknown_outcome: number }> {
  const path = join(folder, 'summary.json');
  if (!existsSync(path)) throw new CommandError(`${path} is missing`);
  return JSON.parse(await readFile(path, 'utf8')) as { batchId: string; unknown_outcome: number };
}
