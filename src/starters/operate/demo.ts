import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, mkdir, readFile, rm } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { Command } from 'commander';
import { readEnvironment } from '../../environment';
import { languages, type Language } from '../../domain/job';
import { CommandError, inEnglish, UsageError } from '../jobs/errors';
import { exitCodes, oneOf, print, printNote } from '../cli/terminal';
import { assignor, investigations, sweep } from './demo-story';

interface DemoFlags {
  input?: string;
  out: string;
  type?: string;
  lang?: Language;
}

/** The repository's root: examples are beside `dist`. */
const home = join(__dirname, '..', '..', '..');

/** `diligence demo`: a tour of two minutes on the sandbox; or a spreadsheet on the user's own service. */
export function demoCommand(): Command {
  return new Command('demo')
    .description(
      'A spreadsheet of suppliers, three investigations and a sweep before your eyes, on the sandbox.',
    )
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
  const input = flags.input ?? join(home, 'examples', 'suppliers.csv');
  if (!existsSync(input)) throw new UsageError(inEnglish(`--input: there is no file ${input}`));
  if (own && flags.input === undefined) {
    throw new UsageError(
      inEnglish(
        'INVESTIGATION_BASE_URL is set: give --input your spreadsheet, or unset it to see the demo on the sandbox (the numbers of the example are invented)',
      ),
    );
  }
  if (own) {
    printNote(
      'INVESTIGATION_BASE_URL is set: this is your service, and it may charge for what it issues',
    );
    return runCommand(batchArguments(input, flags, resolve(flags.out)), process.env);
  }
  await rm(resolve(flags.out), { recursive: true, force: true });
  // A new sandbox does not know an old one's issuances, so each demo has its own store.
  await mkdir('data', { recursive: true, mode: 0o700 });
  const dataDir = await mkdtemp(resolve('data', 'demo-'));
  const env = { ...process.env, DILIGENCE_DATA_DIR: dataDir };
  printNote('Starting Temporal, a worker and a sandbox of the services: nothing real is sent.');
  const stop = await startEngine(env, join(home, 'examples', 'scenarios', 'demo.json'));
  try {
    await issueSuppliers(input, flags, env);
    await investigate(flags.out, env);
    await sweepMonitors(env);
    printPaths(flags.out);
    return exitCodes.done;
  } finally {
    await stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

type Env = NodeJS.ProcessEnv;

async function issueSuppliers(input: string, flags: DemoFlags, env: Env): Promise<void> {
  const folder = join(flags.out, 'suppliers');
  heading('1. A spreadsheet of suppliers, some of them at fault, at a service that loses answers');
  await showCommand(batchArguments(relative(process.cwd(), input), flags, folder), env, [3]);
  const { batchId, unknown_outcome: unknown } = await summaryOf(folder);
  if (unknown === 0) return;
  printNote('');
  printNote(
    'Exit code 3: every line has its outcome, and some need a person. An unknown outcome is a',
  );
  printNote('request whose answer was lost: nothing sends it again by itself. We decide to:');
  const rows = ['--status', 'unknown_outcome', '--action', 'reissue'];
  await showCommand(['resolve', batchId, ...rows, '--note', 'the risk is accepted'], env, [3]);
  await showCommand(['result', batchId, '--out', folder], env, [3]);
}

async function investigate(out: string, env: Env): Promise<void> {
  const commands = { examples: relative(process.cwd(), join(home, 'examples')), out };
  heading('2. Three investigations: everything that a plan asks about a subject, in one report');
  const third = assignor(commands);
  await showCommand([...third, '--detach'], env);
  for (const words of investigations(commands)) await showCommand(words, env);
  printNote('');
  printNote('The first was left to itself, and waits for a person: its dossier needs a review.');
  await showCommand(['inbox'], env);
  const id = await waitingJob(env);
  const decision = ['--action', 'accept', '--note', 'the missing part is known'];
  await showCommand(['resolve', id, ...decision], env);
  printNote('');
  printNote(
    'The same command again starts nothing anew: it follows what runs, or shows how it ended.',
  );
  await showCommand([...third, '--out', join(out, 'investigation-assignor')], env);
}

async function sweepMonitors(env: Env): Promise<void> {
  heading('3. A sweep: the open changes of three monitors, stored, delivered and acknowledged');
  await showCommand(sweep(), env, [1]);
}

function printPaths(out: string): void {
  heading('The reports, for a browser:');
  for (const [name, what] of [
    ['suppliers', 'the spreadsheet; results.xlsx and the PDFs beside it'],
    ['investigation-supplier', 'a company that we buy from'],
    ['investigation-individual', 'a person'],
    ['investigation-assignor', 'a company whose receivables we buy'],
  ] as const)
    printNote(`  ${join(out, name, 'report.html').padEnd(47)}  ${what}`);
  printNote('');
  printNote(
    'Your own: set INVESTIGATION_BASE_URL and INVESTIGATION_TOKEN, and run the same commands.',
  );
}

function heading(text: string): void {
  printNote('');
  printNote(text);
}

/** @throws CommandError when the exit code is neither 0 nor one of these */
async function showCommand(words: string[], env: Env, codes: number[] = []): Promise<void> {
  printNote('');
  const quoted = words.map((word) => (word.includes(' ') ? `"${word}"` : word));
  // As a user would type it: the documents are invented, and standard error would mask them.
  print(`$ diligence ${quoted.join(' ')}`);
  const code = await runCommand(words, env);
  if (code !== exitCodes.done && !codes.includes(code))
    throw new CommandError(
      inEnglish(`the demo goes no further: that ended with exit code ${code}`),
    );
}

async function waitingJob(env: Env): Promise<string> {
  const words = [process.argv[1] ?? '', 'inbox', '--kind', 'dossier', '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, words, { env });
  const [job] = (JSON.parse(stdout) as { jobs: { id: string }[] }).jobs;
  if (job === undefined)
    throw new CommandError(inEnglish('the demo goes no further: nothing waits'));
  return job.id;
}

function batchArguments(input: string, { type, lang }: DemoFlags, folder: string): string[] {
  const types = type === undefined ? [] : ['--type', type];
  const language = lang === undefined ? [] : ['--lang', lang];
  return ['certificate', 'batch', '--input', input, ...types, '--out', folder, ...language];
}

/** Starts `dev` in this process's group and waits until it is ready. */
async function startEngine(env: Env, scenario: string): Promise<() => Promise<void>> {
  const args = [process.argv[1] ?? '', 'dev', '--scenario', scenario, '--seed', '25'];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  const ended = once(child, 'exit');
  const ready = new Promise<void>((done) => {
    createInterface({ input: child.stderr as Readable }).on('line', (line) => {
      if (line === 'ready') done();
      // Output about downloads and builds may take a while; the rest is hidden.
      else if (!ofItself.test(line)) printNote(line);
    });
  });
  await Promise.race([
    ready,
    ended.then(() => {
      throw new CommandError(inEnglish('the engine did not start'));
    }),
  ]);
  return async () => {
    child.kill('SIGTERM');
    await ended;
  };
}

const ofItself =
  /^(?:a key for|Temporal server|Temporal UI|codec server|service|credit service|worker log|stopping)/;

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
  if (!existsSync(path)) throw new CommandError(inEnglish(`${path} is missing`));
  return JSON.parse(await readFile(path, 'utf8')) as { batchId: string; unknown_outcome: number };
}
