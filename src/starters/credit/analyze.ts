import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { AnalysisRepository } from '../../store/credit/analyses';
import { findLarge } from '../../store/core/large-objects';
import { analysisDecisionEntry } from '../../domain/audit-entries';
import { analysisSubject, subjectState } from '../../domain/core/attempts';
import { resultFilters, type ResultFilter } from '../../domain/credit/operation';
import { analysisWorkflowId, type AnalysisRecord } from '../../domain/credit/work';
import { queueName } from '../../domain/core/queues';
import type { EngineClient } from '../../temporal/connection';
import { refuseMissingSearchAttributes } from '../../temporal/search-attributes';
import type { analyzeCredit } from '../../workflows/credit/analyze-credit';
import { attributesAtStart } from '../../workflows/core/search-attributes';
import { rerunWords, runBatch, withBatch } from '../cli/batch';
import { deadlineOption, withActor, withDetach } from '../cli/flags';
import { refuseFlagsBeside } from '../cli/form-flags';
import { analysisBatch, analysisBatches, type FolderFlags } from './batch';
import { mayBeSent } from './check';
import { engineIdOf } from './named-engine';
import { fileRecord, forEngine, instantOf, preparedInput, putOnFile } from './input';
import { analysisOf, findAnalysis, showAnalysis, type AnalysisOnFile } from './outcome';
import { refuseLateReceipt, reissueOnRerun, resolveAttempt, standingOf } from './standing';
import { followAnalysis } from '../cli/follow';
import { CommandError, UsageError } from '../jobs/errors';
import { exitCodes, oneOf, print, printJson, tell } from '../cli/terminal';
import { refuseUnwritable } from '../cli/unwritable-folder';
import {
  isRunning,
  openContext,
  warnWithoutPollers,
  withEngine,
  type CommandContext,
} from '../jobs/context';

interface RunFlags {
  deadline: number;
  by?: string;
  out?: string;
  detach?: true;
  json?: true;
}

interface AnalyzeFlags extends RunFlags {
  cnab: string;
  xmls?: string;
  engine?: string;
  filter: ResultFilter;
  rerun?: true;
  force?: string;
}

type AnyFlags = Partial<Pick<AnalyzeFlags, 'cnab'>> &
  Omit<AnalyzeFlags, 'cnab'> &
  Omit<FolderFlags, 'input'> & { input?: string; concurrency: number; dryRun?: true };

const decisions = ['reissue', 'abandon', 'watch', 'adopt'] as const;

interface ResolveFlags extends RunFlags {
  action: (typeof decisions)[number];
  id?: string;
  operation?: string;
  note: string;
}

/** `diligence credit analyze`. */
export function analyzeCommand(): Command {
  return withBatch(withRun(new Command('analyze')), 4)
    .description('Have a CNAB file analysed, or each of a folder: sent at most once.')
    .option('--cnab <file>', 'the CNAB 400 or 444 file (remessa)')
    .option('--xmls <zip>', 'a ZIP of NF-e XML documents')
    .option('--rerun', rerunWords)
    .option('--input <folder>', 'every CNAB file (.rem) in it, X.rem with X.zip beside it')
    .option('--engine <id|name>', 'the rule engine (default: the service chooses)')
    .option(
      '--filter <filter>',
      'what result.json holds: issues or all',
      oneOf(resultFilters),
      'all',
    )
    .option('--force <reason>', 'send although the local scan refuses it; the reason is kept')
    .action(async (flags: AnyFlags, command: Command) => {
      process.exitCode = await analyzeAny(flags, command);
    });
}

async function analyzeAny(flags: AnyFlags, command: Command): Promise<number> {
  const { cnab, input } = flags;
  if ((cnab === undefined) === (input === undefined)) {
    throw new UsageError('what is analysed? expected one of --cnab or --input');
  }
  if (cnab !== undefined) {
    refuseFlagsBeside('--cnab', ['--concurrency', '--label', '--dry-run'], command);
    return analyze({ ...flags, cnab });
  }
  refuseFlagsBeside('--input', ['--xmls'], command);
  if (flags.force?.trim() === '') throw new UsageError('--force: expected a reason');
  const ctx = await openContext(tell, flags.by);
  const request = await analysisBatch(ctx, { ...flags, input: input as string });
  return runBatch(ctx, analysisBatches, request, flags);
}

/** `diligence credit resolve`. */
export function resolveAnalysisCommand(): Command {
  return withRun(new Command('resolve'))
    .description('Decide about an analysis that did not complete.')
    .argument('[id]', 'the id that `credit analyze` printed')
    .option('--id <id>', 'the same, by name')
    .requiredOption('--action <action>', decisions.join(', '), oneOf(decisions))
    .option('--operation <id>', 'for adopt: the id that the service has named')
    .requiredOption('--note <text>', 'why: kept on record')
    .action(async (argument: string | undefined, flags: ResolveFlags) => {
      const id = argument ?? flags.id;
      if (id === undefined || (flags.id !== undefined && flags.id !== id)) {
        throw new UsageError('which analysis? give its id, once (`diligence list` shows them)');
      }
      process.exitCode = await resolveAnalysis(id, flags);
    });
}

