import type { AgainRow, DeferInput, PollInput } from '../../domain/certificates/certificate-rows';
import type { OutcomeRecord } from '../../domain/certificates/outcomes';
import { DeferredRowRepository } from '../../store/certificates/deferred-rows';
import type { CertificateDependencies } from '../dependencies';
import { outcomeName, storeAndCount, unsettledOutcome } from './outcomes';

/** Rows that a lane lets go: deferred to the store, since it cannot carry any number of them, or left at the service. */
export function createCertificateDeferralActivities(deps: CertificateDependencies) {
  const { store, certificateJobs } = deps;
  const deferred = new DeferredRowRepository(store);

  async function deferRows({ rows, ...input }: DeferInput & { rows: AgainRow[] }): Promise<void> {
    await deferred.put(input, rows);
  }

  /** @returns the rows due within the bounds, and the first instant of the rest */
  function takeDeferredRows({
    from,
    to,
    limit,
    ...input
  }: DeferInput & { from: number; to: number; limit: number }): Promise<{
    rows: AgainRow[];
    soonest: number | null;
  }> {
    return deferred.take(input, { from, to, limit });
  }

  /** At the end of a lane. */
  async function dropDeferredRows({ list, lane }: Omit<DeferInput, 'step'>): Promise<void> {
    await deferred.remove(list.folder, lane);
  }

  /** `cancel --now`: leaves outstanding rows at the service and stores their ids. */
  async function leaveOutstanding({
    list,
    name,
    rows,
  }: Pick<PollInput, 'list' | 'name' | 'rows'>): Promise<void> {
    const outcomes: OutcomeRecord[] = [];
    for (const [rowIndex, certidaoId, requestedAt, , attempts, flags] of rows) {
      const item = await certificateJobs.item(list, rowIndex);
      const left = {
        code: 'left_outstanding',
        category: 'cancelled',
        message: 'cancelled at once: the issuance continues at the service under its id',
      };
      const history = { requestedAt, attempts, flags };
      outcomes.push(unsettledOutcome('cancelled', item, certidaoId, history, left));
    }
    const by = await certificateJobs.requestedBy(list.folder);
    const { outcomesIn } = list;
    await storeAndCount(deps, { outcomesIn, by, name: outcomeName(name), outcomes });
  }

  return { deferRows, takeDeferredRows, dropDeferredRows, leaveOutstanding };
}
