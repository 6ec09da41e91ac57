import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { AnalysisRepository } from '../../store/credit/analyses';
import { findLarge } from '../../store/core/large-objects';
import { analysisDecisionEntry } from '../../domain/audit-entries';
import { analysisSubject, subjectState } from '../../domain/core/attempts';
import {
  analysisWorkflowId,
  type AnalysisOutcome,
  type AnalysisRecord,
} from '../../domain/credit/work';
import type { EngineClient } from '../../temporal/connection';
import { deadlineOption, withActor, withDetach } from '../cli/flags';
import { followStarted } from '../cli/start-command';
import { exitCodes, namedOnce, oneOf, print, tell } from '../cli/terminal';
import { refuseUnwritable } from '../cli/unwritable-folder';
import { isRunning, openContext, withEngine, type CommandContext } from '../jobs/context';
import { CommandError, UsageError } from '../jobs/errors';
import { findJob } from '../jobs/find-job';
import { jobIdAt, startJob } from '../jobs/start-job';
import { workflowOf } from './analyze';
import { putOnFile } from './input';
import { analysisKind } from './kind';
import { refuseLateReceipt, resolveAttempt, type AnalysisOnFile } from './standing';

const decisions = ['reissue', 'abandon', 'watch', 'adopt'] as const;

interface ResolveFlags {
  action: (typeof decisions)[number];
  id?: string;
  operation?: string;
  note: string;
  deadline: number;
  by?: string;
  out?: string;
  detach?: true;
  json?: true;
}

/** `diligence credit resolve`. */
export function resolveAnalysisCommand(): Command {
  return withDetach(withActor(new Command('resolve')))
    .description('Decide about an analysis that did not complete.')
    .argument('[id]', 'the id that `credit analyze` printed')
    .option('--id <id>', 'the same, by name')
    .requiredOption('--action <action>', decisions.join(', '), oneOf(decisions))
    .option('--operation <id>', 'for adopt: the id that the service has named')
    .requiredOption('--note <text>', 'why: kept on record')
    .option('--out <folder>', 'result folder (default: out/<id>)')
    .option('--json', 'one JSON document on standard output')
    .addOption(deadlineOption())
    .action(async (argument: string | undefined, flags: ResolveFlags) => {
      const id = namedOnce(argument, flags.id, { flagName: '--id', what: 'analyses' });
      if (id === undefined) {
        throw new UsageError('which analysis? give its id (`diligence list` shows them)');
      }
      process.exitCode = await resolveAnalysis(id, flags);
    });
}

async function resolveAnalysis(id: string, flags: ResolveFlags): Promise<number> {
  const { action, operation } = flags;
  if ((action === 'adopt') !== (operation !== undefined)) {
    throw new UsageError('--operation goes with --action adopt, and adopt needs it');
  }
  const place = await openContext(tell, flags.by);
  if (flags.detach !== true) await refuseUnwritable(flags.out ?? 'out');
  const { folder, input, outcome } = await findJob<AnalysisRecord, AnalysisOutcome>(place, id);
  const found: AnalysisOnFile = { folder, record: input, outcome };
  refuseUndecidable(await standingNow(place, found));
  return withEngine(place, async (engine) => {
    await refuseRunning(engine, found.record);
    await decide(place, await standingNow(place, found), flags);
    if (action === 'abandon') {
      print(`${found.record.workId}: abandoned`);
      return exitCodes.done;
    }
    const now = new Date();
    const next: AnalysisRecord = {
      ...found.record,
      workId: jobIdAt(analysisWorkflowId(found.record.name), now),
      createdAt: now.toISOString(),
      createdBy: place.environment.actor,
    };
    const { record } = await putOnFile(place, next);
    const job = await findJob<AnalysisRecord, AnalysisOutcome>(place, record.workId);
    const terms = workflowOf(place, flags.deadline);
    const started = await startJob(place, engine, analysisKind, job, terms);
    return followStarted(place, engine, analysisKind, started, flags);
  });
}

function refuseUndecidable({ record: { workId: id }, outcome }: AnalysisOnFile): void {
  if (outcome === null) {
    throw new CommandError(`${id} has not ended: \`diligence show ${id}\` shows how it stands`);
  }
  if (outcome.status === 'completed') {
    throw new CommandError(`${id} is completed: nothing to decide`);
  }
}

/** Of what was asked for last, and what nobody works on. */
async function decide(
  place: CommandContext,
  found: AnalysisOnFile,
  { action, operation, note }: ResolveFlags,
): Promise<void> {
  const { record } = found;
  const id = record.workId;
  const history = await place.store.attempts.of(analysisSubject(record.name));
  const state = subjectState(history, Date.now());
  if (action !== 'reissue' && state.kind !== 'unknown' && state.kind !== 'accepted') {
    throw new CommandError(`${id}: nothing is at the service that could be ${action}ed`);
  }
  if (action === 'adopt' && state.kind === 'accepted') {
    throw new CommandError(`${id} has the operation ${state.externalId}: watch it instead`);
  }
  if (action === 'reissue') refuseLateReceipt(found, state);
  if (action === 'reissue' && !(await isOnFile(place, record))) {
    throw new CommandError(
      `${id}: its file is not in the store any more: \`diligence credit analyze --input FILE --rerun\` sends it`,
    );
  }
  if (action === 'watch') {
    const operationId = state.kind === 'accepted' ? state.externalId : null;
    const about = { workId: record.workId, by: place.environment.actor, operationId };
    await place.audit.appendAndAnchor([analysisDecisionEntry(action, about, Date.now())]);
  } else if (state.kind !== 'free') {
    await resolveAttempt(place, record, state.n, { action, operationId: operation ?? null, note });
  }
}

/** @throws CommandError while a workflow of the same thing runs: it may be sending */
async function refuseRunning(
  engine: EngineClient,
  { name, workId }: AnalysisRecord,
): Promise<void> {
  const workflowId = analysisWorkflowId(name);
  // Its end stands on file a moment before the engine closes it.
  for (let look = 0; look < 10; look += 1) {
    if (!(await isRunning(engine, workflowId))) return;
    await sleep(500);
  }
  throw new CommandError(
    `${workflowId} is still running: decide about ${workId} when it has ended`,
  );
}

/**
 * The same analysis as it stands now.
 *
 * @throws CommandError when the same was asked for again since: its claim would be decided about
 */
async function standingNow(
  place: CommandContext,
  { folder, record }: AnalysisOnFile,
): Promise<AnalysisOnFile> {
  const analyses = new AnalysisRepository(place.store);
  const newest = await analyses.newest(record.name);
  if (newest !== null && newest.folder !== folder) {
    throw new CommandError(
      `${record.workId}: asked for again since: decide about ${newest.record.workId}`,
    );
  }
  return { folder, record, outcome: await analyses.outcome(folder) };
}

/** Whether what was uploaded can be sent again: an erasure may have taken it. */
async function isOnFile(
  { store }: CommandContext,
  { cnab, xmls }: AnalysisRecord,
): Promise<boolean> {
  for (const input of xmls === null ? [cnab] : [cnab, xmls]) {
    if ((await findLarge(store, input.key)) === null) return false;
  }
  return true;
}
