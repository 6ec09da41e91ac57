import { readerOf } from '../../../src/report/reader';
import { riskSummary, type DossierOutcome } from '../../../src/domain/dossiers/follow';
import { dossierKind } from '../../../src/starters/dossiers/kind';
import type { CommandContext } from '../../../src/starters/jobs/context';

const ctx = { reader: readerOf('en') } as unknown as CommandContext;

it('what is left undecided is told without a deadline that none had, nor a matrix that none may lack', async () => {
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
  const job = { input: {}, outcome: outcome as unknown as DossierOutcome } as never;
  expect(await dossierKind.lines(job, ctx)).toEqual([
    'needs_review',
    '  risk       none: no matrix was supplied, or it was not evaluated',
  ]);
});