function withRun(command: Command): Command {
  return withDetach(withActor(command))
    .option('--out <folder>', 'result folder (default: out/<id>)')
    .option('--json', 'one JSON document on standard output')
    .addOption(deadlineOption());
}

async function analyze(flags: AnalyzeFlags): Promise<number> {
  const { filter, engine: wanted = null, force } = flags;
  const place = await openContext(tell, flags.by);
  // First what can be said without asking anybody.
  const scanned = await preparedInput(place, flags, null);
  if (flags.detach !== true) await refuseUnwritable(flags.out ?? 'out');
  const engineId = wanted === null ? null : await engineIdOf(place, wanted);
  const input = forEngine(place, scanned, engineId);
  return withEngine(place, async (engine) => {
    const workflowId = analysisWorkflowId(input.name);
    const begun = await alreadyBegun(place, engine, input.name, flags);
    if (begun !== null) {
      tell(`${workflowId}: is being analysed already`);
      return follow(place, engine, begun, flags);
    }
    const forced = mayBeSent(input.checked.worst) ? null : (force ?? null);
    const filed = await fileRecord(place, input, { engine: wanted, filter, forced });
    return follow(place, engine, filed, flags);
  });
}

/**
 * The same file, XMLs and engine: a work that runs, or was broken off, is gone on with.
 *
 * @throws CommandError when it has an end that a person should know of before it is bought again
 */
async function alreadyBegun(
  place: CommandContext,
  engine: EngineClient,
  name: string,
  { rerun }: AnalyzeFlags,
): Promise<AnalysisOnFile | null> {
  const standing = await standingOf(place, name);
  if (standing.kind === 'new') return null;
  const { analysis } = standing;
  if (standing.kind === 'begun' || (await isRunning(engine, analysisWorkflowId(name)))) {
    return analysis;
  }
  const { record, outcome } = analysis;
  if (rerun === true) {
    await reissueOnRerun(place, name);
    return null;
  }
  const { workId } = record;
  if (outcome?.status === 'completed') {
    throw new CommandError(
      `it was analysed already: \`diligence result ${workId}\` shows it (\`--rerun\` pays for another one)`,
    );
  }
  throw new CommandError(
    `it was sent already, and is ${outcome?.status}: \`diligence credit resolve ${workId} --action ...\` decides, \`--rerun\` may be charged twice`,
  );
}

/** Starts it unless it runs, and shows how it ends. */
async function follow(
  place: CommandContext,
  engine: EngineClient,
  { folder, record }: AnalysisOnFile,
  flags: RunFlags,
): Promise<number> {
  await refuseMissingSearchAttributes(engine);
  const { workId, name } = record;
  const workflowId = analysisWorkflowId(name);
  if (!(await isRunning(engine, workflowId))) await place.store.jobs.release(folder);
  await engine.client.workflow.start<typeof analyzeCredit>('analyzeCredit', {
    workflowId,
    taskQueue: queueName('workflows', place.queueSuffix),
    args: [
      {
        ref: { workId, folder },
        deadlineAt: Date.now() + flags.deadline,
        queueSuffix: place.queueSuffix,
      },
    ],
    typedSearchAttributes: attributesAtStart('credit-analysis', workId),
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
  });
  tell(workId);
  if (flags.detach === true) {
    if (flags.json === true) printJson({ id: workId, status: 'started' });
    else print(workId);
    return exitCodes.done;
  }
  await warnWithoutPollers(engine, place, 'credit');
  const outcome = await followAnalysis(place, engine, workflowId);
  // Somebody else may have begun the same a moment before: theirs is the one that ran.
  const own = { folder, record, outcome };
  const ran = outcome.workId === workId ? own : await analysisOf(place, outcome.workId);
  return showAnalysis(place, ran, flags);
}

async function resolveAnalysis(id: string, flags: ResolveFlags): Promise<number> {
  const { action, operation } = flags;
  if ((action === 'adopt') !== (operation !== undefined)) {
    throw new UsageError('--operation goes with --action adopt, and adopt needs it');
  }
  const place = await openContext(tell, flags.by);
  if (flags.detach !== true) await refuseUnwritable(flags.out ?? 'out');
  const found = await findAnalysis(place, id);
  if (found === null) throw new CommandError(`no analysis ${id} in this store`);
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
      workId: `${analysisWorkflowId(found.record.name)}/${instantOf(now)}`,
      createdAt: now.toISOString(),
      createdBy: place.environment.actor,
    };
    return follow(place, engine, await putOnFile(place, next), flags);
  });
}

function refuseUndecidable({ record: { workId: id }, outcome }: AnalysisOnFile): void {
  if (outcome === null) {
    throw new CommandError(`${id} has not ended: \`diligence status ${id}\` shows how it stands`);
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
      `${id}: its file is not in the store any more: \`diligence credit analyze --cnab FILE --rerun\` sends it`,
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
