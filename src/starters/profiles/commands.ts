import { Command, Option } from 'commander';
import { ProfileRepository } from '../../store/profiles/profiles';
import { startEntry } from '../../domain/audit-entries';
import { isValidCpf, maskDocument, normaliseDocument } from '../../domain/core/documents';
import {
  profileFolder,
  profileWorkflowId,
  type ProfileOutcome,
  type ProfileRecord,
} from '../../domain/profiles/lookup';
import { queueName } from '../../domain/core/queues';
import type { EngineClient } from '../../temporal/connection';
import { refuseMissingSearchAttributes } from '../../temporal/search-attributes';
import type { lookUpProfile } from '../../workflows/profiles/look-up-profile';
import { attributesAtStart } from '../../workflows/core/search-attributes';
import {
  inputFlags,
  runBatch,
  showForeseen,
  withInput,
  withInputFile,
  type BatchFlags,
} from '../cli/batch';
import { withActor, withDetach } from '../cli/flags';
import { followByLines } from '../cli/follow';
import { jobLine } from '../cli/job-line';
import { refuseFlagsBeside } from '../cli/form-flags';
import { foreseenOf, nothingForeseen } from '../jobs/batch';
import { profileBatch, profileBatches } from './batch';
import { lookups, putLookup, showProfile, type ProfileOutput } from './outcome';
import { recordAtWork, workOfOutcome } from '../cli/single-work';
import { refuseUnwritable } from '../cli/unwritable-folder';
import { UsageError } from '../jobs/errors';
import { durationMs, exitCodes, print, printJson, tell } from '../cli/terminal';
import {
  isRunning,
  openContext,
  warnWithoutPollers,
  withEngine,
  type CommandContext,
} from '../jobs/context';

type AnyFlags = BatchFlags &
  LookupFlags & {
    input?: string;
    column?: string;
    sheet?: string;
    label?: string;
    maxAge: number;
    rerun?: true;
  };

interface LookupFlags extends ProfileOutput {
  cpf?: string;
  retryRural?: true;
  deadline: number;
  dryRun?: true;
  by?: string;
  detach?: true;
}

/** `diligence profile lookup`. */
export function profileCommand(): Command {
  const command = new Command('profile').description('Asset profiles of individuals.');
  command.addCommand(lookupCommand());
  return command;
}

function lookupCommand(): Command {
  return withInput(withDetach(withActor(new Command('lookup'))), 'CPFs', 10)
    .description(
      'Look up the asset profile of a CPF, or of each of an input: each answer may be charged for.',
    )
    .option('--cpf <number>', 'eleven digits, punctuated or not')
    .addOption(
      new Option(
        '--max-age <duration>',
        'of an input: what was answered within this time is reused',
      )
        .argParser(durationMs)
        .default(durationMs('7d'), '7d'),
    )
    .option(
      '--retry-rural',
      'ask once more when the rural part timed out or failed; of an input: also where it had',
    )
    .option('--out <folder>', 'result folder (default: out/<id>)')
    .option('--html', 'a readable page too: report.html (of an input: and one for each person)')
    .option('--excel', 'sheets for a spreadsheet program: `;`, BOM, decimal comma')
    .option('--json', 'one JSON document on standard output')
    .addOption(
      new Option('--deadline <duration>', 'time to the answer')
        .argParser(durationMs)
        .default(durationMs('15m'), '15m'),
    )
    .action(async (flags: AnyFlags, command: Command) => {
      process.exitCode = await lookUpAny(flags, command);
    });
}

async function lookUpAny(flags: AnyFlags, command: Command): Promise<number> {
  const { column, cpf, input, label = null, maxAge, rerun, sheet } = flags;
  if ((input === undefined) === (cpf === undefined)) {
    throw new UsageError('whose profile? expected one of --cpf or --input');
  }
  if (cpf !== undefined) {
    refuseFlagsBeside('--cpf', [...inputFlags, '--label', '--max-age', '--rerun'], command);
    return lookUp({ ...flags, cpf });
  }
  const ctx = await openContext(tell, flags.by);
  const choice = { ...(column !== undefined && { column }), ...(sheet !== undefined && { sheet }) };
  const terms = { retryRural: flags.retryRural === true, reuseSince: Date.now() - maxAge };
  const asked = { ...terms, choice, input: input as string, label, rerun: rerun === true };
  return withInputFile(asked.input, (path) =>
    runBatch(ctx, profileBatches, profileBatch(ctx, { ...asked, path }), flags),
  );
}

