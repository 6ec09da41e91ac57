import { WorkflowUpdateFailedError } from '@temporalio/client';
import { Command } from 'commander';
import { exitCodeOf } from '../../domain/attention';
import { dossierBatchEnd } from '../../domain/job-ends';
import { DossierBatchRepository } from '../../store/dossiers/dossier-batches';
import { orderEntry, startEntry } from '../../domain/audit-entries';
import { reviewPolicies, type ReviewPolicy } from '../../domain/dossiers/follow';
import {
  dossierBatchFolder,
  type DossierBatchOutcome,
  type DossierBatchRecord,
} from '../../domain/dossiers/retry-batch';
import { mostPlanned, RetryPlanner, type RetryPlan } from '../../domain/dossiers/retry-plan';
import { queueName } from '../../domain/core/queues';
import type { EngineClient } from '../../temporal/connection';
import { refuseMissingSearchAttributes } from '../../temporal/search-attributes';
import { cancelUpdate, dossierBatchProgressQuery } from '../../workflows/messages';
import type { retryFailedDossiers } from '../../workflows/dossiers/retry-failed-dossiers';
import { attributesAtStart } from '../../workflows/core/search-attributes';
import { withActor, withDetach } from '../cli/flags';
import { deadlineOption } from './deadline';
import { eachDossier } from './list';
import { followByLines } from '../cli/follow';
import { CommandError } from '../jobs/errors';
import { counted } from '../jobs/text';
import { sinceOf, exitCodes, oneOf, print, printJson, tell, wholeNumber } from '../cli/terminal';
import { refuseAllButCancel, type WorkFamily } from '../cli/work-family';
import {
  isNotFound,
  isRunning,
  openContext,
  warnWithoutPollers,
  withEngine,
  type CommandContext,
} from '../jobs/context';

interface RetryFlags {
  since?: { at: number; words: string };
  limit: number;
  maxAttempts?: number;
  onReview: ReviewPolicy;
  deadline: number;
  yes?: true;
  by?: string;
  detach?: true;
  json?: true;
}

/** `diligence dossier retry-failed`. */
export function retryFailedCommand(): Command {
  return withDetach(withActor(new Command('retry-failed')))
    .description('Try failed dossiers of the list again: shows which, and with --yes does it.')
    .option(
      '--since <when>',
      'changed since: a date (UTC), an instant, or a time ago (7d)',
      sinceOf,
    )
    .option('--limit <n>', 'dossiers at most', wholeNumber(1, mostPlanned), 20)
    .option(
      '--max-attempts <n>',
      'leave those whose attempt has this number (default: one more of each)',
      wholeNumber(2, 20),
    )
    .option(
      '--on-review <policy>',
      'a dossier that needs a review then: leave it, wait, accept it, or fail',
      oneOf(reviewPolicies),
      'leave',
    )
    .addOption(deadlineOption('time to the end of all of them'))
    .option('--yes', 'really: each new attempt may be charged')
    .option('--json', 'one JSON document on standard output')
    .action(async (flags: RetryFlags) => {
      process.exitCode = flags.yes === true ? await retryAll(flags) : await dryRun(flags);
    });
}

function termsOf({ limit, maxAttempts, since }: RetryFlags) {
  return { since: since?.at ?? null, limit, maxAttempts: maxAttempts ?? null };
}

/** Reads, and sends nothing. */
async function dryRun(flags: RetryFlags): Promise<number> {
  const planner = new RetryPlanner(termsOf(flags));
  const unreadable = await eachDossier('failed', (dossier) => planner.consider(dossier));
  for (let left = unreadable; left > 0; left -= 1) planner.consider(null);
  const { plan } = planner;
  if (flags.json === true) {
    printJson({ dryRun: true, exitCode: exitCodes.done, ...plan });
    return exitCodes.done;
  }
  print(`${plan.dossiers.length} would be tried again`);
  for (const { dossierId, from } of plan.dossiers) print(`  ${dossierId}  attempt ${from + 1}`);
  for (const line of leftLines(plan.left)) print(line);
  print('nothing was sent: --yes tries them again, and each new attempt may be charged');
  return exitCodes.done;
}

