import { cellsAt, type Await } from '../support/stop-cells';
import { nameOf, stopAll, type StoppedJob, type WorkerState } from '../support/stop-table';

/** Cancel, pause and deadline, wherever a job of whatever kind stands: nothing is claimed after them. */

const inTheMiddle: Await[] = ['submitting', 'backing off', 'polling', 'collecting'];
const tables: [state: WorkerState, among: Await[]][] = [
  ['down', inTheMiddle],
  ['frozen', inTheMiddle],
];

describe.each(tables)('with the worker %s', (state, among) => {
  let found: Map<string, StoppedJob>;

  beforeAll(async () => {
    found = await stopAll(among, state);
  }, 240_000);

  test.each(cellsAt(among).map(nameOf))('%s', (name) => {
    const { cell, claimed, claimedLate, sentLate, untold, chunks } = found.get(name) as StoppedJob;
    // A dossier that goes well has nothing bought.
    const isUnbought = cell.at === 'queued' || (cell.kind === 'dossier' && cell.at === 'polling');
    expect(claimed > 0).toBe(!isUnbought);
    expect({ claimedLate, untold }).toEqual({ claimedLate: 0, untold: [] });
    // Claimed before, and about to leave.
    expect(sentLate).toBeLessThanOrEqual(chunks);
  });
});
