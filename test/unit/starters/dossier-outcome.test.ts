import type { DossierOutcome } from '../../../src/domain/dossiers/follow';
import { dossierExitCode } from '../../../src/starters/dossier-outcome';

it.each(['completed', 'failed', 'cancelled', 'refused'] as const)(
  'a dossier that is %s with an attempt that nobody knows of needs a person',
  (status) => {
    const outcome = { status, possibleAttempt: true, unfiled: [], note: null };
    expect(dossierExitCode(outcome as unknown as DossierOutcome)).toBe(3);
    const known = { ...outcome, possibleAttempt: false };
    expect(dossierExitCode(known as unknown as DossierOutcome)).not.toBe(3);
  },
);
