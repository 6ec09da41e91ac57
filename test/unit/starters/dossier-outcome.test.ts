import type { DossierOutcome } from '../../../src/domain/dossiers/follow';
import { riskSummary } from '../../../src/domain/dossiers/follow';
import { dossierExitCode, outcomeLines } from '../../../src/starters/dossiers/outcome';

it.each(['completed', 'failed', 'cancelled', 'refused'] as const)(
  'a dossier that is %s with an attempt that nobody knows of needs a person',
  (status) => {
    const outcome = { status, possibleAttempt: true, unfiled: [], note: null };
    expect(dossierExitCode(outcome as unknown as DossierOutcome)).toBe(3);
    const known = { ...outcome, possibleAttempt: false };
    expect(dossierExitCode(known as unknown as DossierOutcome)).not.toBe(3);
  },
);

it('what is left undecided is told without a deadline that none had, nor a matrix that none may lack', () => {
  const outcome = {
    status: 'needs_review',
    remote: 'needs_review',
    attempts: [],
    coverage: null,
    risk: riskSummary(null),
    review: null,
    filed: [],
    unfiled: [],
    note: null,
    error: null,
  };
  expect(outcomeLines(outcome as unknown as DossierOutcome)).toEqual([
    'needs a review: nobody has decided',
    '  risk       none: no matrix was supplied, or it was not evaluated',
  ]);
});
