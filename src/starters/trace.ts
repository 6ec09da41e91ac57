import { Command } from 'commander';
import { DocumentIndexWriter, documentsIn } from '../archive/document-index';
import { TraceFile } from '../archive/traces';
import { startEntry } from '../domain/audit-entries';
import { queueName } from '../domain/queues';
import {
  standsForGood,
  traceFolder,
  traceManifest,
  traceWorkflowId,
  type TraceOutcome,
  type TraceRecord,
} from '../domain/traces/search';
import { maskTarget, readTarget } from '../domain/traces/target';
import { traceStrategies, type TraceStrategy } from '../domain/traces/trace';
import type { EngineClient } from '../temporal/connection';
import { refuseMissingSearchAttributes } from '../temporal/search-attributes';
import { attributesAtStart } from '../workflows/search-attributes';
import type { searchTrace } from '../workflows/search-trace';
import { deadlineOption, withActor, withDetach } from './certificate-flags';
import { followByLines } from './follow';
import { exitCodes, oneOf, print, printJson, tell, UsageError } from './terminal';
import { traceListCommand } from './trace-list';
import { showTrace, traceLine, type TraceOnFile, type TraceOutput } from './trace-outcome';
import { refuseUnwritable } from './unwritable-folder';
import {
  isRunning,
  openWorkplace,
  warnWithoutPollers,
  withEngine,
  type Workplace,
} from './workplace';

interface SearchFlags extends TraceOutput {
  target: string;
  strategy?: TraceStrategy;
  label?: string;
  deadline: number;
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
    .description('Search for one target; asked for again, it is the same search.')
    .requiredOption('--target <target>', 'an e-mail address, phone, user name or wallet')
    .option(
      '--strategy <strategy>',
      `${traceStrategies.join(' or ')} (default: the service chooses)`,
      oneOf(traceStrategies),
    )
    .option('--label <text>', 'makes this another search than the same without it')
    .option('--out <folder>', 'result folder (default: out/<id>)')
    .option('--json', 'one JSON document on standard output')
    .addOption(deadlineOption())
    .action(async (flags: SearchFlags) => {
      process.exitCode = await search(flags);
    });
}

async function search(flags: SearchFlags): Promise<number> {
  const reading = readTarget(flags.target);
  if (reading.kind === 'invalid') throw new UsageError(`--target: ${reading.message}`);
  const place = await openWorkplace(flags.by);
  if (flags.detach !== true) await refuseUnwritable(flags.out ?? 'out');
  const ask = {
    target: reading.target,
    strategy: flags.strategy ?? null,
    label: flags.label ?? null,
  };
  const standing = await standingTrace(place, ask);
  if (standing !== null && standing.outcome !== null) {
    tell(
      `${standing.record.workId}: ended ${standing.outcome.settledAt}, and is shown as it stands; \`--label\` makes another search`,
    );
    return showTrace(place, standing, flags);
  }
  const record = standing?.record ?? (await fileTrace(place, ask));
  return withEngine(place, (engine) => follow(place, engine, record, flags));
}

export interface TraceAsk {
  target: string;
  strategy: TraceStrategy | null;
  label: string | null;
}

export function traceName({ idKey }: Workplace, { target, strategy, label }: TraceAsk): string {
  return idKey.nameOf('manifest', traceManifest(target, strategy, label));
}

/**
 * The newest work of the same ask, unless asking again could bring something else: one that has not
 * ended is gone on with, one that stands for good is shown.
 */
export async function standingTrace(place: Workplace, ask: TraceAsk): Promise<TraceOnFile | null> {
  const file = new TraceFile(place.archive);
  const [newest] = await file.all(traceName(place, ask));
  if (newest === undefined) return null;
  const outcome = await file.outcome(newest.folder);
  return outcome === null || standsForGood(outcome) ? { ...newest, outcome } : null;
}

/** Puts on file, and on the audit trail, what is asked for. */
export async function fileTrace(place: Workplace, ask: TraceAsk): Promise<TraceRecord> {
  const { archive, audit, environment, idKey } = place;
  const now = new Date();
  const name = traceName(place, ask);
  const workId = `${traceWorkflowId(name)}/${now.toISOString().replace(/[-:.]/g, '')}`;
  const folder = traceFolder(workId);
  const record: TraceRecord = {
    workId,
    name,
    targetName: idKey.nameOf('document', ask.target),
    ...ask,
    createdAt: now.toISOString(),
    createdBy: environment.actor,
  };
  const index = new DocumentIndexWriter(archive, `${folder}/asked`, (text) =>
    idKey.nameOf('document', text),
  );
  for (const document of documentsIn(`${ask.target} ${ask.label ?? ''}`)) {
    await index.addDocument(document);
  }
  await index.flush();
  await new TraceFile(archive).putRecord(folder, record);
  const terms = { items: 1, onUnknown: 'report', fresh: false };
  const by = environment.actor;
  await audit.appendAndAnchor([startEntry({ workId, by }, terms, now.getTime())]);
  return record;
}

/** Starts it unless it runs, and shows how it ends. */
async function follow(
  place: Workplace,
  engine: EngineClient,
  record: TraceRecord,
  flags: SearchFlags,
): Promise<number> {
  await refuseMissingSearchAttributes(engine);
  const { workId, name, target } = record;
  const workflowId = traceWorkflowId(name);
  const folder = traceFolder(workId);
  const { queueSuffix } = place;
  if (await isRunning(engine, workflowId)) tell(`${workId}: is being searched for already`);
  await engine.client.workflow.start<typeof searchTrace>('searchTrace', {
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
  tell(`${workId}: search for ${maskTarget(target)}`);
  if (flags.detach === true) {
    if (flags.json === true) printJson({ id: workId, status: 'started' });
    else print(workId);
    return exitCodes.done;
  }
  await warnWithoutPollers(engine, place, 'investigation');
  const outcome = await followByLines<TraceOutcome>(place, engine, workflowId, (current) =>
    traceLine(current, workflowId),
  );
  return showTrace(place, { folder, record, outcome }, flags);
}
