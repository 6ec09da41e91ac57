import type { AgainRow } from '../../../src/domain/certificates/certificate-rows';
import type { CertificateActivities } from '../../../src/workflows/certificates/activities';
import { DeferredRows } from '../../../src/workflows/certificates/rows/deferred-rows';
import { firstRows } from '../../../src/workflows/certificates/rows/row-state';
import { WaitingRows } from '../../../src/workflows/certificates/rows/waiting-rows';

describe('more rows to ask again than a lane can carry', () => {
  const rows = 1_200;
  const again = (rowIndex: number, was: AgainRow['was']): AgainRow => ({
    rowIndex,
    was,
    attempts: 1,
    mode: 'normal',
    notBefore: rowIndex,
    throttled: 0,
  });

  it('are put aside, and counted as what they were when it is cancelled', async () => {
    const stored: AgainRow[] = [];
    let dropped = 0;
    const activities = {
      deferRows: async (step: { rows: AgainRow[] }) => {
        stored.push(...step.rows);
        return { rows: [], soonest: null };
      },
      dropDeferredRows: async () => void (dropped += 1),
    } as unknown as CertificateActivities;
    const state = { ...firstRows(0, 500), next: rows };
    const lane = { list: { folder: 'f', items: rows, outcomesIn: 'f' }, lane: 'lane-0000' };
    const waiting = new WaitingRows(
      state,
      rows,
      new DeferredRows(state.deferred, lane, activities),
    );
    for (let row = 0; row < rows; row += 1)
      waiting.goAgain(again(row, row < 1_100 ? 'failed' : 'unknown'));
    await waiting.move(0, true);

    expect(stored.length).toBeGreaterThan(0);
    // The latest: those due first stay at hand.
    expect(Math.min(...stored.map(({ rowIndex }) => rowIndex))).toBe(rows - stored.length);
    expect([rows - stored.length <= 1_000, waiting.again]).toEqual([true, rows]);
    await waiting.countTheRest(state.counts);
    expect(state.counts).toMatchObject({ failed: 1_100, unknown: 100, cancelled: 0 });
    expect([waiting.again, dropped]).toEqual([0, 1]);
  });
});
