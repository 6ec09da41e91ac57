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
import { deadlineOption, withActor, withDetach } from '../cli/flags';
import { followByLines } from '../cli/follow';
import { jobLine } from '../cli/job-line';
import { refuseFlagsBeside } from '../cli/form-flags';
import {
  fileOption,
  runInquiryBatch,
  showDryRunOfOne,
  type InquiryBatchFlags,
} from '../inquiry-batch';
import { traceInquiries } from '../inquiry-kinds';
import { recordAtWork, workOfOutcome } from '../cli/single-work';
import { UsageError } from '../jobs/errors';
import { exitCodes, oneOf, print, printJson, tell, wholeNumber } from '../cli/terminal';
import { putTrace, standingTrace, type TraceAsk } from './asks';
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

type SearchFlags = Partial<InquiryBatchFlags> &
  SingleFlags &
  Pick<InquiryBatchFlags, 'concurrency'>;

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
  return withDetach(withActor(new Command('search')))
    .description(
      'Search for one target, or for each of a file; asked for again, it is the same search.',
    )
    .option('--target <target>', 'an e-mail address, phone, user name or wallet')
    .option(
      '--strategy <strategy>',
      `${traceStrategies.join(' or ')} (default: the service chooses)`,
      oneOf(traceStrategies),
    )
    .option('--label <text>', 'makes this another search than the same without it')
    .addOption(fileOption('targets (alvo, email, telefone...)'))
    .option('--column <name>', 'of the file: the column that holds the targets')
    .option('--sheet <name>', 'of a workbook: its name or number (default: the first)')
    .option('--concurrency <n>', 'of a file: searches in flight at once', wholeNumber(1, 500), 20)
    .option('--dry-run', 'show what would be asked for, send nothing')
    .option('--excel', 'of a file: results.csv for a spreadsheet program')
    .option('--out <folder>', 'result folder (default: out/<id>)')
    .option('--json', 'one JSON document on standard output')
    .addOption(deadlineOption())
    .action(async (flags: SearchFlags, command: Command) => {
      process.exitCode = await searchAny(flags, command);
    });
}

/** Flags that say something of a file alone. */
const fileFlags = ['--column', '--sheet', '--concurrency', '--excel'];

async function searchAny(flags: SearchFlags, command: Command): Promise<number> {
  const { file, target, strategy = null, label = null } = flags;
  if ((file === undefined) === (target === undefined)) {
    throw new UsageError('what is searched for? expected one of --target or --file');
  }
  if (target !== undefined) {
    refuseFlagsBeside('--target', fileFlags, command);
    return search({ ...flags, target });
  }
  const terms = { strategy, label, retryRural: false, reuseSince: 0 };
  return runInquiryBatch(traceInquiries, terms, { ...flags, file: file as string });
}

async function search(flags: SingleFlags & { target: string }): Promise<number> {
  const reading = readTarget(flags.target);
  if (reading.kind === 'invalid') throw new UsageError(`--target: ${reading.message}`);
  const place = await openContext(tell, flags.by);
  const ask = {
    target: reading.target,
    strategy: flags.strategy ?? null,
    label: flags.label ?? null,
  };
  const standing = await standingTrace(place, ask);
  if (flags.dryRun === true) {
    const found = standing && {
      workId: standing.record.workId,
      ended: standing.outcome !== null,
    };
    return showDryRunOfOne(found, flags.json === true);
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
