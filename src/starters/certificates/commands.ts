import { Command } from 'commander';
import { putIssuance } from '../../store/certificates/asks';
import type { LatestEdition } from '../../store/certificates/works';
import { certificateTypes, type CertificateType } from '../../domain/certificates/certificates';
import { jobIdAt } from '../../domain/job';
import { maskDocument } from '../../domain/core/documents';
import { workFolder, type WorkRecord, type WorkRef } from '../../domain/certificates/work';
import type {
  CertificateBatchInput,
  IssueCertificateInput,
  OnUnknown,
} from '../../workflows/inputs';
import { withSheets, withStart, type StartFlags } from '../cli/flags';
import { referenceOption } from '../cli/batch';
import { start } from '../cli/start-command';
import { oneOf, tell, wholeNumber } from '../cli/terminal';
import type { CommandContext } from '../jobs/context';
import type { Job } from '../jobs/job-kind';
import { problemLines } from '../jobs/text';
import { auditStart, isWithin, type Ask } from '../jobs/start-job';
import { certificateBatchKind, certificateKind } from './kind';
import {
  batchName,
  dryRun,
  fileBatch,
  issuingTerms,
  planBatch,
  readOneDocument,
  type BatchInput,
  type PlannedBatch,
} from './work';

interface TermFlags extends StartFlags {
  onUnknown: OnUnknown;
  maxAge: number;
}

interface IssueFlags extends TermFlags {
  type: CertificateType;
  document: string;
}

interface BatchTerms extends TermFlags {
  concurrency: number;
  laneRows?: number;
  maxUnknown?: number;
}

interface BatchFlags extends BatchTerms {
  input: string;
  type?: CertificateType;
  column?: string;
  reference?: string;
  sheet?: string;
}

type CertificateAsk = Ask<WorkRecord, LatestEdition>;
type WorkJob = Job<WorkRecord, LatestEdition>;

/** `diligence certificate issue|batch`. */
export function certificateCommand(): Command {
  const command = new Command('certificate').description(
    'Issue certificates: one, or a spreadsheet of thousands.',
  );
  command.addCommand(issueCommand());
  command.addCommand(batchCommand());
  return command;
}

function issueCommand(): Command {
  return withTerms(new Command('issue'))
    .description('Issue one certificate and fetch its PDF.')
    .requiredOption('--type <type>', certificateTypes.join(' or '), oneOf(certificateTypes))
    .requiredOption('--document <number>', 'CNPJ, or CPF for a labour certificate')
    .action(async (flags: IssueFlags, command: Command) => {
      const reading = readOneDocument(flags.type, flags.document);
      await start(command, certificateKind, (ctx) => prepareIssue(ctx, reading, flags));
    });
}

function batchCommand(): Command {
  return withTerms(new Command('batch'))
    .description('Issue a certificate for every line of a spreadsheet.')
    .requiredOption('--input <file>', 'CSV or .xlsx with a column of documents (see --column)')
    .option(
      '--type <type>',
      `for lines without one: ${certificateTypes.join(' or ')}`,
      oneOf(certificateTypes),
    )
    .option('--column <name>', 'the column that holds the documents: its name, letter or number')
    .addOption(referenceOption())
    .option(
      '--sheet <name>',
      'the sheet of a workbook: its name or number (default: the first with documents)',
    )
    .option('--concurrency <n>', 'rows in flight at once', wholeNumber(1, 10_000), 100)
    .option(
      '--max-unknown <n>',
      'rows that may become unknown_outcome before a person must look (default: 20, or 2 % of the rows if that is more)',
      wholeNumber(1, 1_000_000),
    )
    .option('--lane-rows <n>', 'rows per lane (for operators)', wholeNumber(1, 100_000))
    .action(async (flags: BatchFlags, command: Command) => {
      // Before anything is opened: a sheet that cannot be read leaves no trace.
      const plan = await planBatch(batchInput(flags));
      const { blank, duplicates, invalid, items, lines, unsupported } = plan.counts;
      tell(
        `${lines} lines: ${items} to issue, ${duplicates} duplicates, ${invalid} invalid, ${unsupported} unsupported, ${blank} blank`,
      );
      if (flags.dryRun !== true) for (const line of problemLines(plan.problems)) tell(line);
      await start(command, certificateBatchKind, (ctx) => prepareBatch(ctx, flags, plan));
    });
}

