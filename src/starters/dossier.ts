import { Command } from 'commander';
import { DossierFile } from '../archive/dossiers';
import { startEntry } from '../domain/audit-entries';
import { isUuid } from '../domain/credit/engine';
import { dossierDecisionEntry } from '../domain/dossiers/audit';
import {
  dossierFolder,
  dossierWorkflowId,
  reviewActions,
  reviewPolicies,
  type DossierOutcome,
  type DossierRecord,
  type ReviewAction,
  type ReviewPolicy,
} from '../domain/dossiers/follow';
import { queueName } from '../domain/queues';
import type { EngineClient } from '../temporal/connection';
import { refuseMissingSearchAttributes } from '../temporal/search-attributes';
import type { followDossier } from '../workflows/follow-dossier';
import { cancelDossierUpdate, decideDossierUpdate } from '../workflows/messages';
import { attributesAtStart } from '../workflows/search-attributes';
import { withActor, withDetach } from './certificate-flags';
import {
  dossierLine,
  dossierOf,
  refusalOf,
  showDossier,
  type DossierOutput,
} from './dossier-outcome';
import { deadlineOption } from './dossier-deadline';
import { dossierListCommand } from './dossier-list';
import { retryFailedCommand } from './dossier-retry-failed';
import { followByLines } from './follow';
import {
  CommandError,
  exitCodes,
  oneOf,
  print,
  printJson,
  tell,
  UsageError,
  wholeNumber,
} from './terminal';
import {
  isNotFound,
  isRunning,
  openWorkplace,
  warnWithoutPollers,
  withEngine,
  type Workplace,
} from './workplace';

/** More attempts than this are a mistake. */
const mostAttempts = 20;

interface StartFlags extends DossierOutput {
  deadline: number;
  by?: string;
  detach?: true;
}

interface FollowFlags extends StartFlags {
  maxAttempts: number;
  onReview: ReviewPolicy;
}

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
  return withStart(idCommand('follow'))
    .description('Follow a dossier to its end and file its report: costs nothing by itself.')
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
    .action(async (id: string | undefined, flags: FollowFlags & { id?: string }) => {
      const { maxAttempts, onReview } = flags;
      process.exitCode = await start(dossierIdOf(id, flags), flags, {
        maxAttempts,
        onReview,
        toCancel: false,
      });
    });
}

