import { z } from 'zod';
import {
  planBatchStart as askCertificates,
  planIssue,
  certificateBatchRequest,
  certificateRequest,
  planInput,
} from '../certificates/request';
import { certificateBatchKind, certificateKind } from '../certificates/kind';
import { analysisBatchRequest, analysisRequest, planAnalysis } from '../credit/request';
import { analysisBatch } from '../credit/batch';
import { analysisBatchKind, analysisKind } from '../credit/kind';
import { planFollow, dossierBatchRequest, dossierRequest } from '../dossiers/request';
import { followBatch } from '../dossiers/batch';
import { dossierBatchKind, dossierKind } from '../dossiers/kind';
import {
  planInvestigation,
  investigationBatchRequest,
  investigationRequest,
} from '../investigations/request';
import { investigationBatch } from '../investigations/batch';
import { investigationBatchKind, investigationKind } from '../investigations/kind';
import { planBatchStart, inputFileOf } from '../jobs/batches/request';
import { beginJob } from '../jobs/begin/begin-job';
import type { CommandContext } from '../jobs/context';
import { UsageError, inEnglish } from '../jobs/errors';
import type { JobKind } from '../jobs/job-kind';
import type { StartPlan } from '../jobs/begin/start-job';
import { planLens, lensRequest } from '../lens/request';
import { lensKind } from '../lens/kind';
import { planScan, planSweep, orderOf, scanRequest, sweepRequest } from '../monitors/request';
import { scanKind, sweepKind } from '../monitors/kind';
import { planProfile, profileBatchRequest, profileRequest } from '../profiles/request';
import { profileBatch } from '../profiles/batch';
import { profileBatchKind, profileKind } from '../profiles/kind';
import { planTrace, traceBatchRequest, traceRequest } from '../traces/request';
import { traceBatch } from '../traces/batch';
import { traceBatchKind, traceKind } from '../traces/kind';

interface Startable<Schema extends z.ZodObject> {
  schema: Schema;
  /** Returns the id of the job that was started, is followed, or is the answer. @throws UsageError */
  begin: (ctx: CommandContext, request: z.input<Schema>) => Promise<string>;
}

/** Every kind of job that can be started, with its request. A new one is an entry here. */
export const startable = {
  certificate: startBy(certificateKind, certificateRequest, planIssue),
  'certificate-batch': startBy(
    certificateBatchKind,
    certificateBatchRequest,
    async (ctx, request) => askCertificates(ctx, request, await planInput(request, ctx)),
  ),
  'credit-analysis': startBy(analysisKind, analysisRequest, planAnalysis),
  'credit-batch': startBy(analysisBatchKind, analysisBatchRequest, async (ctx, request) =>
    planBatchStart(ctx, await analysisBatch(ctx, request), request),
  ),
  profile: startBy(profileKind, profileRequest, planProfile),
  'profile-batch': startBy(profileBatchKind, profileBatchRequest, (ctx, request) => {
    const { maxAge, retryRural = false } = request;
    const terms = { retryRural, reuseSince: Date.now() - maxAge };
    return planBatchStart(ctx, profileBatch(ctx, { ...inputFileOf(request), ...terms }), request);
  }),
  trace: startBy(traceKind, traceRequest, planTrace),
  'trace-batch': startBy(traceBatchKind, traceBatchRequest, (ctx, request) => {
    const { strategy = null } = request;
    return planBatchStart(ctx, traceBatch(ctx, { ...inputFileOf(request), strategy }), request);
  }),
  lens: startBy(lensKind, lensRequest, planLens),
  dossier: startBy(dossierKind, dossierRequest, planFollow),
  'dossier-batch': startBy(dossierBatchKind, dossierBatchRequest, (ctx, request) => {
    const { maxAttempts, onReview } = request;
    const terms = { maxAttempts, onReview };
    return planBatchStart(ctx, followBatch(ctx, { ...inputFileOf(request), ...terms }), request);
  }),
  'monitor-sweep': startBy(sweepKind, sweepRequest, (ctx, { monitor, ...terms }) =>
    planSweep(ctx, monitor, orderOf([monitor], terms)),
  ),
  'monitor-scan': startBy(scanKind, scanRequest, (ctx, { monitors, ...terms }) =>
    planScan(ctx, orderOf(monitors, terms)),
  ),
  investigation: startBy(investigationKind, investigationRequest, planInvestigation),
  'investigation-batch': startBy(
    investigationBatchKind,
    investigationBatchRequest,
    async (ctx, request) =>
      planBatchStart(
        ctx,
        await investigationBatch(ctx, { ...request, ...inputFileOf(request) }),
        request,
      ),
  ),
};

function startBy<Schema extends z.ZodObject, Input, Outcome>(
  kind: JobKind<Input, Outcome>,
  schema: Schema,
  plan: (ctx: CommandContext, request: z.output<Schema>) => Promise<StartPlan<Input, Outcome>>,
): Startable<Schema> {
  return {
    schema,
    begin: async (ctx, request) => {
      const read = schema.safeParse(request);
      if (!read.success) throw faultOf(kind.kind, read.error);
      const given = Object.keys(request).map((name) => {
        return { name, written: name, value: read.data[name] };
      });
      return beginJob(ctx, kind, await plan(ctx, read.data), {
        given,
        ended: async ({ id }) => id,
        started: async (_, { id }) => id,
      });
    },
  };
}

/** Names the error without quoting a value: it may be about a person. */
function faultOf(kind: string, { issues }: z.ZodError): UsageError {
  const lines = issues.map(({ message, path }) => `${path.join('.') || 'request'}: ${message}`);
  return new UsageError(inEnglish(`${kind}: ${lines.join('; ')}; nothing was sent`));
}
