import { Command } from 'commander';
import { exitCodeOf } from '../domain/attention';
import { resolveActions, type ResolveAction } from '../domain/core/kind';
import type { Language } from '../domain/job';
import { stateWord } from '../report/words';
import { CertificateJobs } from '../store/certificates/jobs';
import { openStatuses } from './certificates/resolve';
import { deadlineOption, withActor, withDetach, withLanguage } from './cli/flags';
import {
  exitCodes,
  oneOf,
  print,
  printJson,
  printNote,
  wholeNumber,
  onScreen,
} from './cli/terminal';
import { openContext, warnWithoutPollers, withEngine, type CommandContext } from './jobs/context';
import { UsageError } from './jobs/errors';
import { outputTerms } from './jobs/export-job';
import { findJob, resolveJob, type Continuation, type RowSelection } from './jobs/decide/resolve';
import { namedJob } from './jobs/named-job';
import { resolverOf } from './jobs/decide/resolve-single';
import { acknowledgeChange, isChangeId } from './monitors/changes';
import { kindOf } from './kind-of';

interface ResolveFlags {
  row?: number[];
  line?: number[];
  status?: (typeof openStatuses)[number][];
  all?: true;
  action: ResolveAction;
  note: string;
  externalId?: string;
  deadline: number;
  by?: string;
  detach?: true;
  json?: true;
  lang?: Language;
}

/** `diligence resolve ID`: resolves a job that needs attention. */
export function resolveCommand(): Command {
  return withLanguage(withDetach(withActor(new Command('resolve'))))
    .description(
      'Decide about a job, rows of a batch, or a change: `inbox show ID` says what can be.',
    )
    .argument('<id>', 'the id of the job; of a change, as `monitor changes` shows it')
    .option('--row <n>', 'a row of the batch, from 0 (repeat it for more)', collectNumbers)
    .option('--line <n>', 'a line of its input (repeat it for more)', collectNumbers)
    .option('--status <list>', `comma separated: ${openStatuses.join(', ')}`, statusList)
    .option('--all', 'every unknown, failed and expired row')
    .requiredOption('--action <action>', resolveActions.join(', '), oneOf(resolveActions))
    .requiredOption('--note <text>', 'why: it is kept')
    .option('--external-id <id>', 'for adopt: the id that the service has named')
    .addOption(deadlineOption())
    .option('--json', 'one JSON document on standard output')
    .action(async (id: string, flags: ResolveFlags) => {
      process.exitCode = await resolve(id, flags);
    });
}

async function resolve(name: string, flags: ResolveFlags): Promise<number> {
  const { action, deadline: deadlineMs, externalId = null, json, note } = flags;
  const rows = selectionOf(flags);
  const opened = await openContext(printNote, flags.by);
  if (isChangeId(name)) {
    if (action !== 'acknowledge')
      throw new UsageError([
        '--action: a change can be acknowledged',
        '--action: uma alteração só pode ser confirmada (acknowledge)',
      ]);
    return acknowledgeChange(opened, name, { note, json: json === true });
  }
  const { id, kind, output } = await namedJob(opened.store, name, 'waiting');
  const ctx = onScreen(opened, json ? 'en' : (flags.lang ?? outputTerms(opened, {}, output).lang));
  const { count, language, say } = ctx.reader;
  const request = { id, action, note, externalId, rows, deadlineMs };
  const { auditHead, continuation, decision } = await resolveJob(
    ctx,
    resolverOf(kindOf(kind)),
    request,
  );
  const isOfRows = decision.rows.length > 0;
  const rowsMeant = count(decision.rows.length, ['row', 'rows'], ['linha', 'linhas']);
  const ofRows = isOfRows ? ` ${say('for', 'de')} ${rowsMeant}` : '';
  const done = stateWord(action, language);
  printNote(`${id}/decision-${decision.number}: ${done}${ofRows}`);
  printNote(`${say('audit head', 'último registro de auditoria')}: ${auditHead}`);
  const isLeft = continuation === null || flags.detach === true || continuation.id === id;
  // Except for rows, the resolved job reports its own continuation.
  const goesOn = continuation !== null && flags.detach !== true && (!isLeft || isOfRows);
  if (goesOn) await follow(ctx, continuation);
  const [onlyRow, ...others] = decision.rows;
  if (goesOn && onlyRow !== undefined && others.length === 0)
    printNote(await rowLine(ctx, id, onlyRow.line));
  const about = continuation?.id ?? id;
  const job = await findJob(ctx, about);
  const { needsAttention, status } = job;
  const exitCode =
    !goesOn || status === null ? exitCodes.done : exitCodeOf(job.kind, { status, needsAttention });
  const state = status ?? 'running';
  if (json === true)
    printJson({
      id,
      action,
      continuation: continuation?.id ?? null,
      status: state,
      needsAttention,
      exitCode,
      auditHead,
    });
  else print(continuation === null ? `${id}: ${done}` : `${about}: ${stateWord(state, language)}`);
  return exitCode;
}

/** @throws UsageError when rows are selected in two ways */
function selectionOf({ all, line, row, status }: ResolveFlags): RowSelection | null {
  const given = [row, line, status, all].filter((one) => one !== undefined);
  if (given.length === 0) return null;
  if (given.length > 1)
    throw new UsageError([
      'which rows? expected one of --row, --line, --status or --all',
      'quais linhas? informe --row, --line, --status ou --all',
    ]);
  return {
    ...(row !== undefined && { rowIndexes: row }),
    ...(line !== undefined && { lines: line }),
    ...(status !== undefined && { statuses: status }),
    ...(all && { all }),
  };
}

/** How the row stands that was decided about. */
async function rowLine(ctx: CommandContext, id: string, wanted: number): Promise<string> {
  const { language, say } = ctx.reader;
  const { folder } = await findJob(ctx, id);
  for await (const { line, note, status } of new CertificateJobs(ctx.store).rows(folder)) {
    if (line !== wanted) continue;
    const why = note === '' ? '' : ` (${ctx.reader.stored(note)})`;
    return `${say('line', 'linha')} ${line}: ${stateWord(status, language)}${why}`;
  }
  throw new Error('the store does not hold the row');
}

/** Until the continuation has ended: the outcome is in the store. */
async function follow(ctx: CommandContext, { id, workflowId }: Continuation): Promise<void> {
  const { say } = ctx.reader;
  printNote(
    `${id}: ${say('goes on; Ctrl-C leaves it running', 'continua; Ctrl-C não o interrompe')}`,
  );
  await withEngine(ctx, async (engine) => {
    await warnWithoutPollers(engine, ctx);
    await engine.client.workflow
      .getHandle(workflowId)
      .result()
      .catch(() =>
        printNote(
          `${id}: \`diligence show ${id}\` ${say('shows how it stands', 'mostra como ele está')}`,
        ),
      );
  });
}

function collectNumbers(text: string, before: number[] | undefined): number[] {
  return [...(before ?? []), ...text.split(',').map(wholeNumber(0, 100_000_000))];
}

function statusList(text: string): (typeof openStatuses)[number][] {
  return text.split(',').map(oneOf(openStatuses));
}
