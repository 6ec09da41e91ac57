import { z } from 'zod';
import { traceStrategies } from '../../domain/traces/search';
import { readTarget } from '../../domain/traces/target';
import { searches } from '../../store/traces/traces';
import { oneCell, ofFile } from '../jobs/batches/request';
import { budgetTerm, inputTerms, startTerms } from '../jobs/begin/request';
import { planOne, rowsBy } from '../jobs/begin/same-request';
import { startable, startableBatch } from '../jobs/begin/startable';
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

export const trace = startable(traceKind, traceRequest, (ctx, request) => {
  const same = searches(ctx, request.strategy ?? null);
  return planOne(ctx, same, itemOf('--target', readTarget(request.target)), request);
});

export const traces = startableBatch(traceBatchKind, traceBatchRequest, (ctx, request) => ({
  ...ofFile(request, 'targets', oneCell('trace', 'a target', readTarget)),
  ...rowsBy(ctx, traceKind, searches(ctx, request.strategy ?? null), request.maxAge),
  terms: [request.strategy ?? null],
  requestsPerRow: 1,
}));
