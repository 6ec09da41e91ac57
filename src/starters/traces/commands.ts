import { Command } from 'commander';
import { startEntry } from '../../domain/audit-entries';
import { queueName } from '../../domain/core/queues';
import {
  traceFolder,
  traceWorkflowId,
  type TraceOutcome,
  type TraceRecord,
} from '../../domain/traces/search';
import { maskTarget, readTarget } from '../../domain/traces/target';
import { traceStrategies, type TraceStrategy } from '../../domain/traces/trace';
import type { EngineClient } from '../../temporal/connection';
import { refuseMissingSearchAttributes } from '../../temporal/search-attributes';
import { attributesAtStart } from '../../workflows/core/search-attributes';
import type { searchTrace } from '../../workflows/traces/search-trace';
import {
  inputFlags,
  runBatch,
  showForeseen,
  withInput,
  withInputFile,
  type BatchFlags,
} from '../cli/batch';
import { deadlineOption, withActor, withDetach } from '../cli/flags';
import { followByLines } from '../cli/follow';
import { jobLine } from '../cli/job-line';
import { refuseFlagsBeside } from '../cli/form-flags';
import { recordAtWork, workOfOutcome } from '../cli/single-work';
import { UsageError } from '../jobs/errors';
import { exitCodes, oneOf, print, printJson, tell } from '../cli/terminal';
import { foreseenOf, nothingForeseen } from '../jobs/batch';
import { putTrace, standingTrace, type TraceAsk } from './asks';
import { traceBatch, traceBatches } from './batch';
import { traceListCommand } from './list';
import { showTrace, traces, type TraceOutput } from './outcome';
import { refuseUnwritable } from '../cli/unwritable-folder';
import {
  isRunning,
  openContext,
  warnWithoutPollers,
  withEngine,
  type CommandContext,
} from '../jobs/context';

type SearchFlags = BatchFlags &
  SingleFlags & { input?: string; column?: string; sheet?: string; rerun?: true };

interface SingleFlags extends TraceOutput {
  target?: string;
  strategy?: TraceStrategy;
  label?: string;
  deadline: number;
  dryRun?: true;
  by?: string;
  detach?: true;
}

/** `diligence trace`. */
export function traceCommand(): Command {
  const command = new Command('trace').description(
    'Searches for an e-mail address, phone number, user name or wallet.',
  );
  command.addCommand(searchCommand());
  command.addCommand(traceListCommand());
  return command;
}

function searchCommand(): Command {
  return withInput(withDetach(withActor(new Command('search'))), targets, 20)
    .description(
      'Search for one target, or for each of an input; asked for again, it is the same search.',
    )
    .option('--target <target>', 'an e-mail address, phone, user name or wallet')
    .option(
      '--strategy <strategy>',
      `${traceStrategies.join(' or ')} (default: the service chooses)`,
      oneOf(traceStrategies),
    )
    .option('--excel', 'of an input: results.csv for a spreadsheet program')
    .option('--out <folder>', 'result folder (default: out/<id>)')
    .option('--json', 'one JSON document on standard output')
    .addOption(deadlineOption())
    .action(async (flags: SearchFlags, command: Command) => {
      process.exitCode = await searchAny(flags, command);
    });
}

const targets = 'targets (alvo, email, telefone...)';

async function searchAny(flags: SearchFlags, command: Command): Promise<number> {
  const { column, input, label = null, rerun, sheet, strategy = null, target } = flags;
  if ((input === undefined) === (target === undefined)) {
    throw new UsageError('what is searched for? expected one of --target or --input');
  }
  if (target !== undefined) {
    refuseFlagsBeside('--target', [...inputFlags, '--excel', '--rerun'], command);
    return search({ ...flags, target });
  }
  const ctx = await openContext(tell, flags.by);
  const choice = { ...(column !== undefined && { column }), ...(sheet !== undefined && { sheet }) };
  const asked = { choice, input: input as string, strategy, label, rerun: rerun === true };
  return withInputFile(asked.input, (path) =>
    runBatch(ctx, traceBatches, traceBatch(ctx, { ...asked, path }), flags),
  );
}

async function search(flags: SingleFlags & { target: string }): Promise<number> {
  const reading = readTarget(flags.target);
  if (reading.kind === 'invalid') throw new UsageError(`--target: ${reading.message}`);
  const place = await openContext(tell, flags.by);
  const ask = {
    target: reading.target,
    strategy: flags.strategy ?? null,
    label: flags.label ?? null,
    rerun: null,
  };
  const standing = await standingTrace(place, ask);
  if (flags.dryRun === true) {
    const found = foreseenOf(standing && { ended: standing.outcome !== null });
    return showForeseen({ ...nothingForeseen, [found]: 1 }, [], flags.json === true);
  }
  if (flags.detach !== true) await refuseUnwritable(flags.out ?? 'out');
  if (standing !== null && standing.outcome !== null) {
    tell(
      `${standing.record.workId}: ended ${standing.outcome.settledAt}, and is shown as it stands; \`--label\` makes another search`,
    );
    return showTrace(place, standing, flags);
  }
  const record = standing?.record ?? (await fileTrace(place, ask));
  return withEngine(place, (engine) => follow(place, engine, record, flags));
}

/** Puts on file, and on the audit trail, what is asked for. */
async function fileTrace(place: CommandContext, ask: TraceAsk): Promise<TraceRecord> {
  const record = await putTrace(place, ask);
  const { workId, createdBy: by, createdAt } = record;
  const terms = { items: 1, onUnknown: 'report', fresh: false };
  await place.audit.appendAndAnchor([startEntry({ workId, by }, terms, Date.parse(createdAt))]);
  return record;
}

/** Starts it unless it runs, and shows how it ends. */
async function follow(
  place: CommandContext,
  engine: EngineClient,
  record: TraceRecord,
  flags: SingleFlags,
): Promise<number> {
  await refuseMissingSearchAttributes(engine);
  const { workId, name, target } = record;
  const workflowId = traceWorkflowId(name);
  const folder = traceFolder(workId);
  const { queueSuffix } = place;
  if (await isRunning(engine, workflowId)) tell(`${workId}: is being searched for already`);
  else await place.store.jobs.release(folder);
  const handle = await engine.client.workflow.start<typeof searchTrace>('searchTrace', {
    workflowId,
    taskQueue: queueName('workflows', queueSuffix),
    args: [
      {
        ref: { workId, folder },
        deadlineAt: Date.now() + flags.deadline,
        interactive: true,
        queueSuffix,
      },
    ],
    typedSearchAttributes: attributesAtStart('trace', workId),
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    priority: { priorityKey: 1 },
  });
  const atWork = await recordAtWork(place, traces, handle, { folder, record });
  const { workId: id } = atWork.record;
  tell(`${id}: search for ${maskTarget(target)}`);
  if (flags.detach === true) {
    if (flags.json === true) printJson({ id, status: 'started' });
    else print(id);
    return exitCodes.done;
  }
  await warnWithoutPollers(engine, place, 'investigation');
  const outcome = await followByLines<TraceOutcome>(place, engine, workflowId, (current) =>
    jobLine(current, workflowId),
  );
  return showTrace(place, await workOfOutcome(place, traces, atWork, outcome), flags);
}