function cancelCommand(): Command {
  return withStart(idCommand('cancel'))
    .description('Cancel a dossier at the service, and tell the state that it reaches.')
    .action(async (id: string | undefined, flags: StartFlags & { id?: string }) => {
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
    .option('--json', 'one JSON document on standard output')
    .addOption(deadlineOption('time to its end, reviews and further attempts included'));
}

/** @throws UsageError before anything is sent */
export function dossierIdOf(positional: string | undefined, flags: { id?: string }): string {
  const id = positional ?? flags.id;
  if (id === undefined) throw new UsageError('which dossier? give its id');
  if (!isUuid(id)) throw new UsageError('--id: expected the id of a dossier, a UUID');
  return id.toLowerCase();
}

type Asked = Pick<DossierRecord, 'maxAttempts' | 'onReview' | 'toCancel'>;

async function start(dossierId: string, flags: StartFlags, asked: Asked): Promise<number> {
  const place = await openWorkplace(flags.by);
  const workflowId = dossierWorkflowId(dossierId);
  return withEngine(place, async (engine) => {
    const begun = await begunWork(place, dossierId);
    if (begun !== null) {
      const runs = await isRunning(engine, workflowId);
      tell(`${workflowId}: ${runs ? 'is followed already' : 'was broken off, and goes on'}`);
      if (begun.maxAttempts !== asked.maxAttempts) {
        tell(`it may cause attempt ${begun.maxAttempts} at most, as it was started with`);
      }
    }
    const record = begun ?? (await fileAsked(place, dossierId, asked));
    return follow(place, engine, record, flags);
  });
}

/** One that runs, or was broken off before its end: it is gone on with. */
async function begunWork({ archive }: Workplace, dossierId: string): Promise<DossierRecord | null> {
  const file = new DossierFile(archive);
  const [newest] = await file.all(dossierId);
  if (newest === undefined || (await file.outcome(newest.folder)) !== null) return null;
  return newest.record;
}

async function fileAsked(
  { archive, audit, environment }: Workplace,
  dossierId: string,
  asked: Asked,
): Promise<DossierRecord> {
  const now = new Date();
  const instant = now.toISOString().replace(/[-:.]/g, '');
  const workId = `${dossierWorkflowId(dossierId)}/${instant}`;
  const createdBy = environment.actor;
  const record = { workId, dossierId, ...asked, createdAt: now.toISOString(), createdBy };
  await new DossierFile(archive).putRecord(dossierFolder(workId), record);
  const terms = { items: 1, onUnknown: asked.toCancel ? 'cancel' : 'report', fresh: true };
  const entry = startEntry({ workId, by: createdBy }, terms, now.getTime());
  const { details } = entry;
  await audit.appendAndAnchor([
    { ...entry, details: { ...details, maxAttempts: asked.maxAttempts } },
  ]);
  return record;
}

/** Starts it unless it runs, and shows how it ends. */
async function follow(
  place: Workplace,
  engine: EngineClient,
  record: DossierRecord,
  flags: StartFlags,
): Promise<number> {
  await refuseMissingSearchAttributes(engine);
  const { dossierId, maxAttempts, onReview, toCancel, workId } = record;
  const workflowId = dossierWorkflowId(dossierId);
  const folder = dossierFolder(workId);
  const { queueSuffix } = place;
  await engine.client.workflow.start<typeof followDossier>('followDossier', {
    workflowId,
    taskQueue: queueName('workflows', queueSuffix),
    args: [
      {
        ref: { workId, folder, dossierId },
        deadlineAt: Date.now() + flags.deadline,
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
  return showDossier(place, { folder, record, outcome }, flags);
}

/** Through the work that follows it, if one runs; else by a work of its own. */
async function cancel(dossierId: string, flags: StartFlags): Promise<number> {
  const place = await openWorkplace(flags.by);
  const begun = await begunWork(place, dossierId);
  if (begun !== null && !begun.toCancel) {
    await tellFollower(place, begun);
  }
  return start(dossierId, flags, { maxAttempts: 1, onReview: 'wait', toCancel: true });
}

async function tellFollower(place: Workplace, { dossierId, workId }: DossierRecord): Promise<void> {
  const by = place.environment.actor;
  const entry = dossierDecisionEntry('cancel_remote', { workId, by }, Date.now());
  await place.audit.appendAndAnchor([entry]);
  await withEngine(place, async (engine) => {
    const handle = engine.client.workflow.getHandle(dossierWorkflowId(dossierId));
    try {
      tell(await handle.executeUpdate(cancelDossierUpdate, { args: [{ remote: true }] }));
    } catch (error) {
      await place.audit.appendAndAnchor([{ ...entry, result: 'refused' }]);
      if (!isNotFound(error)) throw refusalOf(workId, error);
      throw new CommandError(
        `${workId} was broken off: \`diligence dossier follow --id ${dossierId}\` goes on with it, and then it can be cancelled`,
      );
    }
  });
}

async function decide(dossierId: string, flags: DecideFlags): Promise<void> {
  if (flags.note.trim() === '') throw new UsageError('--note: say why');
  if (flags.maxAttempts !== undefined && flags.action !== 'retry') {
    throw new UsageError('--max-attempts goes with --action retry');
  }
  const place = await openWorkplace(flags.by);
  const { outcome, record } = await dossierOf(place, dossierWorkflowId(dossierId));
  const { workId } = record;
  if (outcome !== null) {
    throw new CommandError(
      `${workId} has ended (${outcome.status}): \`diligence dossier follow --id ${dossierId}\` follows it again`,
    );
  }
  const { action, maxAttempts, note } = flags;
  const by = place.environment.actor;
  const at = new Date();
  const entry = dossierDecisionEntry(action, { workId, by }, at.getTime());
  await place.audit.appendAndAnchor([entry]);
  await withEngine(place, async (engine) => {
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
