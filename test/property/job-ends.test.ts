import * as fc from 'fast-check';
import { exitCodeOf, needsAttention } from '../../src/domain/attention';
import type { DossierOutcome } from '../../src/domain/dossiers/follow';
import { kindFacts, type JobEnd, type JobKind } from '../../src/domain/job';
import { batchEnd, dossierEnd, lensEnd, sweepEnd, scanEnd } from '../../src/domain/job-ends';
import type { LensOutcome } from '../../src/domain/lens/analyze';
import { emptyBacklog, type SweepOutcome } from '../../src/domain/monitors/sweep';
import { noScanCounts, type ScanOutcome } from '../../src/domain/monitors/scan';
import { casesOf } from '../support/full-size';

/** What a command exits with, what the engine is told and what the store lists come from one end. */
function agrees(kind: JobKind, end: JobEnd, isLeft: boolean): boolean {
  const isNeeded = isLeft || needsAttention(kind, end.status);
  return end.needsAttention === isNeeded && (exitCodeOf(kind, end) === 3) === isNeeded;
}

const runs = { numRuns: casesOf(300) };
const few = fc.nat(2);
const note = fc.constantFrom(null, 'its report could not be fetched in time');

test('a dossier that lacks its report, or may have an attempt that nobody knows of, needs a person', () => {
  const outcomes = fc.record({
    status: fc.constantFrom(
      ...(Object.keys(kindFacts.dossier.statuses) as DossierOutcome['status'][]),
    ),
    possibleAttempt: fc.boolean(),
    notStored: fc.array(fc.constant({ artifactId: 'a', type: null, why: 'gone' }), {
      maxLength: 1,
    }),
    note,
  });
  fc.assert(
    fc.property(outcomes, (outcome) => {
      const lacks = outcome.notStored.length > 0 || outcome.note !== null;
      const isLeft = outcome.possibleAttempt || (outcome.status === 'completed' && lacks);
      expect(agrees('dossier', dossierEnd(outcome as unknown as DossierOutcome), isLeft)).toBe(
        true,
      );
    }),
    runs,
  );
});

test('a picture that was analysed needs a person when an artifact did not come', () => {
  const notStored = fc.array(fc.constant({ artifactId: 'a', type: null, why: 'gone' }));
  const files = fc.option(fc.record({ stored: fc.constant([]), notStored }));
  const outcomes = fc.record({
    status: fc.constantFrom(...(Object.keys(kindFacts.lens.statuses) as LensOutcome['status'][])),
    files,
  });
  fc.assert(
    fc.property(outcomes, (outcome) => {
      const isLeft = outcome.status === 'completed' && outcome.files?.notStored.length !== 0;
      expect(agrees('lens', lensEnd(outcome as LensOutcome), isLeft)).toBe(true);
    }),
    runs,
  );
});

test('a sweep and a scan need a person for what was escalated, not for what a later one takes up', () => {
  const fault = fc.constantFrom<SweepOutcome['fault']>(
    null,
    { fault: 'unavailable', message: 'm' },
    { fault: 'credentials', message: 'm' },
  );
  const sweeps = fc.record({
    status: fc.constantFrom<SweepOutcome['status']>('swept', 'partly', 'failed'),
    stopped: fc.constantFrom(null, 'cancelled' as const),
    fault,
    backlog: fc.record({ undelivered: few, escalated: few, unreadable: few }),
  });
  const counts = fc.record({ probed: few, failing: few, escalated: few, lostPages: few });
  fc.assert(
    fc.property(sweeps, counts, (sweep, some) => {
      const isLeft = sweep.backlog.escalated > 0 || sweep.fault?.fault === 'credentials';
      expect(agrees('monitor-sweep', sweepEnd(sweep as SweepOutcome), isLeft)).toBe(true);
      const scan = { stopped: null, counts: { ...noScanCounts(), ...some } } as ScanOutcome;
      const end = scanEnd(scan);
      const cameToNothing = end.status === 'failed';
      expect(
        agrees('monitor-scan', end, cameToNothing || some.escalated + some.lostPages > 0),
      ).toBe(true);
    }),
    runs,
  );
  const cancelled = { status: 'partly', stopped: 'cancelled', fault: null, backlog: emptyBacklog };
  expect(exitCodeOf('monitor-sweep', sweepEnd(cancelled as SweepOutcome))).toBe(0);
});

test('a batch needs a person for any row that lacks its result or is doubted, and for what was not sent', () => {
  const counts = fc.record(
    Object.fromEntries(
      Object.keys(kindFacts['credit-analysis'].statuses).map((status) => [status, few]),
    ),
  );
  fc.assert(
    fc.property(counts, few, fc.boolean(), (found, notSent, isDoubted) => {
      const isLeft = Object.entries(found).some(
        ([status, count]) => count > 0 && !['completed', 'cancelled'].includes(status),
      );
      expect(
        agrees(
          'credit-batch',
          batchEnd('credit-batch', found, notSent, isDoubted),
          isLeft || notSent > 0 || isDoubted,
        ),
      ).toBe(true);
    }),
    runs,
  );
});
