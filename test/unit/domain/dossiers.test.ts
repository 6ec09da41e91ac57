import type { Dossier } from '../../../src/domain/dossiers/dossier';
import {
  riskSummary,
  type DossierSight,
  type ReviewDecision,
} from '../../../src/domain/dossiers/follow';
import { retryStep, whyNotDecided } from '../../../src/domain/dossiers/retry';
import { RetryPlanner } from '../../../src/domain/dossiers/retry-plan';

type Failed = Pick<DossierSight, 'attempt' | 'failure'>;

function failed(number: number | null, failure: Partial<Failed['failure'] & object> = {}): Failed {
  return {
    attempt: { number, status: 'failed', billing: null },
    failure: { code: null, message: null, retryable: null, retryAfterMs: null, ...failure },
  };
}

const terms = { requested: 0, leftMs: 3_600_000, maxAttempts: 3, random: 0.5 };

test('another attempt is requested for below the bound alone', () => {
  expect(retryStep(failed(2), terms)).toMatchObject({ kind: 'retry', from: 2 });
  expect(retryStep(failed(3), terms)).toEqual({ kind: 'stop', reason: 'max_attempts' });
  expect(retryStep(failed(1), { ...terms, maxAttempts: 1 })).toMatchObject({ kind: 'stop' });
});

test('nothing is requested for that could not be counted, or is not worth it', () => {
  expect(retryStep(failed(null), terms)).toEqual({ kind: 'stop', reason: 'attempt_unknown' });
  expect(retryStep({ ...failed(1), attempt: null }, terms)).toMatchObject({ kind: 'stop' });
  const stop = { kind: 'stop', reason: 'not_retryable' };
  expect(retryStep(failed(1, { retryable: false }), terms)).toEqual(stop);
});

test('it waits as the service asks, else longer each time, and never past the deadline', () => {
  const told = retryStep(failed(1, { retryAfterMs: 5_000 }), terms);
  expect(told).toEqual({ kind: 'retry', from: 1, waitMs: 5_000 });
  const waits = [0, 1, 2, 9].map((requested) => {
    const step = retryStep(failed(1), { ...terms, requested });
    return step.kind === 'retry' ? step.waitMs : null;
  });
  expect(waits).toEqual([26_250, 52_500, 105_000, 787_500]);
  const stop = { kind: 'stop', reason: 'deadline' };
  expect(retryStep(failed(1, { retryAfterMs: 5_000 }), { ...terms, leftMs: 5_000 })).toEqual(stop);
});

const decision: ReviewDecision = {
  action: 'accept',
  note: 'n',
  by: 'p',
  at: 't',
};
const work = { inReview: true, decided: false, attempt: 1 as number | null };

test.each<[string, Partial<ReviewDecision>, Partial<typeof work>, string | null]>([
  ['a note', { note: ' \n' }, {}, 'note_missing'],
  ['a review', {}, { inReview: false }, 'not_in_review'],
  ['that none was taken', {}, { decided: true }, 'resolved_already'],
  ['an attempt to count from', { action: 'retry' }, { attempt: null }, 'attempt_unknown'],
  ['nothing more to accept', {}, {}, null],
  ['nothing more for one more attempt', { action: 'retry' }, {}, null],
])('a decision needs %s', (_, given, about, why) => {
  const told = whyNotDecided({ ...decision, ...given }, { ...work, ...about });
  expect(told).toBe(why);
});

test('a risk classification is told in each of its forms', () => {
  const risk = { matrixId: null, matrixVersion: null, matchedRules: [], missingFields: ['a', 'b'] };
  const none = { ...risk, level: null, score: null };
  expect(riskSummary(null).form).toBe('omitted');
  expect(riskSummary({ ...none, status: 'insufficient_data' })).toMatchObject({
    form: 'insufficient_data',
    missingFields: 2,
  });
  expect(riskSummary({ ...none, status: 'classified', level: 'alto', score: 0 })).toMatchObject({
    form: 'classified',
    level: 'alto',
    score: 0,
  });
  expect(riskSummary({ ...none, status: 'novo' })).toMatchObject({ form: 'other', status: 'novo' });
});

function listed(dossierId: string, fields: Partial<Dossier> = {}): Dossier {
  const updatedAt = '2026-05-04T00:00:00Z';
  return { dossierId, state: 'failed', updatedAt, ...failed(1), ...fields } as Dossier;
}

test('a plan takes what failed lately and may be tried again, each once, up to its limit', () => {
  const since = Date.parse('2026-05-01');
  const planner = new RetryPlanner({ since, limit: 2, maxAttempts: 3 });
  const { attempt } = failed(3);
  for (const dossier of [
    listed('a'),
    listed('a'),
    listed('completed', { state: 'completed' }),
    listed('old', { updatedAt: '2026-04-30T23:59:59Z' }),
    listed('undated', { updatedAt: null, createdAt: null }),
    listed('permanent', { failure: failed(1, { retryable: false }).failure }),
    listed('unknown', { attempt: null }),
    listed('often', { attempt }),
    null,
    listed('b', { updatedAt: null, createdAt: '2026-05-02T00:00:00Z' }),
    listed('c'),
  ]) {
    planner.consider(dossier);
  }
  expect(planner.plan).toEqual({
    dossiers: [
      { dossierId: 'a', from: 1 },
      { dossierId: 'b', from: 1 },
    ],
    left: {
      older: 2,
      not_retryable: 1,
      attempt_unknown: 1,
      max_attempts: 1,
      unreadable: 1,
      beyond_limit: 1,
    },
  });
});
