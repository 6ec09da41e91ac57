import * as fc from 'fast-check';
import { attemptState, type Attempt, type Claim } from '../../src/domain/core/service/attempts';
import {
  mergeOutcomes,
  nothingReported,
  type OutcomeRecord,
} from '../../src/domain/certificates/outcomes';

const instant = fc.nat(10_000);
const claim = fc.record<Claim>({
  owner: fc.constant({ workflowId: 'w', chunk: 'r' }),
  kind: fc.constantFrom('send', 'closed'),
  nonce: fc.constant('n'),
  answerBy: instant,
  claimedAt: fc.constant(0),
  afterUnknown: fc.boolean(),
});
const receipt = fc.constantFrom<Attempt['receipt']>(
  null,
  { kind: 'accepted', externalId: 'c-1', at: 1 },
  { kind: 'refused', status: 400, code: null, at: 1 },
  { kind: 'not_sent', reason: '', at: 1 },
  { kind: 'unknown', reason: '', at: 1 },
);
const resolution = fc.record({
  action: fc.constantFrom('reissue', 'abandon', 'adopt'),
  externalId: fc.constantFrom(null, 'c-9'),
  by: fc.constant(''),
  note: fc.constant(''),
  at: instant,
});
const attempt = fc.record<Attempt>({
  n: fc.integer({ min: 1, max: 999 }),
  claim,
  receipt,
  resolution: fc.option(resolution),
});

it('frees a subject only by a refusal, a door shut, proof that nothing left, or a resolution', () => {
  fc.assert(
    fc.property(attempt, instant, (last, now) => {
      const state = attemptState(last, now);
      const mayBeFree =
        last.claim.kind === 'closed' ||
        last.receipt?.kind === 'refused' ||
        last.receipt?.kind === 'not_sent' ||
        ['reissue', 'abandon'].includes(last.resolution?.action ?? '');
      if (state.kind === 'free') expect(mayBeFree).toBe(true);
      else expect(state.n).toBe(last.n);
    }),
  );
});

it('never forgets the doubt of an earlier attempt', () => {
  fc.assert(
    fc.property(attempt, instant, (last, now) => {
      fc.pre(last.claim.afterUnknown);
      const state = attemptState(last, now);
      expect('afterUnknown' in state ? state.afterUnknown : true).toBe(true);
    }),
  );
});

it('goes only from in flight to unknown as time passes', () => {
  fc.assert(
    fc.property(attempt, instant, instant, (last, a, b) => {
      const early = attemptState(last, Math.min(a, b));
      const late = attemptState(last, Math.max(a, b));
      if (early.kind === late.kind) return;
      expect([early.kind, late.kind]).toEqual(['in_flight', 'unknown']);
    }),
  );
});

const outcome = fc
  .record({
    status: fc.constantFrom<OutcomeRecord['status']>(
      'issued',
      'failed',
      'expired',
      'unknown_outcome',
      'cancelled',
    ),
    certidaoId: fc.constantFrom(null, 'c-1', 'c-2', 'c-3'),
    attempts: fc.nat(3),
    possibleDoubleCharge: fc.boolean(),
  })
  .map((fields) => ({ ...nothingReported, item: 0, requestedAt: null, note: '', ...fields }));
/** No two records of one item are stored at the same instant. */
const outcomes = fc
  .array(outcome, { maxLength: 8 })
  .map((records): OutcomeRecord[] =>
    records.map((record, n) => ({ ...record, settledAt: new Date(n * 1_000).toISOString() })),
  );

it('merges outcomes alike in whatever order they are found, and loses no id and no warning', () => {
  fc.assert(
    fc.property(outcomes, fc.infiniteStream(fc.nat()), (records, chance) => {
      const shuffled = records
        .map((record) => ({ record, key: chance.next().value }))
        .toSorted((a, b) => a.key - b.key)
        .map(({ record }) => record);
      const merged = mergeOutcomes(records);
      expect(mergeOutcomes(shuffled)).toEqual(merged);
      if (merged === null) return expect(records).toEqual([]);
      const ids = records.map(({ certidaoId }) => certidaoId).filter((id) => id !== null);
      expect(merged.issuances.toSorted()).toEqual([...new Set(ids)].toSorted());
      expect(merged.possibleDoubleCharge).toBe(records.some((one) => one.possibleDoubleCharge));
      const issued = records.some(({ status }) => status === 'issued');
      expect(merged.status === 'issued').toBe(issued);
    }),
  );
});
