import { readerOf } from '../../../src/report/reader';
import { riskSummary, type DossierOutcome } from '../../../src/domain/dossiers/follow';
import { dossierLines } from '../../../src/starters/dossiers/kind';

const english = readerOf('en');

it('what is left undecided is told without a deadline that none had, nor a matrix that none may lack', () => {
  const outcome = {
    status: 'needs_review',
    remote: 'needs_review',
    attempts: [],
    coverage: null,
    risk: riskSummary(null),
    review: null,
    stored: [],
    notStored: [],
    note: null,
    error: null,
  };
  expect(dossierLines(outcome as unknown as DossierOutcome, english)).toEqual([
    'needs a review: nobody has decided',
    '  risk       none: no matrix was supplied, or it was not evaluated',
  ]);
});
