import { Command, Option } from 'commander';
import { exitCodeOf } from '../domain/attention';
import { resolveActions, type ResolveAction } from '../domain/core/kind';
import type { Language } from '../domain/job';
import { stateWord } from '../report/words';
import { CertificateJobs } from '../store/certificates/jobs';
import { openStatuses } from './certificates/resolve';
import { deadlineOption, withActor, withDetach, withLanguage } from './cli/flags';
import { followHere } from './cli/follow';
import { exitCodes, oneOf, onScreen, printAs, printNote, wholeNumber } from './cli/terminal';
import { openContext, warnWithoutPollers, withEngine, type CommandContext } from './jobs/context';
import { resolveJob } from './jobs/decide/resolve';
import { resolverOf } from './jobs/decide/resolve-single';
import { UsageError } from './jobs/errors';
import { namedJob } from './jobs/named-job';
import { kindOf } from './kinds';
import { acknowledgeChange, isChangeId } from './monitors/review';

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

export function resolveCommand(): Command {
  const command = withLanguage(withDetach(withActor(new Command('resolve'))))
    .description(
      'Decide about a job, rows of a batch, or a change: `inbox show ID` says what can be.',
    )
    .argument('<id>', 'the id of the job; of a change, as `monitor changes` shows it')
    .requiredOption('--action <action>', resolveActions.join(', '), oneOf(resolveActions))
    .requiredOption('--note <text>', 'why: it is kept')
    .option('--external-id <id>', 'for adopt: the id that the service has named')
    .addOption(deadlineOption())
    .option('--json', 'one JSON document on standard output')
    .action(async (id: string, flags: ResolveFlags) => {
      process.exitCode = await resolve(id, flags);
    });
  const selections = [
    new Option('--row <n>', 'a row of the batch, from 0 (repeat it for more)').argParser(numbers),
    new Option('--line <n>', 'a line of its input (repeat it for more)').argParser(numbers),
    new Option('--status <list>', `comma separated: ${openStatuses.join(', ')}`).argParser((text) =>
      text.split(',').map(oneOf(openStatuses)),
    ),
    new Option('--all', 'every unknown, failed and expired row'),
  ];
  const names = selections.map((one) => one.attributeName());
  for (const one of selections)
    command.addOption(one.conflicts(names.filter((name) => name !== one.attributeName())));
  return command;
}

async function resolve(name: string, flags: ResolveFlags): Promise<number> {
  const { action, all, deadline: deadlineMs, detach, externalId = null, json, note } = flags;
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
  const ctx = onScreen(opened, flags, output);
  const { count, language, say } = ctx.reader;
  const selection = {
    ...(flags.row !== undefined && { rowIndexes: flags.row }),
    ...(flags.line !== undefined && { lines: flags.line }),
    ...(flags.status !== undefined && { statuses: flags.status }),
    ...(all && { all }),
  };
  const rows = Object.keys(selection).length === 0 ? null : selection;
  const request = { id, action, note, externalId, rows, deadlineMs };
  const resolved = kindOf(kind);
  const { auditHead, continuation, decision } = await resolveJob(
    ctx,
    resolverOf(resolved),
    request,
  );
  const { length } = decision.rows;
  const ofRows = ` ${say('for', 'de')} ${count(length, ['row', 'rows'], ['linha', 'linhas'])}`;
  const done = stateWord(action, language);
  printNote(`${id}/decision-${decision.number}: ${done}${length > 0 ? ofRows : ''}`);
  printNote(`${say('audit head', 'último registro de auditoria')}: ${auditHead}`);
  // Except for rows, the resolved job reports its own continuation.
  const isFollowed =
    continuation !== null && detach !== true && (continuation.id !== id || length > 0);
  if (isFollowed)
    await withEngine(ctx, async (engine) => {
      await warnWithoutPollers(engine, ctx, resolved.service);
      // A resolution of rows has a workflow of its own.
      const followed = length > 0 ? kindOf('decision') : resolved;
      await followHere(ctx, engine, continuation, followed);
    });
  const [onlyRow] = decision.rows;
  if (isFollowed && length === 1) printNote(await rowLine(ctx, id, onlyRow?.line ?? 0));
  const about = continuation?.id ?? id;
  const { kind: ofKind, needsAttention, status } = await namedJob(ctx.store, about);
  const exitCode =
    isFollowed && status !== null ? exitCodeOf(ofKind, { status, needsAttention }) : exitCodes.done;
  const state = status ?? 'running';
  const next = continuation?.id ?? null;
  printAs(
    json,
    { id, action, continuation: next, status: state, needsAttention, exitCode, auditHead },
    [next === null ? `${id}: ${done}` : `${about}: ${stateWord(state, language)}`],
  );
  return exitCode;
}

async function rowLine(
  { reader, store }: CommandContext,
  id: string,
  line: number,
): Promise<string> {
  const { folder } = await namedJob(store, id);
  for await (const row of new CertificateJobs(store).rows(folder)) {
    if (row.line !== line) continue;
    const why = row.note === '' ? '' : ` (${reader.stored(row.note)})`;
    return `${reader.say('line', 'linha')} ${line}: ${stateWord(row.status, reader.language)}${why}`;
  }
  throw new Error('the store does not hold the row');
}

function numbers(text: string, before: number[] | undefined): number[] {
  return [...(before ?? []), ...text.split(',').map(wholeNumber(0, 100_000_000))];
}
