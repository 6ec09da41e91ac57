import { Command } from 'commander';
import { exitCodeOf } from '../../domain/attention';
import { resolveEntry } from '../../domain/audit-entries';
import { queueName } from '../../domain/core/queues';
import type { EngineClient } from '../../temporal/connection';
import { refuseMissingSearchAttributes } from '../../temporal/search-attributes';
import {
  decisionActions,
  decisionFolder,
  type DecidedRow,
  type DecisionAction,
  type DecisionRecord,
  type WorkRecord,
} from '../../domain/certificates/work';
import type { BatchSummary } from '../../domain/certificates/certificates';
import type { LatestEdition } from '../../store/certificates/works';
import type { certificateResolve } from '../../workflows/certificates/certificate-resolve';
import { attributesAtStart } from '../../workflows/core/search-attributes';
import { refuseForeignId } from '../jobs/adopted-id';
import { deadlineOption, withActor, withDetach, withOutput, type OutputFlags } from '../cli/flags';
import { defaultFolder } from '../cli/print-job';
import { followStarted } from '../cli/start-command';
import { oneOf, print, tell, wholeNumber } from '../cli/terminal';
import { isRunning, openContext, withEngine, type CommandContext } from '../jobs/context';
import { CommandError, UsageError } from '../jobs/errors';
import { findJob, nextStep, viewJob } from '../jobs/find-job';
import type { Job, JobKind } from '../jobs/job-kind';
import { certificateBatchKind, certificateKind, decisionKind } from './kind';
import { laneIds } from './lanes';
import { issuingTerms } from './work';

type WorkJob = Job<WorkRecord, LatestEdition>;

const openStatuses = ['unknown_outcome', 'failed', 'expired', 'cancelled'] as const;
type OpenStatus = (typeof openStatuses)[number];

type ResolveFlags = OutputFlags & {
  batch: string;
  line?: number[];
  status?: OpenStatus[];
  all?: true;
  action: DecisionAction;
  certidao?: string;
  note: string;
  by?: string;
  deadline: number;
};

/** `diligence certificate resolve`: a person's decision about rows that need one. */
export function resolveCommand(): Command {
  return withActor(withDetach(withOutput(new Command('resolve'))))
    .description('Decide about rows whose outcome is unknown, failed or expired.')
    .requiredOption('--batch <id>', 'the id of the batch, or of a single issuance')
    .option('--line <n>', 'a line of the input (repeat it for more)', collectLines)
    .option('--status <list>', `comma separated: ${openStatuses.join(', ')}`, statusList)
    .option('--all', 'every unknown, failed and expired row')
    .requiredOption(
      '--action <action>',
      'reissue (send again), abandon (give up), watch (look for a late answer), adopt (--certidao)',
      oneOf(decisionActions),
    )
    .option('--certidao <uuid>', 'for adopt: the id that the service has named')
    .requiredOption('--note <text>', 'why, for the record')
    .addOption(deadlineOption())
    .action(async (flags: ResolveFlags) => {
      process.exitCode = await resolveRows(flags);
    });
}

async function resolveRows(flags: ResolveFlags): Promise<number> {
  const selectors = [flags.line, flags.status, flags.all].filter((one) => one !== undefined);
  if (selectors.length !== 1) {
    throw new UsageError('which rows? expected one of --line, --status or --all');
  }
  if ((flags.action === 'adopt') !== (flags.certidao !== undefined)) {
    throw new UsageError('--certidao goes with --action adopt, and adopt needs it');
  }
  const place = await openContext(tell, flags.by);
  const found = await findJob<WorkRecord, LatestEdition>(place, flags.batch);
  const { folder, id, input: record } = found;
  await refuseUnended(place, found);
  const rows = await chooseRows(place, folder, flags);
  if (rows.length === 0) {
    print('no row to decide about');
    return 0;
  }
  if (flags.action === 'adopt' && rows.length !== 1) {
    throw new UsageError('--action adopt takes exactly one row: name it with --line');
  }
  const [only] = rows;
  if (flags.certidao !== undefined && only !== undefined) {
    await refuseForeignId(place, folder, only, flags.certidao);
  }
  return withEngine(place, async (engine) => {
    await refuseWhileRunning(place, engine, found);
    await refuseMissingSearchAttributes(engine);
    const { decision, auditHead } = await fileDecision(place, found, rows, flags);
    const workflowId = `${id}/decision-${decision}`;
    tell(`${workflowId}: ${flags.action} for ${rows.length} row(s)`);
    tell(`audit head: ${auditHead}`);
    const work = { folder, items: record.items, filedIn: folder };
    const { deadline } = flags;
    const given = { deadline, maxAge: 7 * 86_400_000, onUnknown: 'report' } as const;
    const terms = issuingTerms(place, given, rows.length <= 10);
    await engine.client.workflow.start<typeof certificateResolve>('certificateResolve', {
      workflowId,
      taskQueue: queueName('workflows', place.queueSuffix),
      args: [{ workId: record.workId, work, decision, terms, concurrency: 100 }],
      typedSearchAttributes: attributesAtStart('certificate-decision', record.workId),
    });
    const job = await findJob<DecisionRecord, BatchSummary>(place, workflowId);
    const out = flags.out ?? defaultFolder(id);
    const exitCode = await followStarted(place, engine, decisionKind, job, { ...flags, out });
    if (flags.detach === true) return exitCode;
    // The batch carries what is left.
    const { kind, needsAttention, status } = await findJob(place, id);
    return exitCodeOf(kind, { status: status ?? '', needsAttention });
  });
}

