import { z } from 'zod';
import {
  askBatch as askCertificates,
  askIssue,
  certificateBatchRequest,
  certificateRequest,
  planInput,
} from '../certificates/ask';
import { certificateBatchKind, certificateKind } from '../certificates/kind';
import { analysisBatchRequest, analysisRequest, askAnalysis } from '../credit/ask';
import { analysisBatch } from '../credit/batch';
import { analysisBatchKind } from '../credit/batch-kind';
import { analysisKind } from '../credit/kind';
import { askFollow, dossierBatchRequest, dossierRequest } from '../dossiers/ask';
import { followBatch } from '../dossiers/batch';
import { dossierBatchKind } from '../dossiers/batch-kind';
import { dossierKind } from '../dossiers/kind';
import {
  askInvestigation,
  investigationBatchRequest,
  investigationRequest,
} from '../investigations/ask';
import { investigationBatch } from '../investigations/batch';
import { investigationBatchKind } from '../investigations/batch-kind';
import { investigationKind } from '../investigations/kind';
import { askBatch, inputFileOf } from '../jobs/batches/ask';
import { beginJob } from '../jobs/begin/begin-job';
import type { CommandContext } from '../jobs/context';
import { UsageError } from '../jobs/errors';
import type { JobKind } from '../jobs/job-kind';
import type { Ask } from '../jobs/begin/start-job';
import { askLens, lensRequest } from '../lens/ask';
import { lensKind } from '../lens/kind';
import { askScan, askSweep, orderOf, scanRequest, sweepRequest } from '../monitors/ask';
import { scanKind, sweepKind } from '../monitors/kind';
import { askProfile, profileBatchRequest, profileRequest } from '../profiles/ask';
import { profileBatch } from '../profiles/batch';
import { profileBatchKind } from '../profiles/batch-kind';
import { profileKind } from '../profiles/kind';
import { askTrace, traceBatchRequest, traceRequest } from '../traces/ask';
import { traceBatch } from '../traces/batch';
import { traceBatchKind } from '../traces/batch-kind';
import { traceKind } from '../traces/kind';

interface Startable<Schema extends z.ZodObject> {
  schema: Schema;
  /** Returns the id of the job that was started, is followed, or is the answer. @throws UsageError */
  begin: (ctx: CommandContext, request: z.input<Schema>) => Promise<string>;
}

/** Every kind of job that can be asked for, with what is asked. A new one is an entry here. */
export const startable = {
  certificate: asked(certificateKind, certificateRequest, askIssue),
  'certificate-batch': asked(certificateBatchKind, certificateBatchRequest, async (ctx, request) =>
    askCertificates(ctx, request, await planInput(request, ctx)),
  ),
  'credit-analysis': asked(analysisKind, analysisRequest, askAnalysis),
  'credit-batch': asked(analysisBatchKind, analysisBatchRequest, async (ctx, request) =>
    askBatch(ctx, await analysisBatch(ctx, request), request),
  ),
  profile: asked(profileKind, profileRequest, askProfile),
  'profile-batch': asked(profileBatchKind, profileBatchRequest, (ctx, request) => {
    const { maxAge, retryRural = false } = request;
    const terms = { retryRural, reuseSince: Date.now() - maxAge };
    return askBatch(ctx, profileBatch(ctx, { ...inputFileOf(request), ...terms }), request);
  }),
  trace: asked(traceKind, traceRequest, askTrace),
  'trace-batch': asked(traceBatchKind, traceBatchRequest, (ctx, request) => {
    const { strategy = null } = request;
    return askBatch(ctx, traceBatch(ctx, { ...inputFileOf(request), strategy }), request);
  }),
  lens: asked(lensKind, lensRequest, askLens),
  dossier: asked(dossierKind, dossierRequest, askFollow),
  'dossier-batch': asked(dossierBatchKind, dossierBatchRequest, (ctx, request) => {
    const { maxAttempts, onReview } = request;
    const terms = { maxAttempts, onReview };
    return askBatch(ctx, followBatch(ctx, { ...inputFileOf(request), ...terms }), request);
  }),
  'monitor-sweep': asked(sweepKind, sweepRequest, (ctx, { monitor, ...terms }) =>
    askSweep(ctx, monitor, orderOf([monitor], terms)),
  ),
  'monitor-scan': asked(scanKind, scanRequest, (ctx, { monitors, ...terms }) =>
    askScan(ctx, orderOf(monitors, terms)),
  ),
  investigation: asked(investigationKind, investigationRequest, askInvestigation),
  'investigation-batch': asked(
    investigationBatchKind,
    investigationBatchRequest,
    async (ctx, request) =>
      askBatch(
        ctx,
        await investigationBatch(ctx, { ...request, ...inputFileOf(request) }),
        request,
      ),
  ),
};

function asked<Schema extends z.ZodObject, Input, Outcome>(
  kind: JobKind<Input, Outcome>,
  schema: Schema,
  ask: (ctx: CommandContext, request: z.output<Schema>) => Promise<Ask<Input, Outcome>>,
): Startable<Schema> {
  return {
    schema,
    begin: async (ctx, request) => {
      const read = schema.safeParse(request);
      if (!read.success) throw faultOf(kind.kind, read.error);
      const given = Object.keys(request).map((name) => {
        return { name, written: name, value: read.data[name] };
      });
      return beginJob(ctx, kind, await ask(ctx, read.data), {
        given,
        ended: async ({ id }) => id,
        started: async (_, { id }) => id,
      });
    },
  };
}

/** Names what is wrong, and never quotes a value: it may be about a person. */
function faultOf(kind: string, { issues }: z.ZodError): UsageError {
  const lines = issues.map(({ message, path }) => `${path.join('.') || 'request'}: ${message}`);
  return new UsageError(`${kind}: ${lines.join('; ')}; nothing was sent`);
}
