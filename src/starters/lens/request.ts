import { z } from 'zod';
import { lensIsFinal, type LensOutcome, type LensRecord } from '../../domain/lens/analyze';
import { lensModes } from '../../domain/lens/lens-analysis';
import { lensName, newestLens, LensRepository } from '../../store/lens/lens';
import type { AnalyzeLensInput } from '../../workflows/inputs';
import type { CommandContext } from '../jobs/context';
import { startTerms } from '../jobs/begin/request';
import { auditStart, isWithin, type StartPlan } from '../jobs/begin/start-job';
import { readInput, reasonToSend, storeInput } from './input';

export const lensRequest = z.strictObject({
  input: z.string().describe('path of the picture or video'),
  mode: z.enum(lensModes).optional().describe('default: the service chooses'),
  acceptFormat: z
    .string()
    .optional()
    .describe('why what is no picture or video is sent; stored with the job'),
  ...startTerms('24h'),
});

/** @throws UsageError when the file cannot be sent */
export async function planLens(
  ctx: CommandContext,
  request: z.output<typeof lensRequest>,
): Promise<StartPlan<LensRecord, LensOutcome>> {
  const { deadline, label = null, maxAge, mode = null, rerun = false } = request;
  const { environment, queueSuffix, store } = ctx;
  const input = await readInput(request.input, environment.lens.maxFileBytes);
  const forced = reasonToSend(request.input, input, request.acceptFormat);
  const what = { sha256: input.sha256, mode };
  const file = new LensRepository(store);
  const existing = await newestLens(ctx, what);
  const isFinal =
    existing?.outcome != null &&
    lensIsFinal(existing.outcome, (await file.current(existing.input.name)).expired);
  const isYoung = isWithin(maxAge, existing);
  return {
    existing,
    isAnswer: isFinal && isYoung && !rerun,
    record: async () => {
      const isAnew = rerun || (isFinal && !isYoung);
      const now = new Date();
      const name = isAnew
        ? lensName(ctx, what, existing?.id ?? null)
        : (existing?.input.name ?? lensName(ctx, what, null));
      const copy = await storeInput(ctx, request.input, input);
      const order = { name, file: copy, mode, label, forced, deadlineMs: deadline, rerun };
      const { jobId } = await new LensRepository(ctx.store).put(ctx, order, now);
      const unusual = forced !== null && { forced: true, mediaType: input.mediaType };
      await auditStart(ctx, jobId, { items: 1, rerun: isAnew, ...unusual }, now.getTime());
      return jobId;
    },
    workflow: 'analyzeLens',
    workflowInput: async ({ id, folder, input: { name } }): Promise<AnalyzeLensInput> => {
      // The copy of a resumed job may be missing.
      await storeInput(ctx, request.input, input);
      return {
        ref: { jobId: id, folder },
        attempt: (await file.current(name)).attempt,
        deadlineAt: Date.now() + deadline,
        interactive: true,
        queueSuffix,
      };
    },
  };
}
