import { Command } from 'commander';
import type { WorkflowHandle } from '@temporalio/client';
import { filedOutcomes } from '../archive/works';
import { mergeOutcomes, type OutcomeRecord } from '../domain/outcomes';
import { queueName } from '../domain/queues';
import type { EngineClient } from '../temporal/connection';
import {
  decisionActions,
  decisionFolder,
  type DecidedRow,
  type DecisionAction,
  type DecisionRecord,
} from '../domain/work';
import type { certificateResolve } from '../workflows/certificate-resolve';
import { showBatch, showSingle } from './certificate-outcome';
import { issuingTerms, outputOf, withOutput, withTerms, type TermFlags } from './certificate-flags';
import { followWork } from './follow';
import { CommandError, UsageError, oneOf, print, tell, wholeNumber } from './terminal';
import { findWork } from './works-on-file';
import {
  isRunning,
  openWorkplace,
  warnWithoutPollers,
  withEngine,
  type Workplace,
} from './workplace';

const openStatuses = ['unknown_outcome', 'failed', 'expired', 'cancelled'] as const;
type OpenStatus = (typeof openStatuses)[number];

type ResolveFlags = TermFlags & {
  batch: string;
  line?: number[];
  status?: OpenStatus[];
  all?: true;
  action: DecisionAction;
  certidao?: string;
  note: string;
  by?: string;
  out?: string;
  excel?: true;
  pdfNames: 'id' | 'reference';
  detach?: true;
  json?: true;
};

/** `diligence certificate resolve`: a person's decision about rows that need one. */
export function resolveCommand(): Command {
  return withTerms(withOutput(new Command('resolve')))
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
    .option('--by <name>', 'who decides (default: DILIGENCE_ACTOR, else the system user)')
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
  const place = await openWorkplace();
  const found = await findWork(place, flags.batch);
  if (found === null) throw new CommandError(`no work ${flags.batch} in this archive`);
  const { folder, record } = found;
  const rows = await chooseRows(place, folder, flags);
  if (rows.length === 0) {
    print('no row to decide about');
    return 0;
  }
  if (flags.action === 'adopt' && rows.length !== 1) {
    throw new UsageError('--action adopt takes exactly one row: name it with --line');
  }
  return withEngine(place, async (engine) => {
    await refuseWhileRunning(engine, record.workId, flags.batch);
    const decision = await fileDecision(place, folder, rows, flags);
    const workflowId = `${record.workId}/decision-${decision}`;
    tell(`${workflowId}: ${flags.action} for ${rows.length} row(s)`);
    const work = { folder, items: record.items, filedIn: folder };
    const terms = issuingTerms(place, flags, rows.length <= 10);
    const handle = await engine.client.workflow.start<typeof certificateResolve>(
      'certificateResolve',
      {
        workflowId,
        taskQueue: queueName('workflows', place.queueSuffix),
        args: [{ workId: record.workId, work, decision, terms, concurrency: 100 }],
      },
    );
    if (flags.detach === true) {
      print(workflowId);
      return 0;
    }
    await warnWithoutPollers(engine, place);
    const summary = await followWork(engine, handle as WorkflowHandle);
    const output = outputOf(flags, flags.batch);
    return record.kind === 'certificate'
      ? showSingle(place, summary, output)
      : showBatch(place, summary, output);
  });
}

/** The rows meant, judged by what is on file now: an issued row is never among them. */
async function chooseRows(
  place: Workplace,
  folder: string,
  flags: ResolveFlags,
): Promise<DecidedRow[]> {
  const filed = new Map<number, OutcomeRecord[]>();
  for await (const { records } of filedOutcomes(place.archive, folder)) {
    for (const record of records) {
      filed.set(record.item, [...(filed.get(record.item) ?? []), record]);
    }
  }
  const wantedLines = flags.line === undefined ? null : new Set(flags.line);
  const wantedStatuses = new Set<string>(
    flags.status ?? (flags.all === true ? ['unknown_outcome', 'failed', 'expired'] : openStatuses),
  );
  const chosen: DecidedRow[] = [];
  for await (const item of place.works.items(folder)) {
    const outcome = mergeOutcomes(filed.get(item.item) ?? []) ?? neverSent(item.item);
    if (wantedLines !== null && !wantedLines.delete(item.line)) continue;
    if (outcome.status === 'issued' || !wantedStatuses.has(outcome.status)) {
      if (wantedLines === null) continue;
      throw new CommandError(`line ${item.line} is ${outcome.status}: nothing to decide`);
    }
    const { status, certidaoId, attempts } = outcome;
    chosen.push({ item: item.item, line: item.line, status, certidaoId, attempts });
  }
  if (wantedLines !== null && wantedLines.size > 0) {
    throw new CommandError(
      `line ${[...wantedLines].join(', ')}: not a line that was to be issued (blank, invalid, or a duplicate: name its first line)`,
    );
  }
  return chosen;
}

/** A work that has ended and filed nothing about an item never asked for it. */
function neverSent(item: number): Pick<DecidedRow, 'item' | 'certidaoId' | 'attempts'> & {
  status: 'cancelled' | 'issued';
} {
  return { item, status: 'cancelled', certidaoId: null, attempts: 0 };
}

/** Rows of a running work may be on their way: they are decided on when it has ended. */
async function refuseWhileRunning(
  engine: EngineClient,
  workId: string,
  shownId: string,
): Promise<void> {
  const lanes = Array.from({ length: 8 }, (_, n) => `${workId}/lane-${String(n).padStart(4, '0')}`);
  for (const id of new Set([workId, shownId, ...lanes])) {
    if (!(await isRunning(engine, id))) continue;
    throw new CommandError(
      `${shownId} is still running: decide when it has ended, or \`diligence cancel ${shownId}\` first`,
    );
  }
}

/** Numbers the decision and puts it on file before anything is done. */
async function fileDecision(
  place: Workplace,
  folder: string,
  rows: DecidedRow[],
  flags: ResolveFlags,
): Promise<number> {
  for (let number = 1; ; number += 1) {
    const record: DecisionRecord = {
      number,
      action: flags.action,
      certidaoId: flags.certidao ?? null,
      note: flags.note,
      by: flags.by ?? place.environment.actor,
      at: new Date().toISOString(),
      rows,
    };
    const key = `${decisionFolder(folder, number)}/decision.json`;
    const put = await place.archive.putIfAbsent(key, JSON.stringify(record), { durable: true });
    if (put === 'stored') return number;
  }
}

function collectLines(text: string, before: number[] | undefined): number[] {
  const lines = text.split(',').map(wholeNumber(1, 100_000_000));
  return [...(before ?? []), ...lines];
}

function statusList(text: string): OpenStatus[] {
  return text.split(',').map(oneOf(openStatuses));
}
