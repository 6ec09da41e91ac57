import { z } from 'zod';
import { resultFilters } from '../../domain/credit/operation';
import type { AnalysisOutcome, AnalysisRecord } from '../../domain/credit/job';
import type { AnalyzeCreditInput } from '../../workflows/inputs';
import type { CommandContext } from '../jobs/context';
import type { Job } from '../jobs/job-kind';
import { budgetTerm, startTerms } from '../jobs/begin/request';
import { isWithin, type StartPlan } from '../jobs/begin/start-job';
import { mayBeSent } from './check';
import { engineTerms, preparedInput, recordInput } from './input';
import { reissueOnRerun, existingAnalysis } from './existing';

const requestTerms = {
  engine: z
    .string()
    .optional()
    .describe('id or name of the rule engine; default: the service chooses'),
  filter: z.enum(resultFilters).default('all').describe('what result.json holds'),
  force: z.string().optional().describe('why it is sent although the local scan refuses it'),
  ...startTerms('24h'),
};

export const analysisRequest = z.strictObject({
  input: z.string().describe('path of the CNAB 400 or 444 file (remessa)'),
  xmls: z.string().optional().describe('path of a ZIP of NF-e XML documents'),
  ...requestTerms,
});

export const analysisBatchRequest = z.strictObject({
  input: z.string().describe('path of a folder: every .rem in it, X.rem with X.zip beside it'),
  concurrency: z.int().min(1).max(500).default(4).describe('jobs in flight at once'),
  ...budgetTerm,
  ...requestTerms,
});

/** The same file, XMLs and engine are the same analysis. */
export async function planAnalysis(
  ctx: CommandContext,
  request: z.output<typeof analysisRequest>,
): Promise<StartPlan<AnalysisRecord, AnalysisOutcome>> {
  const { deadline, engine: wanted = null, filter, force, input: cnab, label = null } = request;
  const files = { cnab, ...(request.xmls !== undefined && { xmls: request.xmls }) };
  const scanned = { ...files, ...(force !== undefined && { force }) };
  const input = await preparedInput(ctx, scanned, wanted);
  const before = await existingAnalysis(ctx, input);
  const found = before.kind === 'new' ? null : before.analysis.record.jobId;
  const existing =
    found === null
      ? null
      : ((await ctx.store.jobs.find(found)) as Job<AnalysisRecord, AnalysisOutcome>);
  const isAnew = request.rerun === true || !isWithin(request.maxAge, existing);
  return {
    existing,
    isAnswer: before.kind === 'ended' && !isAnew,
    record: async () => {
      await reissueOnRerun(ctx, input);
      const forced = mayBeSent(input.checked.worst) ? null : (force ?? null);
      const rerun = request.rerun === true;
      const order = { engine: wanted, filter, forced, label, deadlineMs: deadline, rerun };
      return (await recordInput(ctx, input, order)).record.jobId;
    },
    ...workflowOf(ctx, deadline),
  };
}

export function workflowOf({ queueSuffix }: CommandContext, deadlineMs: number) {
  return {
    workflow: 'analyzeCredit',
    workflowInput: ({ id: jobId, folder, input }: Job<AnalysisRecord>): AnalyzeCreditInput => ({
      ref: { jobId, folder },
      ...engineTerms(input),
      deadlineAt: Date.now() + deadlineMs,
      queueSuffix,
    }),
  };
}