const leftWords: Record<keyof RetryPlan['left'], string> = {
  not_retryable: 'the service says that they are not worth it',
  max_attempts: 'have had their attempts',
  attempt_unknown: 'do not tell the number of their attempt',
  older: 'changed last before --since',
  beyond_limit: 'are beyond --limit',
  unreadable: 'could not be read',
};

function leftLines(left: RetryPlan['left']): string[] {
  return Object.entries(left).map(
    ([why, count]) => `  left: ${count} ${leftWords[why as keyof RetryPlan['left']]}`,
  );
}

async function retryAll(flags: RetryFlags): Promise<number> {
  const place = await openContext(tell, flags.by);
  return withEngine(place, async (engine) => {
    await refuseMissingSearchAttributes(engine);
    const record = (await unended(place, engine, flags)) ?? (await fileAsked(place, flags));
    const { workId } = record;
    const { queueSuffix } = place;
    await engine.client.workflow.start<typeof retryFailedDossiers>('retryFailedDossiers', {
      workflowId: workId,
      taskQueue: queueName('workflows', queueSuffix),
      args: [
        {
          ref: { workId, folder: dossierBatchFolder(workId) },
          record,
          deadlineAt: Date.now() + flags.deadline,
          queueSuffix,
        },
      ],
      typedSearchAttributes: attributesAtStart('dossier-batch', workId),
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    });
    tell(workId);
    if (flags.detach === true) {
      if (flags.json === true) printJson({ id: workId, status: 'started' });
      else print(workId);
      return exitCodes.done;
    }
    await warnWithoutPollers(engine, place, 'investigation');
    const outcome = await followByLines<DossierBatchOutcome>(place, engine, workId, (current) =>
      batchLine(current, workId),
    );
    return show(outcome, flags.json === true);
  });
}

/** The same command goes on with what it began: what was tried again then is not tried again now. */
async function unended(
  { store }: CommandContext,
  engine: EngineClient,
  flags: RetryFlags,
): Promise<DossierBatchRecord | null> {
  const file = new DossierBatchRepository(store);
  for (const { folder, record } of await file.all()) {
    if ((await file.outcome(folder)) !== null) continue;
    const { workId } = record;
    const runs = await isRunning(engine, workId);
    if (wordsOf(record) === wordsOf(asked(flags))) {
      const planned = (await file.plan(folder))?.dossiers.length;
      const of = planned === undefined ? '' : ` with the ${planned} dossiers that it found then`;
      tell(`${workId} ${runs ? 'runs already' : `was broken off, and goes on${of}`}`);
      return record;
    }
    const flagsOf = wordsOf(record);
    if (!runs) tell(`${workId} was broken off, and is left: \`${flagsOf}\` goes on with it`);
  }
  return null;
}

type Asked = Pick<DossierBatchRecord, 'terms' | 'since' | 'onReview'>;

function asked(flags: RetryFlags): Asked {
  return { terms: termsOf(flags), since: flags.since?.words ?? null, onReview: flags.onReview };
}

function wordsOf({ onReview, since, terms: { limit, maxAttempts } }: Asked): string {
  const from = since === null ? '' : ` --since ${since}`;
  const most = maxAttempts === null ? '' : ` --max-attempts ${maxAttempts}`;
  return `diligence dossier retry-failed${from} --limit ${limit}${most} --on-review ${onReview} --yes`;
}

async function fileAsked(
  { store, audit, environment }: CommandContext,
  flags: RetryFlags,
): Promise<DossierBatchRecord> {
  const now = new Date();
  const workId = `dossier-batch/${now.toISOString().replace(/[-:.]/g, '')}`;
  const createdBy = environment.actor;
  const record = { workId, ...asked(flags), createdAt: now.toISOString(), createdBy };
  await new DossierBatchRepository(store).putRecord(dossierBatchFolder(workId), record);
  const terms = { items: flags.limit, onUnknown: 'report', fresh: true };
  await audit.appendAndAnchor([startEntry({ workId, by: createdBy }, terms, now.getTime())]);
  return record;
}

