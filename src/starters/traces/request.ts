import { z } from 'zod';
import { onlyCell, type FilledRow, type RowReading } from '../../sheets/read/plan-rows';
import { ofFile, type BatchRequest } from '../jobs/batches/request';
import { startable, startableBatch } from '../jobs/begin/startable';
import { traceBatchKind, traceKind } from './kind';
import { flagProblem } from '../jobs/text';
import { isFinalSearch, type TraceOutcome, type TraceRecord } from '../../domain/traces/search';
import { readTarget } from '../../domain/traces/target';
import { traceStrategies } from '../../domain/traces/trace';
import { newestTrace, TraceRepository } from '../../store/traces/traces';
import type { CommandContext } from '../jobs/context';
import { UsageError } from '../jobs/errors';
import { budgetTerm, inputTerms, startTerms } from '../jobs/begin/request';
import { auditStart, isWithin, type StartPlan } from '../jobs/begin/start-job';

const strategy = z.enum(traceStrategies).optional().describe('default: the service chooses');

const traceRequest = z.strictObject({
  target: z.string().describe('an e-mail address, phone, user name or wallet'),
  strategy,
  ...startTerms('24h'),
});

const traceBatchRequest = z.strictObject({
  ...inputTerms('targets (alvo, email, telefone...)', 20),
  ...budgetTerm,
  strategy,
  ...startTerms('24h'),
});

/** @throws UsageError when it is no target */
async function planTrace(
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
    run: deadlineMs,
  };
}

/** A search for each different target of a sheet. */
function traceBatch(
  ctx: CommandContext,
  request: z.output<typeof traceBatchRequest>,
): BatchRequest {
  const { strategy: wanted = null } = request;
  return {
    kind: 'trace-batch',
    ...ofFile(request, 'targets', readRow),
    terms: [wanted],
    requestsPerRow: 1,
    existing: async (target) => {
      const found = await newestTrace(ctx, { target, strategy: wanted });
      if (found === null || (found.outcome !== null && !isFinalSearch(found.outcome))) return null;
      return { jobId: found.id, ended: found.outcome !== null, terms: {} };
    },
    put: async (target, again) => {
      const search = { target, strategy: wanted };
      const before = again === null ? await newestTrace(ctx, search) : null;
      const terms = { label: null, before, rerun: again };
      const { jobId } = await new TraceRepository(ctx.store).put(ctx, search, terms);
      return { jobId, terms: {} };
    },
  };
}

function readRow({ documents }: FilledRow): RowReading<string> {
  const cell = onlyCell(documents, 'a target');
  if (cell !== null && 'code' in cell) return { kind: 'invalid', type: 'trace', ...cell };
  const reading = readTarget(cell?.text ?? '');
  if (reading.kind === 'invalid') return { ...reading, type: 'trace' };
  return { kind: 'item', type: 'trace', document: reading.target, note: reading.note };
}

export const trace = startable(traceKind, traceRequest, planTrace);
export const traces = startableBatch(traceBatchKind, traceBatchRequest, traceBatch);
