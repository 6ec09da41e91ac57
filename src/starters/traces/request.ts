import { z } from 'zod';
import {
  isFinalSearch,
  type TraceOutcome,
  type TraceRecord,
  type TraceStrategy,
  traceStrategies,
} from '../../domain/traces/search';
import { readTarget } from '../../domain/traces/target';
import { newestTrace, TraceRepository } from '../../store/traces/traces';
import { oneCell, ofFile } from '../jobs/batches/request';
import { budgetTerm, inputTerms, startTerms } from '../jobs/begin/request';
import { planOne, rowsBy, type SameRequest } from '../jobs/begin/same-request';
import { startable, startableBatch } from '../jobs/begin/startable';
import type { CommandContext } from '../jobs/context';
import { itemOf } from '../jobs/text';
import { traceBatchKind, traceKind } from './kind';

const terms = {
  strategy: z.enum(traceStrategies).optional().describe('default: the service chooses'),
  ...startTerms('24h'),
};

const traceRequest = z.strictObject({
  target: z.string().describe('an e-mail address, phone, user name or wallet'),
  ...terms,
});

const traceBatchRequest = z.strictObject({
  ...inputTerms('targets (alvo, email, telefone...)', 20),
  ...budgetTerm,
  ...terms,
});

function searches(
  ctx: CommandContext,
  { strategy = null }: { strategy?: TraceStrategy | null | undefined },
): SameRequest<string, TraceRecord, TraceOutcome> {
  return {
    newest: (target) => newestTrace(ctx, { target, strategy }),
    isFinal: isFinalSearch,
    put: (target, { terms: order, ...names }) =>
      new TraceRepository(ctx.store).put(ctx, { target, strategy }, { ...order, ...names }),
  };
}

export const trace = startable(traceKind, traceRequest, (ctx, request) =>
  planOne(ctx, searches(ctx, request), itemOf('--target', readTarget(request.target)), request),
);

/** A search for each different target of a sheet. */
export const traces = startableBatch(traceBatchKind, traceBatchRequest, (ctx, request) => ({
  ...ofFile(request, 'targets', oneCell('trace', 'a target', readTarget)),
  ...rowsBy(ctx, traceKind, searches(ctx, request), request.maxAge),
  terms: [request.strategy ?? null],
  requestsPerRow: 1,
}));
