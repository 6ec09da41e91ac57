import { z } from 'zod';
import { resultFilters } from '../../domain/credit/operation';
import type { AnalysisOutcome, AnalysisRecord } from '../../domain/credit/work';
import type { AnalyzeCreditInput } from '../../workflows/inputs';
import type { CommandContext } from '../jobs/context';
import type { Job } from '../jobs/job-kind';
import { budgetTerm, startTerms } from '../jobs/begin/request';
import { isWithin, type Ask } from '../jobs/begin/start-job';
import { mayBeSent } from './check';
import { engineTerms, preparedInput, recordInput } from './input';
import { reissueOnRerun, standingOf } from './standing';

const termsAsked = {
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
  ...termsAsked,
});

export const analysisBatchRequest = z.strictObject({
  input: z.string().describe('path of a folder: every .rem in it, X.rem with X.zip beside it'),
  concurrency: z.int().min(1).max(500).default(4).describe('jobs in flight at once'),
  ...budgetTerm,
  ...termsAsked,
});

/** The same file, XMLs and engine are the same analysis. */
export async function askAnalysis(
  ctx: CommandContext,
  asked: z.output<typeof analysisRequest>,
): Promise<Ask<AnalysisRecord, AnalysisOutcome>> {
  const { deadline, engine: wanted = null, filter, force, input: cnab, label = null } = asked;
  const files = { cnab, ...(asked.xmls !== undefined && { xmls: asked.xmls }) };
  const scanned = { ...files, ...(force !== undefined && { force }) };
  const input = await preparedInput(ctx, scanned, wanted);
  const before = await standingOf(ctx, input);
  const found = before.kind === 'new' ? null : before.analysis.record.workId;
  const standing =
    found === null
      ? null
      : ((await ctx.store.jobs.find(found)) as Job<AnalysisRecord, AnalysisOutcome>);
  const isAnew = asked.rerun === true || !isWithin(asked.maxAge, standing);
  return {
    standing,
    stands: before.kind === 'ended' && !isAnew,
    record: async () => {
      await reissueOnRerun(ctx, input);
      const forced = mayBeSent(input.checked.worst) ? null : (force ?? null);
      const rerun = asked.rerun === true;
      const order = { engine: wanted, filter, forced, label, deadlineMs: deadline, rerun };
      return (await recordInput(ctx, input, order)).record.workId;
    },
    ...workflowOf(ctx, deadline),
  };
}

export function workflowOf({ queueSuffix }: CommandContext, deadlineMs: number) {
  return {
    workflow: 'analyzeCredit',
    workflowInput: ({ id: workId, folder, input }: Job<AnalysisRecord>): AnalyzeCreditInput => ({
      ref: { workId, folder },
      ...engineTerms(input),
      deadlineAt: Date.now() + deadlineMs,
      queueSuffix,
    }),
  };
}
