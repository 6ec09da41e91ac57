import { profileSubject, sentBy } from '../../domain/core/service/attempts';
import { profileFolder, type ProfileOutcome } from '../../domain/profiles/lookup';
import { ProfileRepository } from '../../store/profiles/profiles';
import { jobBatchKind } from '../jobs/batches/batch-kind';
import { profileKind } from './kind';
import { answeredCharges, type ChildEnd } from '../jobs/batches/rules';

export const profileBatchKind = jobBatchKind({
  kind: 'profile-batch',
  service: 'investigation',
  noun: ['lookups', 'consultas'],
  unstarted: 'lost',
  columns: [
    'vehicles',
    'properties',
    'planes',
    'drones',
    'patents',
    'rural',
    'answered',
    'sha256',
    'answers_lost',
  ],
  chargeColumns: ['answered', 'answers_lost'],
  charges: answeredCharges,
  sheets: (folder, how) => {
    const { ProfileSheets } = require('./sheets') as typeof import('./sheets');
    return new ProfileSheets(folder, how);
  },
  child: profileKind,
  hasPages: true,
  ending: async ({ store }, jobId) => {
    const file = new ProfileRepository(store);
    const folder = profileFolder(jobId);
    const outcome = await file.outcome(folder);
    if (outcome === null) return null;
    const { call } = outcome;
    const answer = async () => (call === null ? null : file.answer(folder, call));
    return { jobId, ...endOf(outcome), answer };
  },
  hasStarted: async ({ store }, jobId) => {
    const record = await new ProfileRepository(store).record(profileFolder(jobId));
    if (record === null) return false;
    return sentBy(await store.attempts.of(profileSubject(record.name)), jobId) > 0;
  },
});

function endOf({
  status,
  counts,
  rural,
  call,
  answered,
  answersLost,
  sha256,
  error,
  settledAt,
  erased,
}: ProfileOutcome): Omit<ChildEnd, 'jobId' | 'answer'> {
  const cells = { ...counts, rural, call, answered, sha256, answers_lost: answersLost };
  return { status, cells, error, settledAt, billing: [], isErased: erased === true };
}
