import { jobFolder } from '../../domain/job';
import { lateReceipt } from './existing';
import { findLarge } from '../../store/core/large-objects';
import { analysisSubject, subjectState } from '../../domain/core/service/attempts';
import { type AnalysisOutcome, type AnalysisRecord } from '../../domain/credit/job';
import { AnalysisRepository } from '../../store/credit/analyses';
import { engineTerms } from './input';
import { CommandError } from '../jobs/errors';
import type { CommandContext } from '../jobs/context';
import { singleResolver } from '../jobs/decide/resolve-single';

/** Resolves an analysis that did not complete. */
export const creditResolver = singleResolver<AnalysisRecord>({
  workflow: 'analyzeCredit',
  fence: async (ctx, { jobId }) => subjectOf(await chosen(ctx, jobId)),
  args: (_, input, folder) => ({ ref: { jobId: input.jobId, folder }, ...engineTerms(input) }),
  // The resolution keeps the rule engine that the person saw.
  changed: async (ctx, { id }) => {
    const record = await chosen(ctx, id);
    return record === null ? {} : { engineId: record.engineId, fence: record.fence };
  },
  async check(ctx, { folder, id }, input, { action }) {
    const { store } = ctx;
    const subject = subjectOf(await chosen(ctx, input.jobId));
    const history = subject === null ? [] : await store.attempts.of(subject);
    const state = subjectState(history, Date.now());
    if (action !== 'reissue' && state.kind === 'free')
      throw new CommandError([
        `${id}: the service has nothing of it: \`--action reissue\` sends it`,
        `${id}: o serviço não tem nada dele: \`--action reissue\` envia`,
      ]);
    if (action === 'adopt' && state.kind === 'accepted')
      throw new CommandError([
        `${id} has the operation ${state.externalId}: \`--action watch\` follows it`,
        `${id} já tem a operação ${state.externalId}: \`--action watch\` a acompanha`,
      ]);
    if (action !== 'reissue') return;
    const outcome = await store.jobs.outcome<AnalysisOutcome>(folder);
    // A receipt stored after the end names the service's operation: adopt it, do not buy it again.
    if (state.kind === 'accepted' && state.externalId !== outcome?.operationId)
      throw new CommandError(lateReceipt(id, state.externalId, '--action watch'));
    if (!(await isStored(ctx, input)))
      throw new CommandError([
        `${id}: its file is not in the store any more: \`diligence credit analyze --input FILE --rerun\` sends it`,
        `${id}: o arquivo não está mais armazenado: \`diligence credit analyze --input ARQUIVO --rerun\` envia`,
      ]);
  },
});

/** With the rule engine that was resolved from its name. */
function chosen({ store }: CommandContext, id: string): Promise<AnalysisRecord | null> {
  return new AnalysisRepository(store).record(jobFolder(id));
}

/** Null: nothing can have been claimed. */
function subjectOf(record: AnalysisRecord | null): string | null {
  return record === null || record.fence === null ? null : analysisSubject(record.fence);
}

/** Whether the upload can be sent again: an erasure may have removed it. */
async function isStored(
  { store }: CommandContext,
  { cnab, xmls }: AnalysisRecord,
): Promise<boolean> {
  for (const input of xmls === null ? [cnab] : [cnab, xmls])
    if ((await findLarge(store, input.key)) === null) return false;
  return true;
}