function show(outcome: DossierBatchOutcome, json: boolean): number {
  const exitCode = exitCodeOf('dossier-batch', dossierBatchEnd(outcome));
  const { billing, error, items, left, status, workId } = outcome;
  if (json) {
    printJson({ id: workId, exitCode, outcome });
    return exitCode;
  }
  print(`${status}: ${items.length} dossiers`);
  for (const { caused, dossierId, possibleAttempt, status: its, why } of items) {
    const attempts = caused === 0 ? 'no new attempt' : counted(caused, 'new attempt');
    const lost = possibleAttempt ? ', and perhaps one more: its answer was lost' : '';
    print(`  ${dossierId}  ${(its ?? why ?? '-').padEnd(12)} ${attempts}${lost}`);
  }
  for (const line of leftLines(left)) print(line);
  for (const { amount, count, status: word, unit } of billing) {
    print(`  billing: ${count} ${word ?? '-'}: ${amount ?? '-'} ${unit ?? ''}`.trimEnd());
  }
  if (error !== null) print(`  error      ${error.code ?? '-'}: ${error.message}`);
  return exitCode;
}

async function batchLine(engine: EngineClient, workId: string): Promise<string | null> {
  const handle = engine.client.workflow.getHandle(workId);
  const progress = await handle.query(dossierBatchProgressQuery).catch(() => null);
  if (progress === null) return null;
  const { cancelling, ended, stage, total, underWay, waiting } = progress;
  const held = `${waiting === null ? '' : ` (${waiting})`}${cancelling ? ', cancelling' : ''}`;
  if (stage === 'planning') return `${workId}: reading the list${held}`;
  return `${workId}: ${ended} of ${total} ended, ${underWay} under way${held}`;
}

async function batchOf({ store }: CommandContext, id: string) {
  const file = new DossierBatchRepository(store);
  const folder = dossierBatchFolder(id);
  const record = /^dossier-batch\/\d{8}T\d+Z$/.test(id) ? await file.record(folder) : null;
  if (record === null) throw new CommandError(`no work ${id} in this store`);
  return { record, outcome: await file.outcome(folder) };
}

async function showStatus(place: CommandContext, id: string, json: boolean): Promise<void> {
  const { outcome, record } = await batchOf(place, id);
  const running =
    outcome !== null
      ? null
      : await withEngine(place, async (engine) =>
          (await isRunning(engine, id))
            ? ((await batchLine(engine, id)) ?? `${id}: runs; no worker tells how far`)
            : null,
        );
  if (json) {
    const { createdAt, createdBy } = record;
    const state = outcome !== null ? 'ended' : running === null ? 'broken off' : 'running';
    printJson({
      id,
      kind: 'dossier-batch',
      createdAt,
      createdBy,
      state,
      progress: running,
      outcome,
    });
  } else if (outcome !== null) show(outcome, false);
  else print(running ?? `${id}: was broken off: \`${wordsOf(record)}\` goes on with it`);
}

async function cancelBatch(place: CommandContext, id: string): Promise<void> {
  const { outcome, record } = await batchOf(place, id);
  if (outcome !== null) throw new CommandError(`${id} has ended: \`diligence result ${id}\``);
  const by = place.environment.actor;
  const entry = orderEntry('cancel', { workId: id, by }, Date.now());
  await place.audit.appendAndAnchor([entry]);
  await withEngine(place, async (engine) => {
    try {
      const handle = engine.client.workflow.getHandle(id);
      print(await handle.executeUpdate(cancelUpdate, { args: [{ now: false }] }));
    } catch (error) {
      const isRefused = error instanceof WorkflowUpdateFailedError;
      if (!isRefused && !isNotFound(error)) throw error;
      await place.audit.appendAndAnchor([{ ...entry, result: 'refused' }]);
      throw new CommandError(
        isRefused
          ? `${id}: ${error.cause?.message ?? 'refused'}`
          : `${id} does not run: \`${wordsOf(record)}\` goes on with it`,
      );
    }
  });
}

export const dossierBatchWorks: WorkFamily = {
  owns: (id) => id.startsWith('dossier-batch/'),
  status: showStatus,
  result: async (place, id, { json }) => {
    const { outcome } = await batchOf(place, id);
    if (outcome === null) throw new CommandError(`${id} has not ended: \`diligence status ${id}\``);
    return show(outcome, json === true);
  },
  order: async (place, id, name) => {
    refuseAllButCancel(id, name, 'retries of dossiers');
    await cancelBatch(place, id);
  },
};
