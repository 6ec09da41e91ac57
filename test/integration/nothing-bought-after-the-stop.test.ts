import { cellsAt, isUsual } from '../support/stop-cells';
import { nameOf, stopAll, type StoppedJob } from '../support/stop-table';

/** Cancel, pause and deadline, wherever a job of whatever kind stands: nothing is claimed after them. */

const cells = cellsAt(['submitting', 'backing off', 'handing in'], 'up').filter(isUsual);

describe('with the worker up', () => {
  let found: Map<string, StoppedJob>;

  beforeAll(async () => {
    found = await stopAll(cells, 'up');
  }, 120_000);

  test.each(cells.map(nameOf))('%s', (name) => {
    const { cell, claimed, claimedLate, sentLate, untold, chunks } = found.get(name) as StoppedJob;
    // A deadline may come before the first claim, where the machine is slow.
    if (cell.stop !== 'deadline') expect(claimed).toBeGreaterThan(0);
    expect({ claimedLate, untold }).toEqual({ claimedLate: 0, untold: [] });
    // Claimed before, and about to leave.
    expect(sentLate).toBeLessThanOrEqual(chunks);
  });
});
