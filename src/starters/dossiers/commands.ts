import { Command } from 'commander';
import { DossierRepository } from '../../store/dossiers/dossiers';
import { startEntry } from '../../domain/audit-entries';
import { isUuid } from '../../domain/core/uuid';
import { dossierDecisionEntry } from '../../domain/dossiers/audit';
import {
  dossierFolder,
  dossierWorkflowId,
  reviewActions,
  reviewPolicies,
  type DossierOutcome,
  type DossierRecord,
  type ReviewAction,
  type ReviewPolicy,
} from '../../domain/dossiers/follow';
import { queueName } from '../../domain/core/queues';
import type { EngineClient } from '../../temporal/connection';
import { refuseMissingSearchAttributes } from '../../temporal/search-attributes';
import type { followDossier } from '../../workflows/dossiers/follow-dossier';
import { cancelUpdate, decideDossierUpdate } from '../../workflows/messages';
import { attributesAtStart, workIdOf } from '../../workflows/core/search-attributes';
import { inputFlags, runBatch, withInput, withInputFile, type BatchFlags } from '../cli/batch';
import { withActor, withDetach } from '../cli/flags';
import { refuseFlagsBeside } from '../cli/form-flags';
import {
  dossierLine,
  dossierOf,
  followerOf,
  refusalOf,
  showDossier,
  type DossierOutput,
} from './outcome';
import { dossierBatches, followBatch } from './batch';
import { deadlineOption } from './deadline';
import { dossierListCommand } from './list';
import { retryFailedCommand } from './retry-failed';
import { followByLines } from '../cli/follow';
import { CommandError, UsageError } from '../jobs/errors';
import { exitCodes, namedOnce, oneOf, print, printJson, tell, wholeNumber } from '../cli/terminal';
import { refuseUnwritable } from '../cli/unwritable-folder';
import {
  isNotFound,
  openContext,
  warnWithoutPollers,
  withEngine,
  type CommandContext,
} from '../jobs/context';

/** More attempts than this are a mistake. */
const mostAttempts = 20;

/** Far above what the workflow gives a cancellation, whose bound is its own. */
const cancelDeadlineMs = 3_600_000;

interface CancelFlags extends DossierOutput {
  by?: string;
  detach?: true;
}

interface StartFlags extends CancelFlags {
  deadline: number;
}

interface FollowFlags extends StartFlags {
  maxAttempts: number;
  onReview: ReviewPolicy;
}

type AnyFollowFlags = FollowFlags &
  BatchFlags & {
    id?: string;
    input?: string;
    column?: string;
    sheet?: string;
    label?: string;
    rerun?: true;
  };

/** `diligence dossier ...`. */
export function dossierCommand(): Command {
  const command = new Command('dossier').description(
    'Dossiers: followed to their end, tried again, decided on, cancelled.',
  );
  const commands = [
    followCommand(),
    decideCommand(),
    cancelCommand(),
    dossierListCommand(),
    retryFailedCommand(),
  ];
  for (const one of commands) command.addCommand(one);
  return command;
}

function followCommand(): Command {
  return withInput(withStart(idCommand('follow')), 'ids of dossiers', 10)
    .description('Follow a dossier, or each of an input, to its end: costs nothing by itself.')
    .option(
      '--max-attempts <n>',
      'the highest attempt number that it may cause: each retry may be charged',
      wholeNumber(1, mostAttempts),
      1,
    )
    .option(
      '--on-review <policy>',
      'a dossier that needs a review: wait for `dossier decide`, accept it, fail, or leave it',
      oneOf(reviewPolicies),
      'wait',
    )
    .addOption(deadlineOption('time to its end, reviews and further attempts included'))
    .action(async (id: string | undefined, flags: AnyFollowFlags, command: Command) => {
      process.exitCode = await followAny(id, flags, command);
    });
}

async function followAny(
  id: string | undefined,
  flags: AnyFollowFlags,
  command: Command,
): Promise<number> {
  const { column, input, label = null, maxAttempts, onReview, rerun, sheet } = flags;
  if (input === undefined) {
    const own = [...inputFlags, '--label', '--dry-run', '--rerun'];
    refuseFlagsBeside('one dossier', own, command);
    return start(dossierIdOf(id, flags), flags, { maxAttempts, onReview, toCancel: false });
  }
  if ((id ?? flags.id) !== undefined) throw new UsageError('--input does not go with an id');
  const ctx = await openContext(tell, flags.by);
  const choice = { ...(column !== undefined && { column }), ...(sheet !== undefined && { sheet }) };
  const asked = { input, choice, label, rerun: rerun === true, maxAttempts, onReview };
  return withInputFile(input, (path) =>
    runBatch(ctx, dossierBatches, followBatch(ctx, { ...asked, path }), flags),
  );
}

function cancelCommand(): Command {
  return withStart(idCommand('cancel'))
    .description('Cancel a dossier at the service, and tell the state that it reaches.')
    .action(async (id: string | undefined, flags: CancelFlags & { id?: string }) => {
      process.exitCode = await cancel(dossierIdOf(id, flags), flags);
    });
}

