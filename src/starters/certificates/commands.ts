import { Command } from 'commander';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { startEntry } from '../../domain/audit-entries';
import {
  certificateTypes,
  type BatchSummary,
  type CertificateType,
} from '../../domain/certificates/certificates';
import { maskDocument } from '../../domain/core/documents';
import { queueName } from '../../domain/core/queues';
import type { WorkRef } from '../../domain/certificates/work';
import type { EngineClient } from '../../temporal/connection';
import { refuseMissingSearchAttributes } from '../../temporal/search-attributes';
import type { certificateBatch } from '../../workflows/certificates/certificate-batch';
import type { issueCertificate } from '../../workflows/certificates/issue-certificate';
import type { IssuingTerms } from '../../workflows/messages';
import { attributesAtStart } from '../../workflows/core/search-attributes';
import {
  issuingTerms,
  outputOf,
  withDetach,
  withOutput,
  withTerms,
  type OutputFlags,
  type TermFlags,
} from '../cli/flags';
import { showBatch, showSingle } from './outcome';
import { resolveCommand } from './resolve';
import {
  batchName,
  dryRun,
  fileBatch,
  fileSingle,
  planBatch,
  readOneDocument,
  type BatchInput,
} from './work';
import { followWork } from '../cli/follow';
import { exitCodes, oneOf, print, printJson, tell, wholeNumber } from '../cli/terminal';
import { findWork } from '../cli/works-on-file';
import {
  isRunning,
  openContext,
  warnWithoutPollers,
  withEngine,
  type CommandContext,
} from '../jobs/context';

type BatchFlags = TermFlags &
  OutputFlags & {
    input: string;
    type?: CertificateType;
    column?: string;
    sheet?: string;
    concurrency: number;
    label?: string;
    dryRun?: true;
    laneRows?: number;
  };

type IssueFlags = TermFlags & OutputFlags & { type: CertificateType; document: string };

/** `diligence certificate issue|batch|resolve`. */
export function certificateCommand(): Command {
  const command = new Command('certificate').description(
    'Issue certificates: one, or a spreadsheet of thousands.',
  );
  command.addCommand(issueCommand());
  command.addCommand(batchCommand());
  command.addCommand(resolveCommand());
  return command;
}

function issueCommand(): Command {
  return withTerms(withDetach(withOutput(new Command('issue'))))
    .description('Issue one certificate and fetch its PDF.')
    .requiredOption('--type <type>', certificateTypes.join(' or '), oneOf(certificateTypes))
    .requiredOption('--document <number>', 'CNPJ, or CPF for a labour certificate')
    .action(async (flags: IssueFlags) => {
      process.exitCode = await issue(flags);
    });
}

function batchCommand(): Command {
  return withTerms(withDetach(withOutput(new Command('batch'))))
    .description('Issue a certificate for every line of a spreadsheet.')
    .requiredOption('--input <file>', 'CSV or .xlsx with a column of documents (see --column)')
    .option(
      '--type <type>',
      `for lines without one: ${certificateTypes.join(' or ')}`,
      oneOf(certificateTypes),
    )
    .option('--column <name>', 'the column that holds the documents: its name, letter or number')
    .option('--sheet <name>', 'the sheet of a workbook: its name or number (default: the first)')
    .option('--concurrency <n>', 'rows in flight at once', wholeNumber(1, 10_000), 100)
    .option('--label <text>', 'makes this another batch than the same file without it')
    .option('--dry-run', 'show what would be issued and what reused, send nothing')
    .option('--lane-rows <n>', 'rows per lane (for operators)', wholeNumber(1, 100_000))
    .action(async (flags: BatchFlags) => {
      process.exitCode = await batch(flags);
    });
}

async function issue(flags: IssueFlags): Promise<number> {
  const { document, note } = readOneDocument(flags.type, flags.document);
  const place = await openContext(tell, flags.by);
  const name = place.idKey.nameOf('document', document);
  const workflowId = `certificate/${flags.type}/${name}`;
  return withEngine(place, async (engine) => {
    if (await isRunning(engine, workflowId)) {
      tell(`${workflowId}: is being issued already`);
      if (flags.detach === true) return detached(workflowId, flags.json === true);
      const summary = await followWork(place, engine, workflowId);
      return showSingle(place, summary, outputOf(flags, workflowId));
    }
    await refuseMissingSearchAttributes(engine);
    const workId = await singleId(place, workflowId);
    const terms = issuingTerms(place, flags, true);
    const work = await fileSingle(place, workId, flags.type, { document, note }, terms);
    await place.store.jobs.release(work.folder);
    await recordStart(place, workId, work, flags);
    await engine.client.workflow.start<typeof issueCertificate>('issueCertificate', {
      workflowId,
      taskQueue: queueName('workflows', place.queueSuffix),
      args: [{ workId, work, terms }],
      typedSearchAttributes: attributesAtStart('certificate', workId),
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      priority: { priorityKey: 1 },
    });
    tell(`${workflowId}: ${flags.type} for ${maskDocument(document)}`);
    if (flags.detach === true) return detached(workflowId, flags.json === true);
    await warnWithoutPollers(engine, place);
    const summary = await followWork(place, engine, workflowId);
    return showSingle(place, summary, outputOf(flags, workflowId));
  });
}

/**
 * Every run is a work of its own; what was bought before is found by its claims. One that was
 * broken off before it had a result is gone on with.
 */
async function singleId(place: CommandContext, workflowId: string): Promise<string> {
  const latest = await findWork(place, workflowId);
  if (latest !== null && (await place.works.summary(latest.folder)) === null) {
    return latest.record.workId;
  }
  return `${workflowId}/${instant()}`;
}

