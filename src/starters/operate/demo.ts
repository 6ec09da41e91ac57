import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, mkdir, readFile, rm } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { Command } from 'commander';
import { readEnvironment } from '../../environment';
import { CommandError, UsageError } from '../jobs/errors';
import { exitCodes, print, printNote } from '../cli/terminal';

type Env = NodeJS.ProcessEnv;

/** Examples are beside `dist`. */
const examples = join(__dirname, '..', '..', '..', 'examples');
/** The service requests a review of it. */
const reviewedDossier = '8d5b9f3e-2c1a-4e7d-9b60-1f2e3d4c5b6a';

export function demoCommand(): Command {
  return new Command('demo')
    .description(
      'A spreadsheet of suppliers, three investigations and a sweep before your eyes, on the sandbox.',
    )
    .option('--out <folder>', 'result folder', 'out/demo')
    .action(async ({ out }: { out: string }) => {
      if (readEnvironment().investigation !== null)
        throw new UsageError('INVESTIGATION_BASE_URL is set: the demo is of the sandbox, unset it');
      await demo(out);
    });
}

async function demo(out: string): Promise<void> {
  await rm(resolve(out), { recursive: true, force: true });
  // A new sandbox does not know an old one's issuances, so each demo has its own store.
  await mkdir('data', { recursive: true, mode: 0o700 });
  const dataDir = await mkdtemp(resolve('data', 'demo-'));
  const env = { ...process.env, DILIGENCE_DATA_DIR: dataDir };
  printNote('Starting Temporal, a worker and a sandbox of the services: nothing real is sent.');
  const stop = await startEngine(env);
  try {
    await tour(out, relative(process.cwd(), examples), env);
  } finally {
    await stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function tour(out: string, files: string, env: Env): Promise<void> {
  const show = (line: string, codes: readonly number[] = []) => showCommand(line, env, codes);
  const at = (...parts: string[]): string => {
    const path = join(...parts);
    return path.includes(' ') ? `"${path}"` : path;
  };
  const folder = at(out, 'suppliers');
  heading('1. A spreadsheet of suppliers, some of them at fault, at a service that loses answers');
  await show(`certificate batch --input ${at(files, 'suppliers.csv')} --out ${folder}`, [3]);
  const summary = await readFile(join(out, 'suppliers', 'summary.json'), 'utf8');
  const { batchId } = JSON.parse(summary) as { batchId: string };
  heading(
    'Exit code 3: every line has its outcome, and some need a person. An unknown outcome is a',
    'request whose answer was lost: nothing sends it again by itself. We decide to:',
  );
  const decision = '--status unknown_outcome --action reissue --note "the risk is accepted"';
  await show(`resolve ${batchId} ${decision}`, [3]);
  await show(`result ${batchId} --out ${folder}`, [3]);

  heading('2. Three investigations: everything that a plan asks about a subject, in one report');
  const investigation = (plan: string): string => at(out, `investigation-${plan}`);
  const lot = (ending: string): string => at(files, 'remessas', `lote-1.${ending}`);
  const assignor = `investigate --plan assignor --cnpj 11222333000181 --receivables ${lot('rem')} --xmls ${lot('zip')} --dossier ${reviewedDossier}`;
  await show(`${assignor} --detach`);
  await show(
    `investigate --plan supplier --cnpj 11222333000181 --name "Padaria Pao e Cia" --email ana@example.com --out ${investigation('supplier')}`,
  );
  await show(
    `investigate --plan individual --cpf 52998224725 --email bia@example.com --dossier 8d5b9f3e-2c1a-4e7d-9b60-1f2e3d4c5b60 --out ${investigation('individual')}`,
  );
  heading('The first was left to itself, and waits for a person: its dossier needs a review.');
  await show('inbox');
  await show(`resolve ${await waitingJob(env)} --action accept --note "the missing part is known"`);
  heading(
    'The same command again starts nothing anew: it follows what runs, or shows how it ended.',
  );
  await show(`${assignor} --out ${investigation('assignor')}`);

  heading('3. A sweep: the open changes of three monitors, stored, delivered and acknowledged');
  const monitors = [1, 2, 3].map((n) => `5f0d2f0a-3c11-4b7e-9a55-6d1c0c0a000${n}`);
  await show(`monitor sweep --monitors ${monitors.join(',')}`, [1]);

  heading('The reports, for a browser:');
  for (const [name, what] of [
    [folder, 'the spreadsheet; results.xlsx and the PDFs beside it'],
    [investigation('supplier'), 'a company that we buy from'],
    [investigation('individual'), 'a person'],
    [investigation('assignor'), 'a company whose receivables we buy'],
  ] as const)
    printNote(`  ${join(name, 'report.html').padEnd(47)}  ${what}`);
  heading(
    'Your own: set INVESTIGATION_BASE_URL and INVESTIGATION_TOKEN, and run the same commands.',
  );
}

function heading(...lines: string[]): void {
  printNote('');
  for (const line of lines) printNote(line);
}

async function showCommand(line: string, env: Env, codes: readonly number[]): Promise<void> {
  printNote('');
  // As a user would type it: the documents are invented, and standard error would mask them.
  print(`$ diligence ${line}`);
  const words = [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
  const child = spawn(process.execPath, [process.argv[1] ?? '', ...words], {
    env,
    stdio: 'inherit',
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== exitCodes.done && !codes.includes(code ?? exitCodes.failed))
    throw new CommandError(`the demo goes no further: that ended with exit code ${code}`);
}

async function waitingJob(env: Env): Promise<string> {
  const words = [process.argv[1] ?? '', 'inbox', '--kind', 'dossier', '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, words, { env });
  const [job] = (JSON.parse(stdout) as { jobs: { id: string }[] }).jobs;
  if (job === undefined) throw new CommandError('the demo goes no further: nothing waits');
  return job.id;
}

/** Starts `dev` in this process's group and waits until it is ready. */
async function startEngine(env: Env): Promise<() => Promise<void>> {
  const scenario = join(examples, 'scenarios', 'demo.json');
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
      throw new CommandError('the engine did not start');
    }),
  ]);
  return async () => {
    child.kill('SIGTERM');
    await ended;
  };
}

const ofItself =
  /^(?:a key for|Temporal server|Temporal UI|codec server|service|credit service|worker log|stopping)/;