interface DecideFlags {
  id?: string;
  action: ReviewAction;
  note: string;
  maxAttempts?: number;
  by?: string;
  json?: true;
}

function decideCommand(): Command {
  return withActor(idCommand('decide'))
    .description('Decide about a dossier that needs a review, while it is followed.')
    .requiredOption('--action <action>', reviewActions.join(', '), oneOf(reviewActions))
    .requiredOption('--note <text>', 'why: it is kept')
    .option(
      '--max-attempts <n>',
      'with retry: the highest attempt number that the work may cause from now on',
      wholeNumber(1, mostAttempts),
    )
    .option('--json', 'one JSON document on standard output')
    .action(async (id: string | undefined, flags: DecideFlags) => {
      await decide(dossierIdOf(id, flags), flags);
    });
}

function idCommand(name: string): Command {
  return new Command(name)
    .argument('[id]', 'the id of the dossier: a UUID')
    .option('--id <id>', 'the same, by name');
}

function withStart(command: Command): Command {
  return withDetach(withActor(command))
    .option('--out <folder>', 'result folder (default: out/<id>)')
    .option('--json', 'one JSON document on standard output');
}

/** @throws UsageError before anything is sent */
export function dossierIdOf(positional: string | undefined, flags: { id?: string }): string {
  const id = namedOnce(positional, flags.id, { flagName: '--id', what: 'dossiers' });
  if (id === undefined) throw new UsageError('which dossier? give its id');
  if (!isUuid(id)) throw new UsageError('--id: expected the id of a dossier, a UUID');
  return id.trim().toLowerCase();
}

type Asked = Pick<DossierRecord, 'maxAttempts' | 'onReview' | 'toCancel'>;

/**
 * Who follows it already is shown; a work that was broken off goes on when it was asked for in the same
 * terms. Nobody is given what somebody else has asked for: that may cost money, or cancel the dossier.
 */
async function start(dossierId: string, flags: StartFlags, asked: Asked): Promise<number> {
  const place = await openContext(tell, flags.by);
  if (flags.detach !== true) await refuseUnwritable(flags.out ?? 'out');
  return withEngine(place, async (engine) => {
    await refuseMissingSearchAttributes(engine);
    const running = await followerOf(engine, dossierId);
    if (running !== null)
      return attach(place, engine, { dossierId, workId: running }, flags, asked);
    const record =
      (await brokenOff(place, dossierId, asked)) ?? (await fileAsked(place, dossierId, asked));
    const { workId } = record;
    const runs = await begin(place, engine, record, flags.deadline);
    if (runs === workId) return follow(place, engine, { dossierId, workId }, flags);
    // Another command was faster.
    await place.store.jobs.remove(dossierFolder(workId));
    return attach(place, engine, { dossierId, workId: runs }, flags, asked);
  });
}

/** The last work about it, which does not run, where it was asked for in the same terms. */
async function brokenOff(
  { store }: CommandContext,
  dossierId: string,
  asked: Asked,
): Promise<DossierRecord | null> {
  const file = new DossierRepository(store);
  const [newest] = await file.all(dossierId);
  if (newest === undefined || (await file.outcome(newest.folder)) !== null) return null;
  const { record } = newest;
  const { maxAttempts, onReview, toCancel, workId } = record;
  const isSame =
    maxAttempts === asked.maxAttempts && onReview === asked.onReview && toCancel === asked.toCancel;
  tell(
    isSame
      ? `${workId} was broken off, and goes on`
      : `${workId} was broken off, and is left: it was asked for ${termsOf(record)}`,
  );
  return isSame ? record : null;
}

function termsOf({ maxAttempts, onReview, toCancel }: Asked): string {
  if (toCancel) return 'to cancel the dossier';
  return `with --max-attempts ${maxAttempts} --on-review ${onReview}`;
}

async function fileAsked(
  { store, audit, environment }: CommandContext,
  dossierId: string,
  asked: Asked,
): Promise<DossierRecord> {
  const now = new Date();
  const instant = now.toISOString().replace(/[-:.]/g, '');
  const workId = `${dossierWorkflowId(dossierId)}/${instant}`;
  const createdBy = environment.actor;
  const record = { workId, dossierId, ...asked, createdAt: now.toISOString(), createdBy };
  await new DossierRepository(store).putRecord(dossierFolder(workId), record);
  const terms = { items: 1, onUnknown: asked.toCancel ? 'cancel' : 'report', fresh: true };
  const entry = startEntry({ workId, by: createdBy }, terms, now.getTime());
  const { details } = entry;
  await audit.appendAndAnchor([
    { ...entry, details: { ...details, maxAttempts: asked.maxAttempts } },
  ]);
  return record;
}