/** @throws UsageError before anything is sent; it does not quote what was typed */
export function readCpf(text: string): string {
  const digits = normaliseDocument(text);
  if (!/^\d{11}$/.test(digits)) throw new UsageError('--cpf: expected a CPF of eleven digits');
  if (!isValidCpf(digits)) throw new UsageError('--cpf: the check digits do not agree');
  return digits;
}

async function lookUp(flags: LookupFlags & { cpf: string }): Promise<number> {
  const cpf = readCpf(flags.cpf);
  const place = await openContext(tell, flags.by);
  const name = place.idKey.nameOf('document', cpf);
  const workflowId = profileWorkflowId(name);
  if (flags.dryRun === true) {
    const begun = await begunLookup(place, name);
    const found = foreseenOf(begun && { ended: false });
    return showForeseen({ ...nothingForeseen, [found]: 1 }, [], flags.json === true);
  }
  if (flags.detach !== true) await refuseUnwritable(flags.out ?? 'out');
  return withEngine(place, async (engine) => {
    const begun = await begunLookup(place, name);
    if (begun !== null) {
      const runs = await isRunning(engine, workflowId);
      tell(`${workflowId}: ${runs ? 'is being looked up already' : 'was broken off, and goes on'}`);
    }
    const record =
      begun ?? (await fileLookup(place, { cpf, name, retryRural: flags.retryRural === true }));
    return follow(place, engine, record, flags);
  });
}

/** One that runs, or was broken off before its end: it is gone on with. */
async function begunLookup({ store }: CommandContext, name: string): Promise<ProfileRecord | null> {
  const file = new ProfileRepository(store);
  const [newest] = await file.all(name);
  if (newest === undefined || (await file.outcome(newest.folder)) !== null) return null;
  return newest.record;
}

async function fileLookup(
  place: CommandContext,
  ask: { cpf: string; name: string; retryRural: boolean },
): Promise<ProfileRecord> {
  const record = await putLookup(place, ask);
  const { workId, createdBy: by, createdAt } = record;
  const terms = { items: 1, onUnknown: 'report', fresh: true };
  await place.audit.appendAndAnchor([startEntry({ workId, by }, terms, Date.parse(createdAt))]);
  return record;
}

/** Starts it unless it runs, and shows how it ends. */
async function follow(
  place: CommandContext,
  engine: EngineClient,
  record: ProfileRecord,
  flags: LookupFlags,
): Promise<number> {
  await refuseMissingSearchAttributes(engine);
  const { workId, name, cpf, retryRural } = record;
  const workflowId = profileWorkflowId(name);
  const folder = profileFolder(workId);
  const { queueSuffix } = place;
  if (!(await isRunning(engine, workflowId))) await place.store.jobs.release(folder);
  const handle = await engine.client.workflow.start<typeof lookUpProfile>('lookUpProfile', {
    workflowId,
    taskQueue: queueName('workflows', queueSuffix),
    args: [
      { ref: { workId, folder }, deadlineAt: Date.now() + flags.deadline, retryRural, queueSuffix },
    ],
    typedSearchAttributes: attributesAtStart('profile', workId),
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    priority: { priorityKey: 1 },
  });
  const atWork = await recordAtWork(place, lookups, handle, { folder, record });
  const { workId: id } = atWork.record;
  tell(`${id}: profile of ${maskDocument(cpf)}`);
  if (flags.detach === true) {
    if (flags.json === true) printJson({ id, status: 'started' });
    else print(id);
    return exitCodes.done;
  }
  await warnWithoutPollers(engine, place, 'investigation');
  const outcome = await followByLines<ProfileOutcome>(place, engine, workflowId, (current) =>
    jobLine(current, workflowId),
  );
  return showProfile(place, await workOfOutcome(place, lookups, atWork, outcome), flags);
}
