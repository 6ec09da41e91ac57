import {
  attentionOf,
  endOf,
  exitCodeOf,
  inboxEntry,
  mostSevere,
  needsAttention,
  type Doubt,
} from '../../../src/domain/attention';
import { rowStatuses } from '../../../src/domain/certificates/certificates';
import { jobKinds, kindFacts, type JobKind } from '../../../src/domain/job';

const lines = ['invalid', 'duplicate', 'erased', 'lost'];

const analysisStatuses = Object.keys(kindFacts['credit-analysis'].statuses);
const profileStatuses = Object.keys(kindFacts.profile.statuses);
const traceStatuses = Object.keys(kindFacts.trace.statuses);
const dossierStatuses = Object.keys(kindFacts.dossier.statuses);

/** Each status a kind may end with. */
const statuses: Record<JobKind, readonly string[]> = {
  certificate: rowStatuses,
  'certificate-batch': rowStatuses,
  decision: rowStatuses,
  'credit-analysis': analysisStatuses,
  'credit-batch': [...analysisStatuses, ...lines],
  profile: profileStatuses,
  'profile-batch': [...new Set([...profileStatuses, ...lines])],
  trace: traceStatuses,
  'trace-batch': [...traceStatuses, ...lines],
  lens: Object.keys(kindFacts.lens.statuses),
  dossier: dossierStatuses,
  'dossier-batch': [...dossierStatuses, ...lines, 'followed'],
  'monitor-sweep': ['swept', 'cancelled', 'interrupted', 'partly', 'failed'],
  'monitor-scan': ['swept', 'cancelled', 'interrupted', 'partly', 'failed'],
  investigation: ['completed', 'incomplete', 'cancelled'],
  'investigation-batch': ['completed', 'incomplete', 'cancelled', ...lines],
};
const kinds = Object.keys(statuses) as JobKind[];

/** Statuses by the exit code of their command; of a batch, by that of a batch with one such row. */
const singles = {
  0: ['issued', 'duplicate', 'erased', 'cancelled', 'completed', 'found', 'swept'],
  1: ['failed', 'refused', 'invalid', 'unsupported', 'not_found', 'partly', 'interrupted'],
  3: ['expired', 'unknown_outcome', 'unreadable', 'needs_review', 'incomplete'],
} as const;
const rowsLeft = ['failed', 'refused', 'invalid', 'unsupported', 'not_found', 'lost', 'followed'];

function expectedCode(kind: JobKind, status: string): number {
  if (kind === 'decision') return 0;
  const isOfRows = kind.endsWith('-batch');
  if (isOfRows && rowsLeft.includes(status)) return 3;
  const found = Object.entries(singles).find(([, words]) => words.some((word) => word === status));
  return Number(found?.[0]);
}

const cells = kinds.flatMap((kind) => statuses[kind].map((status) => [kind, status] as const));

test('every kind of job is in the table', () => {
  expect(kinds).toEqual(expect.arrayContaining([...jobKinds]));
});

test.each(cells)('a %s that ended as %s', (kind, status) => {
  const { exitCode, actions, ...attention } = attentionOf(kind, status);
  expect(exitCode).toBe(expectedCode(kind, status));
  expect(attention.needsAttention).toBe(exitCode === 3);
  const names = actions.map(({ action }) => action);
  expect(new Set(names).size).toBe(names.length);
  expect(names.includes('acknowledge')).toBe(exitCode === 3);
  expect(exitCodeOf(kind, endOf(kind, status))).toBe(exitCode);
});

test.each(cells)('a %s that is %s needs a person when anything about it is in doubt', (...cell) => {
  for (const doubt of ['incomplete', 'possible_charge', 'escalated'] satisfies Doubt[]) {
    expect(attentionOf(...cell, [doubt])).toMatchObject({ needsAttention: true, exitCode: 3 });
    expect(exitCodeOf(cell[0], endOf(...cell, [doubt]))).toBe(3);
  }
});

test('what a person has decided about ends as it did, and asks for nobody', () => {
  const decided = (kind: JobKind, status: string): number =>
    exitCodeOf(kind, { status, needsAttention: false });
  expect(decided('trace', 'unknown_outcome')).toBe(0);
  expect(decided('certificate', 'failed')).toBe(1);
});

test('rows of a batch that was acknowledged can still be decided about, and nothing else', () => {
  const actionsOf = (kind: JobKind): string[] =>
    inboxEntry(
      { kind, status: 'unknown_outcome', waitsFor: null, waitsAbout: null },
      false,
    ).actions.map(({ action }) => action);
  expect(actionsOf('certificate-batch')).toEqual(['watch', 'adopt', 'reissue', 'abandon']);
  expect(actionsOf('trace')).toEqual([]);
});

test('a status that nobody has entered needs a person', () => {
  expect(needsAttention('trace', 'interrupted')).toBe(true);
});

test('only what sends a new request may cost', () => {
  const meant = cells.flatMap(([kind, status]) => attentionOf(kind, status).actions);
  const costly = new Set(meant.filter(({ mayCost }) => mayCost).map(({ action }) => action));
  expect([...costly].sort()).toEqual(['reissue', 'retry']);
});

describe('one word for how a batch ended', () => {
  test.each([
    [{ issued: 3, duplicate: 1 }, 'issued'],
    [{ issued: 3, cancelled: 1 }, 'cancelled'],
    [{ issued: 3, unsupported: 1, cancelled: 9 }, 'unsupported'],
    [{ invalid: 1, unsupported: 2 }, 'invalid'],
    [{ issued: 3, expired: 1, invalid: 2 }, 'expired'],
    [{ failed: 1, expired: 40 }, 'failed'],
    [{ issued: 999, failed: 9, unknown_outcome: 1 }, 'unknown_outcome'],
    [{ erased: 4 }, 'erased'],
    [{ completed: 3, lost: 1, unknown_outcome: 8 }, 'lost'],
    [{ completed: 0 }, 'completed'],
  ])('of %j is %s', (counts, word) => {
    expect(mostSevere(counts)).toBe(word);
  });

  test.each([...new Set(kinds.flatMap((kind) => statuses[kind]))])('of nothing but %s', (word) => {
    expect(mostSevere({ [word]: 3 })).toBe(word);
  });

  test('is one that needs a person whenever a row does', () => {
    for (const kind of [
      'certificate-batch',
      'trace-batch',
      'profile-batch',
      'credit-batch',
      'dossier-batch',
      'investigation-batch',
    ] as const)
      for (const one of statuses[kind])
        for (const other of statuses[kind]) {
          const isNeeded = [one, other].some((status) => needsAttention(kind, status));
          expect(needsAttention(kind, mostSevere({ [one]: 1, [other]: 1 }))).toBe(isNeeded);
        }
  });
});