/** @returns the work that follows it now: another one, where that was faster */
async function begin(
  { queueSuffix, store }: CommandContext,
  engine: EngineClient,
  { dossierId, maxAttempts, onReview, toCancel, workId }: DossierRecord,
  deadlineMs: number,
): Promise<string> {
  if ((await followerOf(engine, dossierId)) === null) {
    await store.jobs.release(dossierFolder(workId));
  }
  const handle = await engine.client.workflow.start<typeof followDossier>('followDossier', {
    workflowId: dossierWorkflowId(dossierId),
    taskQueue: queueName('workflows', queueSuffix),
    args: [
      {
        ref: { workId, folder: dossierFolder(workId), dossierId },
        deadlineAt: Date.now() + deadlineMs,
        maxAttempts,
        onReview,
        toCancel,
        atOnce: false,
        interactive: true,
        queueSuffix,
      },
    ],
    typedSearchAttributes: attributesAtStart('dossier', workId),
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    priority: { priorityKey: 1 },
  });
  const { typedSearchAttributes } = await handle.describe();
  return workIdOf(typedSearchAttributes) ?? workId;
}

interface Running {
  dossierId: string;
  workId: string;
}

/** Says in which terms it runs, where they are others. */
async function attach(
  place: CommandContext,
  engine: EngineClient,
  running: Running,
  flags: StartFlags,
  asked: Asked,
): Promise<number> {
  const { dossierId, workId } = running;
  tell(`${dossierWorkflowId(dossierId)}: is followed already, by ${workId}`);
  const record = await new DossierRepository(place.store).record(dossierFolder(workId));
  if (record !== null && !asked.toCancel && termsOf(record) !== termsOf(asked)) {
    tell(`it was asked for ${termsOf(record)}`);
  }
  const isToCancel = asked.toCancel && record?.toCancel !== true;
  if (isToCancel) await tellFollower(place, engine, running);
  return follow(place, engine, running, flags);
}

/** Shows how it ends. */
async function follow(
  place: CommandContext,
  engine: EngineClient,
  { dossierId, workId }: Running,
  flags: StartFlags,
): Promise<number> {
  const workflowId = dossierWorkflowId(dossierId);
  tell(workId);
  if (flags.detach === true) {
    if (flags.json === true) printJson({ id: workId, status: 'started' });
    else print(workId);
    return exitCodes.done;
  }
  await warnWithoutPollers(engine, place, 'investigation');
  const outcome = await followByLines<DossierOutcome>(place, engine, workflowId, (current) =>
    dossierLine(current, workflowId),
  );
  return showDossier(place, outcome, flags);
}

/** Through the work that follows it, if one runs; else by a work of its own. */
async function cancel(dossierId: string, flags: CancelFlags): Promise<number> {
  const terms = { maxAttempts: 1, onReview: 'wait', toCancel: true } as const;
  return start(dossierId, { ...flags, deadline: cancelDeadlineMs }, terms);
}

async function tellFollower(
  place: CommandContext,
  engine: EngineClient,
  { dossierId, workId }: Running,
): Promise<void> {
  const by = place.environment.actor;
  const entry = dossierDecisionEntry('cancel_remote', { workId, by }, Date.now());
  await place.audit.appendAndAnchor([entry]);
  const handle = engine.client.workflow.getHandle(dossierWorkflowId(dossierId));
  try {
    tell(await handle.executeUpdate(cancelUpdate, { args: [{ now: true, remote: true }] }));
  } catch (error) {
    await place.audit.appendAndAnchor([{ ...entry, result: 'refused' }]);
    if (!isNotFound(error)) throw refusalOf(workId, error);
    throw new CommandError(`${workId} has just ended: \`diligence result ${workId}\``);
  }
}

async function decide(dossierId: string, flags: DecideFlags): Promise<void> {
  if (flags.note.trim() === '') throw new UsageError('--note: say why');
  if (flags.maxAttempts !== undefined && flags.action !== 'retry') {
    throw new UsageError('--max-attempts goes with --action retry');
  }
  const place = await openContext(tell, flags.by);
  const { outcome, record } = await dossierOf(place, dossierWorkflowId(dossierId));
  const { action, maxAttempts, note } = flags;
  const by = place.environment.actor;
  const at = new Date();
  await withEngine(place, async (engine) => {
    // The newest on file need not be the one that runs: works of a batch are as old as their batch.
    const runs = await followerOf(engine, dossierId);
    const workId = runs ?? record.workId;
    if (runs === null && outcome !== null) {
      throw new CommandError(
        `${workId} has ended (${outcome.status}): \`diligence dossier follow --id ${dossierId}\` follows it again`,
      );
    }
    const entry = dossierDecisionEntry(action, { workId, by }, at.getTime());
    await place.audit.appendAndAnchor([entry]);
    const handle = engine.client.workflow.getHandle(dossierWorkflowId(dossierId));
    const decision = {
      action,
      note,
      by,
      at: at.toISOString(),
      maxAttempts: maxAttempts ?? null,
    };
    try {
      const answer = await handle.executeUpdate(decideDossierUpdate, { args: [decision] });
      if (flags.json === true) printJson({ id: workId, action, answer });
      else print(answer);
    } catch (error) {
      await place.audit.appendAndAnchor([{ ...entry, result: 'refused' }]);
      if (isNotFound(error)) throw new CommandError(`${workId} does not run`);
      throw refusalOf(workId, error);
    }
  });
}