/** The rows meant, judged by what is on file now: an issued row is never among them. */
async function chooseRows(
  place: CommandContext,
  folder: string,
  flags: ResolveFlags,
): Promise<DecidedRow[]> {
  const wantedLines = flags.line === undefined ? null : new Set(flags.line);
  const wantedStatuses = new Set<string>(
    flags.status ?? (flags.all === true ? ['unknown_outcome', 'failed', 'expired'] : openStatuses),
  );
  const chosen: DecidedRow[] = [];
  for await (const page of place.works.standing(folder)) {
    for (const { row, outcome } of page) {
      // Nothing can be asked for without a document; a line of this number is not found then.
      if (row.kind !== 'item' || row.erased) continue;
      const { item, line } = row;
      if (wantedLines !== null && !wantedLines.delete(line)) continue;
      const { status, certidaoId, attempts } = outcome ?? neverSent;
      if (status === 'issued' || !wantedStatuses.has(status)) {
        if (wantedLines === null) continue;
        throw new CommandError(`line ${line} is ${status}: nothing to decide`);
      }
      chosen.push({ item, line, status, certidaoId, attempts });
    }
  }
  if (wantedLines !== null && wantedLines.size > 0) {
    throw new CommandError(
      `line ${[...wantedLines].join(', ')}: not a line that can be issued (blank, invalid, erased, or a duplicate: name its first line)`,
    );
  }
  return chosen;
}

/** A work that has ended and filed nothing about an item never asked for it. */
const neverSent = { status: 'cancelled', certidaoId: null, attempts: 0 } as const;

/**
 * Before its end a row without an outcome may be on its way, whatever the store holds of it. A work
 * that the engine has lost is gone on with first.
 */
async function refuseUnended(place: CommandContext, job: WorkJob): Promise<void> {
  if (job.outcome !== null) return;
  const { state } = await viewJob(place, kindOfWork(job), job);
  if (state === null) return;
  if (state === 'running') throw stillRunning(job.id);
  throw new CommandError(`${job.id} has not ended: ${nextStep(state) ?? ''}`);
}

function kindOfWork({ kind }: WorkJob): JobKind {
  return kind === 'certificate' ? certificateKind : certificateBatchKind;
}

/** Rows of a running work or decision may be on their way: they are decided on when it has ended. */
async function refuseWhileRunning(
  place: CommandContext,
  engine: EngineClient,
  job: WorkJob,
): Promise<void> {
  const { id, folder, input } = job;
  const ids = [kindOfWork(job).workflowId(input, id), ...laneIds(id)];
  for (const { number } of await place.works.decisions(folder)) {
    if ((await place.works.decisionSummary(folder, number)) !== null) continue;
    const decisionId = `${id}/decision-${number}`;
    ids.push(decisionId, ...laneIds(decisionId));
  }
  for (const running of new Set(ids)) {
    if (await isRunning(engine, running)) throw stillRunning(id);
  }
}

function stillRunning(id: string): CommandError {
  return new CommandError(
    `${id} is still running: decide when it has ended, or \`diligence cancel ${id}\` first`,
  );
}

/** Numbers the decision and puts it on file, and on the audit trail, before anything is done. */
async function fileDecision(
  { store, audit, environment }: CommandContext,
  { folder, input: work }: WorkJob,
  rows: DecidedRow[],
  flags: ResolveFlags,
): Promise<{ decision: number; auditHead: string }> {
  for (let number = 1; ; number += 1) {
    const record: DecisionRecord = {
      number,
      action: flags.action,
      certidaoId: flags.certidao ?? null,
      note: flags.note,
      by: environment.actor,
      at: new Date().toISOString(),
      rows,
    };
    const id = `${work.workId}/decision-${number}`;
    const start = { id, kind: 'decision', createdAt: record.at, label: null } as const;
    const entry = resolveEntry(work.workId, record);
    if (await store.jobs.start(decisionFolder(folder, number), start, record, [entry])) {
      return { decision: number, auditHead: await audit.anchor() };
    }
  }
}

function collectLines(text: string, before: number[] | undefined): number[] {
  const lines = text.split(',').map(wholeNumber(1, 100_000_000));
  return [...(before ?? []), ...lines];
}

function statusList(text: string): OpenStatus[] {
  return text.split(',').map(oneOf(openStatuses));
}
