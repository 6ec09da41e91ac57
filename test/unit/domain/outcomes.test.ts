import {
  mergeOutcomes,
  nothingReported,
  type OutcomeRecord,
} from '../../../src/domain/certificates/outcomes';

let seconds = 0;
const stored = (fields: Partial<OutcomeRecord>): OutcomeRecord => ({
  ...nothingReported,
  item: 7,
  status: 'failed',
  certidaoId: null,
  attempts: 1,
  requestedAt: null,
  settledAt: new Date(Date.UTC(2026, 0, 1, 0, 0, (seconds += 1))).toISOString(),
  note: '',
  possibleDoubleCharge: false,
  ...fields,
});

/** Whatever the order in which they are found, the same comes out. */
function merged(...records: OutcomeRecord[]) {
  const there = mergeOutcomes(records);
  expect(mergeOutcomes(records.toReversed())).toEqual(there);
  return there;
}

it('makes nothing of nothing', () => {
  expect(mergeOutcomes([])).toBeNull();
});

it('keeps a single record as it is', () => {
  const record = stored({ certidaoId: 'c-1', note: 'a' });
  expect(merged(record)).toEqual({ ...record, issuances: ['c-1'] });
});

it('lets an issued certificate stand over what came before and after, and counts all attempts', () => {
  const found = merged(
    stored({ attempts: 1, certidaoId: 'c-1' }),
    stored({ attempts: 2, status: 'issued', certidaoId: 'c-2' }),
    stored({ attempts: 3, status: 'unknown_outcome' }),
    stored({ attempts: 3, status: 'cancelled' }),
  );
  expect(found).toMatchObject({ status: 'issued', certidaoId: 'c-2', attempts: 3 });
});

it('takes the later of two issued certificates', () => {
  const found = merged(
    stored({ attempts: 1, status: 'issued', certidaoId: 'c-1' }),
    stored({ attempts: 2, status: 'issued', certidaoId: 'c-2' }),
  );
  expect(found).toMatchObject({ certidaoId: 'c-2', issuances: ['c-1', 'c-2'] });
});

it('takes the record stored last when nothing was issued, whatever its number of attempts', () => {
  const second = stored({ attempts: 2, status: 'expired', certidaoId: 'c-2' });
  const first = stored({ attempts: 1, status: 'failed', certidaoId: 'c-1' });
  expect(merged(second, first)).toMatchObject({
    status: 'failed',
    certidaoId: 'c-1',
    attempts: 2,
    issuances: ['c-2', 'c-1'],
  });
});

it('takes the record stored last of one decision', () => {
  const found = merged(stored({ status: 'unknown_outcome' }), stored({ status: 'cancelled' }));
  expect(found?.status).toBe('cancelled');
});

it('names every issuance once, oldest first', () => {
  const found = merged(
    stored({ attempts: 1, certidaoId: 'c-1' }),
    stored({ attempts: 1, certidaoId: 'c-1' }),
    stored({ attempts: 2, certidaoId: null }),
    stored({ attempts: 3, certidaoId: 'c-0' }),
  );
  expect(found?.issuances).toEqual(['c-1', 'c-0']);
});

it('warns of a possible double charge that any record told of', () => {
  const found = merged(
    stored({ attempts: 1, possibleDoubleCharge: true }),
    stored({ attempts: 2, status: 'issued', certidaoId: 'c-2' }),
  );
  expect(found).toMatchObject({ status: 'issued', possibleDoubleCharge: true });
});

it('does not change the records it is given', () => {
  const records = [stored({ attempts: 2 }), stored({ attempts: 1 })];
  const before = structuredClone(records);
  mergeOutcomes(records);
  expect(records).toEqual(before);
});
