import { z } from 'zod';
import { lensStandsForGood, type LensOutcome, type LensRecord } from '../../domain/lens/analyze';
import { lensModes } from '../../domain/lens/lens-analysis';
import { lensName, newestLens, putLens } from '../../store/lens/asks';
import { LensRepository } from '../../store/lens/lens';
import type { AnalyzeLensInput } from '../../workflows/inputs';
import type { CommandContext } from '../jobs/context';
import { startTerms } from '../jobs/begin/request';
import { auditStart, isWithin, type Ask } from '../jobs/begin/start-job';
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
export async function askLens(
  ctx: CommandContext,
  asked: z.output<typeof lensRequest>,
): Promise<Ask<LensRecord, LensOutcome>> {
  const { deadline, label = null, maxAge, mode = null, rerun = false } = asked;
  const { environment, queueSuffix, store } = ctx;
  const input = await readInput(asked.input, environment.lens.maxFileBytes);
  const forced = reasonToSend(asked.input, input, asked.acceptFormat);
  const what = { sha256: input.sha256, mode };
  const file = new LensRepository(store);
  const standing = await newestLens(ctx, what);
  const isFinal =
    standing?.outcome != null &&
    lensStandsForGood(standing.outcome, (await file.current(standing.input.name)).expired);
  const isYoung = isWithin(maxAge, standing);
  return {
    standing,
    stands: isFinal && isYoung && !rerun,
    record: async () => {
      const isAnew = rerun || (isFinal && !isYoung);
      const now = new Date();
      const name = isAnew
        ? lensName(ctx, what, standing?.id ?? null)
        : (standing?.input.name ?? lensName(ctx, what, null));
      const copy = await storeInput(ctx, asked.input, input);
      const order = { name, file: copy, mode, label, forced, deadlineMs: deadline, rerun };
      const { workId } = await putLens(ctx, order, now);
      const unusual = forced !== null && { forced: true, mediaType: input.mediaType };
      await auditStart(ctx, workId, { items: 1, rerun: isAnew, ...unusual }, now.getTime());
      return workId;
    },
    workflow: 'analyzeLens',
    workflowInput: async ({ id, folder, input: { name } }): Promise<AnalyzeLensInput> => {
      // What is gone on with may have lost its copy.
      await storeInput(ctx, asked.input, input);
      return {
        ref: { workId: id, folder },
        attempt: (await file.current(name)).attempt,
        deadlineAt: Date.now() + deadline,
        interactive: true,
        queueSuffix,
      };
    },
  };
}
