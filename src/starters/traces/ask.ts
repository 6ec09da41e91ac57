import { z } from 'zod';
import { standsForGood, type TraceOutcome, type TraceRecord } from '../../domain/traces/search';
import { readTarget } from '../../domain/traces/target';
import { traceStrategies } from '../../domain/traces/trace';
import { newestTrace, putTrace } from '../../store/traces/asks';
import type { SearchTraceInput } from '../../workflows/inputs';
import type { CommandContext } from '../jobs/context';
import { UsageError } from '../jobs/errors';
import { budgetTerm, inputTerms, startTerms } from '../jobs/begin/request';
import { auditStart, isWithin, type Ask } from '../jobs/begin/start-job';

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
export async function askTrace(
  ctx: CommandContext,
  asked: z.output<typeof traceRequest>,
): Promise<Ask<TraceRecord, TraceOutcome>> {
  const { deadline: deadlineMs, label = null, maxAge, rerun = false } = asked;
  const reading = readTarget(asked.target);
  if (reading.kind === 'invalid') throw new UsageError(`--target: ${reading.message}`);
  const what = { target: reading.target, strategy: asked.strategy ?? null };
  const standing = await newestTrace(ctx, what);
  const isFinal = standing?.outcome != null && standsForGood(standing.outcome);
  const isYoung = isWithin(maxAge, standing);
  return {
    standing,
    stands: isFinal && isYoung && !rerun,
    record: async () => {
      const isAnew = rerun || (isFinal && !isYoung);
      const order = isAnew ? (standing?.id ?? null) : null;
      const terms = { label, deadlineMs, before: isAnew ? null : standing, rerun: order };
      const { workId, createdAt } = await putTrace(ctx, what, terms);
      await auditStart(ctx, workId, { items: 1, rerun: isAnew }, Date.parse(createdAt));
      return workId;
    },
    workflow: 'searchTrace',
    workflowInput: ({ id: workId, folder }): SearchTraceInput => ({
      ref: { workId, folder },
      deadlineAt: Date.now() + deadlineMs,
      interactive: true,
      queueSuffix: ctx.queueSuffix,
    }),
  };
}
