import { cellsAt, type Await } from '../support/stop-cells';
import { nameOf, stopAll, type StoppedJob, type WorkerState } from '../support/stop-table';

/** Cancel, pause and deadline, wherever a job of whatever kind stands: nothing is claimed after them. */

const inTheMiddle: Await[] = ['submitting', 'backing off', 'handing in', 'polling', 'collecting'];
const tables: [state: WorkerState, among: Await[]][] = [
  ['up', inTheMiddle],
  ['down', ['queued']],
  ['down', inTheMiddle],
  ['frozen', inTheMiddle],
];

describe.each(tables)('with the worker %s, %j', (state, among) => {
  let found: Map<string, StoppedJob>;

  beforeAll(async () => {
    found = await stopAll(cellsAt(among, state), state);
  }, 240_000);

  test.each(cellsAt(among, state).map(nameOf))('%s', (name) => {
    const { cell, claimed, claimedLate, sentLate, untold, chunks } = found.get(name) as StoppedJob;
    // A deadline may come before the first claim, where the machine is slow; a dossier that goes well buys nothing.
    const isUnbought = cell.at === 'queued' || (cell.kind === 'dossier' && cell.at === 'polling');
    if (isUnbought || cell.stop !== 'deadline') expect(claimed > 0).toBe(!isUnbought);
    expect({ claimedLate, untold }).toEqual({ claimedLate: 0, untold: [] });
    // Claimed before, and about to leave.
    expect(sentLate).toBeLessThanOrEqual(chunks);
  });
});
