import { z } from 'zod';
import { certificateTypes } from '../../domain/certificates/certificates';
import { allRows, certificateFolder, type CertificateRecord } from '../../domain/certificates/job';
import { maskDocument } from '../../domain/core/documents/documents';
import { jobIdAt } from '../../domain/job';
import { issuances, type LatestEdition } from '../../store/certificates/jobs';
import type { CertificateBatchInput, IssueCertificateInput } from '../../workflows/inputs';
import type { CommandContext } from '../jobs/context';
import type { Job } from '../jobs/job-kind';
import { budgetTerm, inputTerms, maxAgeTerm, startTerms } from '../jobs/begin/request';
import { planOne } from '../jobs/begin/same-request';
import { startable } from '../jobs/begin/startable';
import { certificateBatchKind, certificateKind } from './kind';
import { auditStart, isWithin, type StartPlan } from '../jobs/begin/start-job';
import {
  batchName,
  dryRun,
  fileBatch,
  issuingTerms,
  planBatch,
  readOneDocument,
  type PlannedBatch,
} from './input';

const requestTerms = {
  onUnknown: z.enum(['report', 'reissue']).default('report').meta({
    value: 'policy',
    description:
      'a request whose answer was lost: report it, or reissue it once (may be charged twice)',
  }),
  ...startTerms('24h'),
  ...maxAgeTerm('7d'),
};

const type = z.enum(certificateTypes);

const certificateRequest = z.strictObject({
  type,
  document: z
    .string()
    .meta({ value: 'number', description: 'CNPJ, or CPF for a labour certificate' }),
  ...requestTerms,
});

const certificateBatchRequest = z.strictObject({
  ...inputTerms('documents', 100),
  type: type.optional().describe('for lines without one'),
  concurrency: z.int().min(1).max(10_000).default(100).describe('rows in flight at once'),
  maxUnknown: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe(
      'rows that may become unknown_outcome before a person must look (default: 20, or 2 % of the rows if that is more)',
    ),
  ...budgetTerm,
  laneRows: z.int().min(1).max(100_000).optional().describe('rows per lane (for operators)'),
  ...requestTerms,
});

type BatchTerms = Omit<
  z.output<typeof certificateBatchRequest>,
  'input' | 'column' | 'reference' | 'sheet' | 'type'
>;
type CertificateStart = StartPlan<CertificateRecord, LatestEdition>;
type CertificateJob = Job<CertificateRecord, LatestEdition>;

/** Claims show what other jobs bought. */
async function planIssue(
  ctx: CommandContext,
  request: z.output<typeof certificateRequest>,
): Promise<CertificateStart> {
  const { onUnknown, type: of } = request;
  const { document, note } = readOneDocument(of, request.document);
  const terms = issuingTerms(ctx, request, true);
  const same = issuances(ctx, of, terms, note);
  const plan = await planOne(ctx, same, document, request, { onUnknown });
  return {
    ...plan,
    record: () => {
      ctx.log(`${of} ${ctx.reader.say('for', 'para')} ${maskDocument(document)}`);
      return plan.record();
    },
    run: {
      workflow: 'issueCertificate',
      input: ({ id: jobId, input }): IssueCertificateInput => {
        return { jobId, list: allRows(input), terms };
      },
    },
  };
}

/** The same lines and type are the same batch, unless it ended longer ago than `--max-age`. */
export async function planBatchStart(
  ctx: CommandContext,
  request: BatchTerms,
  plan: PlannedBatch,
): Promise<CertificateStart> {
  const { budget, concurrency, label = null, laneRows, maxUnknown, rerun = false } = request;
  const firstId = `certificate-batch/${batchName(ctx, plan)}`;
  const existing = await newestBatch(ctx, firstId);
  const terms = issuingTerms(ctx, request, false);
  const { epoch } = ctx.store;
  return {
    existing,
    isAnswer: isWithin(request.maxAge, existing) && !rerun,
    problems: plan.problems,
    foresee: () => dryRun(ctx, plan, terms.reuseSince),
    record: async () => {
      // Named after the previous batch: two commands at once start the same one.
      const endedAt = existing?.endedAt ?? null;
      const id = endedAt === null ? firstId : jobIdAt(firstId, new Date(endedAt));
      await fileBatch(ctx, plan, id, { label, rerun }, { ...terms, budget, concurrency });
      const { onUnknown } = request;
      await auditStart(ctx, id, { items: plan.counts.items, onUnknown, rerun }, Date.now());
      return id;
    },
    run: {
      workflow: 'certificateBatch',
      input: (job): CertificateBatchInput => ({
        jobId: job.id,
        list: allRows(job.input),
        terms,
        concurrency,
        ...(laneRows !== undefined && { laneRows }),
        ...(maxUnknown !== undefined && { maxUnknown }),
        ...(budget !== undefined && { budget }),
      }),
    },
    // A batch that completed before a restore may be missing from the store.
    reuse: epoch === 1 ? 'ALLOW_DUPLICATE_FAILED_ONLY' : 'ALLOW_DUPLICATE',
    isBatch: true,
  };
}

async function newestBatch(
  { store }: CommandContext,
  firstId: string,
): Promise<CertificateJob | null> {
  const later = await store.jobs.last<CertificateRecord>(`${certificateFolder(firstId)}/`);
  return (await store.jobs.find(later?.record.jobId ?? firstId)) as CertificateJob | null;
}

export const certificate = startable(certificateKind, certificateRequest, planIssue);

export const certificates = {
  ...startable(certificateBatchKind, certificateBatchRequest, async (ctx, request) =>
    planBatchStart(ctx, request, await planBatch(ctx, request)),
  ),
  read: async (
    to: Pick<CommandContext, 'log' | 'reader'>,
    request: z.output<typeof certificateBatchRequest>,
  ) => {
    const planned = await planBatch(to, request);
    return (ctx: CommandContext) => planBatchStart(ctx, request, planned);
  },
};