async function batch(flags: BatchFlags): Promise<number> {
  const input: BatchInput = {
    file: flags.input,
    ...(flags.type !== undefined && { type: flags.type }),
    ...(flags.column !== undefined && { column: flags.column }),
    ...(flags.sheet !== undefined && { sheet: flags.sheet }),
    ...(flags.label !== undefined && { label: flags.label }),
  };
  const plan = await planBatch(input);
  const place = await openContext(tell, flags.by);
  const terms = issuingTerms(place, flags, false);
  if (flags.dryRun === true) return showDryRun(place, input, terms, flags.json === true);
  const { counts } = plan;
  tell(
    `${counts.lines} lines: ${counts.items} to issue, ${counts.duplicates} duplicates, ${counts.invalid} invalid, ${counts.unsupported} unsupported, ${counts.blank} blank`,
  );
  return withEngine(place, async (engine) => {
    const baseId = `certificate-batch/${batchName(place, plan)}`;
    const { workflowId, finished } = await batchId(place, engine, baseId, flags);
    tell(workflowId);
    if (finished !== null) {
      tell(
        `this batch ended ${finished.finishedAt}: its results are shown. \`--label\` makes another batch that reuses what was issued, \`--fresh\` buys all of it again`,
      );
      return showBatch(place, finished, outputOf(flags, workflowId));
    }
    await refuseMissingSearchAttributes(engine);
    const work = await fileBatch(place, plan, workflowId, terms);
    if (!(await isRunning(engine, workflowId))) await place.store.jobs.release(work.folder);
    await recordStart(place, workflowId, work, flags);
    await startBatch(engine, place, workflowId, { flags, terms, work });
    if (flags.detach === true) return detached(workflowId, flags.json === true);
    await warnWithoutPollers(engine, place);
    const summary = await followWork(place, engine, workflowId);
    return showBatch(place, summary, outputOf(flags, workflowId));
  });
}

/**
 * The id under which this batch runs, and its summary when it has ended within `--max-age`
 * (the store is asked first).
 */
async function batchId(
  place: CommandContext,
  engine: EngineClient,
  baseId: string,
  flags: TermFlags,
): Promise<{ workflowId: string; finished: BatchSummary | null }> {
  const anew = { workflowId: `${baseId}/${instant()}`, finished: null };
  if (flags.fresh === true) return anew;
  const latest = await findWork(place, baseId, 'newest');
  if (latest === null) return { workflowId: baseId, finished: null };
  const { workId } = latest.record;
  const summary = await place.works.summary(latest.folder);
  // Running, or broken off before its results were put together: attach, or go on under its id.
  if (summary === null || (await isRunning(engine, workId))) {
    return { workflowId: workId, finished: null };
  }
  const age = Date.now() - Date.parse(summary.finishedAt);
  return age <= flags.maxAge ? { workflowId: workId, finished: summary } : anew;
}

async function startBatch(
  engine: EngineClient,
  place: CommandContext,
  workflowId: string,
  {
    flags,
    terms,
    work,
  }: {
    flags: BatchFlags;
    terms: IssuingTerms;
    work: { items: number; folder: string; filedIn: string };
  },
): Promise<void> {
  try {
    await engine.client.workflow.start<typeof certificateBatch>('certificateBatch', {
      workflowId,
      taskQueue: queueName('workflows', place.queueSuffix),
      args: [
        {
          workId: workflowId,
          work,
          terms,
          concurrency: flags.concurrency,
          ...(flags.laneRows !== undefined && { laneRows: flags.laneRows }),
        },
      ],
      typedSearchAttributes: attributesAtStart('certificate-batch', workflowId),
      workflowIdConflictPolicy: 'USE_EXISTING',
      // One that completed before the store was restored left nothing in it.
      workflowIdReusePolicy:
        place.store.epoch === 1 ? 'ALLOW_DUPLICATE_FAILED_ONLY' : 'ALLOW_DUPLICATE',
    });
  } catch (error) {
    // Completed in between: its result is what was asked for.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

async function showDryRun(
  place: CommandContext,
  input: BatchInput,
  terms: IssuingTerms,
  json: boolean,
): Promise<number> {
  const found = await dryRun(place, input, terms.reuseSince);
  if (json) {
    printJson({ dryRun: true, ...found });
    return exitCodes.done;
  }
  print(`would request ${found.request}, reuse ${found.reuse} issued already`);
  if (found.underWay > 0)
    print(`${found.underWay} are under way for another work and would be shared`);
  if (found.unknown > 0)
    print(`${found.unknown} have an unknown outcome elsewhere and would stay so`);
  for (const { line, status, code, message } of found.problems.slice(0, 50)) {
    print(`  line ${line}: ${status} (${code}): ${message}`);
  }
  const more = found.problems.length - 50;
  if (more > 0) print(`  and ${more} more`);
  print('nothing was sent');
  return exitCodes.done;
}

/** On the audit trail before the engine is told. */
async function recordStart(
  { audit, environment }: CommandContext,
  workId: string,
  { items }: WorkRef,
  { onUnknown, fresh }: TermFlags,
): Promise<void> {
  const terms = { items, onUnknown, fresh: fresh === true };
  await audit.appendAndAnchor([startEntry({ workId, by: environment.actor }, terms, Date.now())]);
}

function detached(workflowId: string, json: boolean): number {
  if (json) printJson({ id: workflowId, status: 'started' });
  else print(workflowId);
  return exitCodes.done;
}

/** An instant as part of an id: `20261121T101530123Z`. */
function instant(): string {
  return new Date().toISOString().replace(/[-:.]/g, '');
}
