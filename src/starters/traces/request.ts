import { z } from 'zod';
import { flagProblem } from '../jobs/text';
import { isFinalSearch, type TraceOutcome, type TraceRecord } from '../../domain/traces/search';
import { readTarget } from '../../domain/traces/target';
import { traceStrategies } from '../../domain/traces/trace';
import { newestTrace, TraceRepository } from '../../store/traces/traces';
import type { SearchTraceInput } from '../../workflows/inputs';
import type { CommandContext } from '../jobs/context';
import { UsageError } from '../jobs/errors';
import { budgetTerm, inputTerms, startTerms } from '../jobs/begin/request';
import { auditStart, isWithin, type StartPlan } from '../jobs/begin/start-job';

const strategy = z.enum(traceStrategies).optional().describe('default: the service chooses');

export const traceRequest = z.strictObject({
  target: z.string().describe('an e-mail address, phone, user name or wallet'),
  strategy,
  ...startTerms('24h'),
});

export const traceBatchRequest = z.strictObject({
  ...inputTerms('targets', 20),
  ...budgetTerm,
  strategy,
  ...startTerms('24h'),
});

/** @throws UsageError when it is no target */
export async function planTrace(
  ctx: CommandContext,
  request: z.output<typeof traceRequest>,
): Promise<StartPlan<TraceRecord, TraceOutcome>> {
  const { deadline: deadlineMs, label = null, maxAge, rerun = false } = request;
  const reading = readTarget(request.target);
  if (reading.kind === 'invalid') throw new UsageError(flagProblem('--target', reading));
  const what = { target: reading.target, strategy: request.strategy ?? null };
  const existing = await newestTrace(ctx, what);
  const isFinal = existing?.outcome != null && isFinalSearch(existing.outcome);
  const isYoung = isWithin(maxAge, existing);
  return {
    existing,
    isAnswer: isFinal && isYoung && !rerun,
    record: async () => {
      const isAnew = rerun || (isFinal && !isYoung);
      const order = isAnew ? (existing?.id ?? null) : null;
      const terms = { label, deadlineMs, before: isAnew ? null : existing, rerun: order };
      const { jobId, createdAt } = await new TraceRepository(ctx.store).put(ctx, what, terms);
      await auditStart(ctx, jobId, { items: 1, rerun: isAnew }, Date.parse(createdAt));
      return jobId;
    },
    workflow: 'searchTrace',
    workflowInput: ({ id: jobId, folder }): SearchTraceInput => ({
      ref: { jobId, folder },
      deadlineAt: Date.now() + deadlineMs,
      interactive: true,
      queueSuffix: ctx.queueSuffix,
    }),
  };
}