function withTerms(command: Command): Command {
  return withSheets(withStart(command, { deadline: '24h', maxAge: '7d' })).option(
    '--on-unknown <policy>',
    'a request whose answer was lost: report it, or reissue it once (may be charged twice)',
    oneOf(['report', 'reissue']),
    'report',
  );
}

/** Every run is a job of its own; what was bought before is found by its claims. */
async function prepareIssue(
  ctx: CommandContext,
  { document, note }: { document: string; note: string },
  flags: IssueFlags,
): Promise<CertificateAsk> {
  const workflowId = `certificate/${flags.type}/${ctx.idKey.nameOf('document', document)}`;
  const terms = issuingTerms(ctx, flags, true);
  return {
    standing: (await ctx.store.jobs.find(workflowId)) as WorkJob | null,
    stands: false,
    record: async () => {
      tell(`${flags.type} for ${maskDocument(document)}`);
      const now = new Date();
      const id = jobIdAt(workflowId, now);
      const { label = null, onUnknown, rerun = false } = flags;
      await putIssuance(ctx, id, flags.type, { document, note, label }, terms);
      await auditStart(ctx, id, { items: 1, onUnknown, rerun }, now.getTime());
      return id;
    },
    workflow: 'issueCertificate',
    workflowInput: (job): IssueCertificateInput => ({ workId: job.id, work: refOf(job), terms }),
  };
}

function batchInput({ column, input: file, reference, sheet, type }: BatchFlags): BatchInput {
  return {
    file,
    ...(type !== undefined && { type }),
    ...(column !== undefined && { column }),
    ...(reference !== undefined && { reference }),
    ...(sheet !== undefined && { sheet }),
  };
}

/** The same lines and type are the same batch, unless it ended longer ago than `--max-age`. */
export async function prepareBatch(
  ctx: CommandContext,
  flags: BatchTerms,
  plan: PlannedBatch,
): Promise<CertificateAsk> {
  const { concurrency, label = null, laneRows, maxUnknown } = flags;
  const firstId = `certificate-batch/${batchName(ctx, plan)}`;
  const standing = await newestBatch(ctx, firstId);
  const terms = issuingTerms(ctx, flags, false);
  const { epoch } = ctx.store;
  return {
    standing,
    stands: isWithin(flags.maxAge, standing) && flags.rerun !== true,
    foresee: () => dryRun(ctx, plan, terms.reuseSince),
    record: async () => {
      const now = new Date();
      // Two commands at once begin the same one.
      const id = standing === null && flags.rerun !== true ? firstId : jobIdAt(firstId, now);
      await fileBatch(ctx, plan, id, label, { ...terms, concurrency });
      const { onUnknown, rerun = false } = flags;
      await auditStart(ctx, id, { items: plan.counts.items, onUnknown, rerun }, now.getTime());
      return id;
    },
    workflow: 'certificateBatch',
    workflowInput: (job): CertificateBatchInput => ({
      workId: job.id,
      work: refOf(job),
      terms,
      concurrency,
      ...(laneRows !== undefined && { laneRows }),
      ...(maxUnknown !== undefined && { maxUnknown }),
    }),
    // One that completed before the store was restored left nothing in it.
    reuse: epoch === 1 ? 'ALLOW_DUPLICATE_FAILED_ONLY' : 'ALLOW_DUPLICATE',
    isBatch: true,
  };
}

async function newestBatch({ store }: CommandContext, firstId: string): Promise<WorkJob | null> {
  const later = await store.jobs.last<WorkRecord>(`${workFolder(firstId)}/`);
  return (await store.jobs.find(later?.record.workId ?? firstId)) as WorkJob | null;
}

function refOf({ folder, input: { items } }: WorkJob): WorkRef {
  return { folder, items, filedIn: folder };
}
