import { Command, Option } from 'commander';
import type { Say } from '../domain/job';
import { withActor, withLanguage, withSheets, type StartFlags } from './cli/flags';
import { printResult, printRows, printView } from './cli/print-job';
import { ask, exitCodes, print, printNote, onScreen } from './cli/terminal';
import { kindOf } from './kinds';
import { openContext } from './jobs/context';
import { UsageError } from './jobs/errors';
import { findJob, viewJob } from './jobs/find-job';
import type { JobKind, Order } from './jobs/job-kind';
import { listCommand } from './list-jobs';

type ResultFlags = Pick<StartFlags, 'out' | 'excel' | 'lang' | 'pdfNames' | 'json'> & {
  rows?: true;
};

type ShowFlags = Pick<StartFlags, 'json' | 'lang'>;

interface OrderFlags extends Pick<StartFlags, 'lang'> {
  by?: string;
  now?: true;
  cancelRemote?: true;
}

export function jobCommands(): Command[] {
  return [
    listCommand(),
    idCommand(
      '[id]',
      'show',
      'Show how a job stands (without an id: the newest one); starts no engine.',
    )
      .option('--json', 'one JSON document on standard output')
      .action((id: string | undefined, flags: ShowFlags) => show(id ?? '', flags)),
    withSheets(
      idCommand(
        '<id>',
        'result',
        'Write the result folder of a job; of a batch of certificates also before its end.',
      ),
    )
      .option('--out <folder>', 'result folder (default: out/<id>)')
      .option('--json', 'one JSON document on standard output')
      .addOption(
        new Option(
          '--rows',
          'write no folder: every row of a batch, one JSON object a line',
        ).conflicts(['out', 'excel', 'pdfNames', 'lang', 'json']),
      )
      .action(async (id: string, flags: ResultFlags, command: Command) => {
        process.exitCode = await showResult(id, flags, command);
      }),
    orderCommand('cancel', 'Request nothing more; what is outstanding is still completed.')
      .option('--now', 'leave what is outstanding at the service, with its ids in the store')
      .option(
        '--cancel-remote',
        'of a dossier, or of an investigation with one: cancel it at the service too',
      ),
    orderCommand('pause', 'Request nothing new until `resume`.'),
    orderCommand('resume', 'Go on after `pause`, or after requests were refused.'),
  ];
}

function orderCommand(name: 'cancel' | 'pause' | 'resume', description: string): Command {
  return withActor(idCommand('<id>', name, description)).action((id: string, flags: OrderFlags) =>
    order(id, flags.now === true ? 'cancel_now' : name, flags),
  );
}

function idCommand(argument: '[id]' | '<id>', name: string, description: string): Command {
  return withLanguage(new Command(name))
    .description(description)
    .argument(
      argument,
      'its id or the beginning of it, an id of the service, or the result folder',
    );
}

async function show(id: string, flags: ShowFlags): Promise<void> {
  const ctx = await openContext(printNote);
  const job = await findJob(ctx, id);
  const kind = kindOf(job.kind);
  const shown = onScreen(ctx, flags, job.output);
  const view = await viewJob(shown, kind, job);
  await printView(shown, kind, view, flags.json === true);
  // For an ended job, `result` exits with its code.
  if (view.job.status === null && view.job.needsAttention)
    process.exitCode = exitCodes.needsAttention;
}

async function showResult(id: string, flags: ResultFlags, command: Command): Promise<number> {
  const ctx = await openContext(printNote);
  const job = await findJob(ctx, id);
  const kind = kindOf(job.kind);
  if (flags.rows === true) return printRows(ctx, kind, job);
  refuseUnheeded(id, kind, command);
  return printResult(ctx, kind, job, { html: true, ...flags });
}

const exportFlags = ['out', 'excel', 'pdfNames'] as const;

function refuseUnheeded(id: string, kind: JobKind, command: Command): void {
  const ignored = command.options.find((option) => {
    const name = exportFlags.find((flag) => flag === option.attributeName());
    if (name === undefined || command.getOptionValueSource(name) !== 'cli') return false;
    return name === 'out' ? kind.export === undefined : !kind.heeds.includes(name);
  });
  if (ignored !== undefined)
    throw new UsageError([
      `${ignored.long} would change nothing of ${id}`,
      `${ignored.long} não muda nada em ${id}`,
    ]);
}

async function order(id: string, name: Order, flags: OrderFlags): Promise<void> {
  const opened = await openContext(printNote, flags.by);
  const { cancelRemote } = flags;
  const job = await findJob(opened, id, 'running');
  const ctx = onScreen(opened, flags, job.output);
  const { say } = ctx.reader;
  const kind = kindOf(job.kind);
  const { cancelsRemotely = false } = kind;
  if (cancelRemote === true && !cancelsRemotely) {
    throw new UsageError([
      `--cancel-remote is for dossiers and investigations: ${id} is neither`,
      `--cancel-remote vale para dossiês e investigações: ${id} não é nem um nem outro`,
    ]);
  }
  const remote = cancelRemote === true || (cancelsRemotely && (await wantsRemote(id, say)));
  const { orderJob } = require('./jobs/begin/order-job') as typeof import('./jobs/begin/order-job');
  print(await orderJob(ctx, kind, job, name, { remote }));
  if (cancelsRemotely && !remote) {
    printNote(
      say(
        'a dossier goes on at the service (`--cancel-remote` cancels it there too)',
        'um dossiê segue no serviço (`--cancel-remote` o cancela lá também)',
      ),
    );
  }
}

/** Asks on a terminal; elsewhere the request continues at the service. */
async function wantsRemote(id: string, say: Say): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return false;
  const answer = await ask(
    say(`cancel ${id} at the service too? [y/N] `, `cancelar ${id} também no serviço? [s/N] `),
  );
  return /^(?:y(?:es)?|s(?:im)?)$/i.test(answer);
}
