import type { AgainRow, DeferInput } from '../../domain/certificates/certificate-rows';
import { DeferredRowRepository } from '../../store/certificates/deferred-rows';
import type { CertificateDependencies } from '../dependencies';

/** Rows that a lane defers to the store: it cannot carry any number of them. */
export function createCertificateDeferralActivities({ store }: CertificateDependencies) {
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

  return { deferRows, takeDeferredRows, dropDeferredRows };
}
