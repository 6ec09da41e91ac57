import { findLarge } from '../../store/core/large-objects';
import { analysisSubject, subjectState } from '../../domain/core/attempts';
import type { AnalysisOutcome, AnalysisRecord } from '../../domain/credit/work';
import { CommandError } from '../jobs/errors';
import type { CommandContext } from '../jobs/context';
import { singleResolver } from '../jobs/resolve-single';

/** A person's decision about an analysis that did not complete. */
export const creditResolver = singleResolver<AnalysisRecord>({
  workflow: 'analyzeCredit',
  fence: async (_, { name }) => analysisSubject(name),
  args: (_, { workId }, folder) => ({ ref: { workId, folder } }),
  async check(ctx, { folder, id }, input, { action }) {
    const { store } = ctx;
    const history = await store.attempts.of(analysisSubject(input.name));
    const state = subjectState(history, Date.now());
    if (action !== 'reissue' && state.kind === 'free')
      throw new CommandError(`${id}: nothing is at the service: \`--action reissue\` sends it`);
    if (action === 'adopt' && state.kind === 'accepted')
      throw new CommandError(`${id} has the operation ${state.externalId}: watch it instead`);
    if (action !== 'reissue') return;
    const outcome = await store.jobs.outcome<AnalysisOutcome>(folder);
    // A receipt that came after the end names what the service has: to be taken up, not bought again.
    if (state.kind === 'accepted' && state.externalId !== outcome?.operationId)
      throw new CommandError(
        `${id}: the service took it, as operation ${state.externalId}: \`--action watch\` takes it up, \`reissue\` would pay twice`,
      );
    if (!(await isStored(ctx, input)))
      throw new CommandError(
        `${id}: its file is not in the store any more: \`diligence credit analyze --input FILE --rerun\` sends it`,
      );
  },
});

/** Whether what was uploaded can be sent again: an erasure may have taken it. */
async function isStored(
  { store }: CommandContext,
  { cnab, xmls }: AnalysisRecord,
): Promise<boolean> {
  for (const input of xmls === null ? [cnab] : [cnab, xmls])
    if ((await findLarge(store, input.key)) === null) return false;
  return true;
}
