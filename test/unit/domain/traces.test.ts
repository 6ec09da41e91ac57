import { BillingTotals } from '../../../src/domain/core/service/billing-totals';
import {
  sourcesOf,
  isFinalSearch,
  traceManifest,
  type TraceOutcome,
} from '../../../src/domain/traces/search';
import { maskTarget, readTarget } from '../../../src/domain/traces/target';

it.each([
  [' fulana@example.com ', 'fulana@example.com'],
  ['Fulana@Example.com', 'Fulana@Example.com'],
  ['+55 11 98765-4321', '+55 11 98765-4321'],
  ['jose\u0301', 'josé'],
  ['\u200bful\u00adana', 'fulana'],
])('takes %j as it is sent: %j', (typed, target) => {
  expect(readTarget(typed)).toMatchObject({ kind: 'document', document: target });
});

it.each([
  ['', 'empty'],
  [' \u200b ', 'empty'],
  ['a\nb', 'unexpected_character'],
  ['x'.repeat(1_001), 'too_long'],
])('takes no target from %j: %s', (typed, code) => {
  expect(readTarget(typed)).toMatchObject({ kind: 'invalid', code });
});

it.each([
  ['fulana@example.com', 'f***@e***'],
  ['+55 11 98765-4321', '***21'],
  ['fulana', 'fu***'],
  ['abc', '***'],
  ['0x52908400098527886E0F7030069857D2E4169EE7', '0x***'],
])('shows %s as %s', (target, shown) => {
  expect(maskTarget(target)).toBe(shown);
});

it('tells asks apart by target, strategy and label, however they are cut', () => {
  const asks = [
    traceManifest('a', null, null),
    traceManifest('a', 'all', null),
    traceManifest('a', null, 'all'),
    traceManifest('a","all', null, null),
    traceManifest('A', null, null),
  ];
  expect(new Set(asks).size).toBe(asks.length);
  expect(traceManifest('a', 'all', 'x')).toBe(traceManifest('a', 'all', 'x'));
});

it.each([
  [
    { fontes: { status: 'failed', records: 2 }, web: { status: 'ok' } },
    { fontes: 'failed', web: 'ok' },
  ],
  [{ web: 'ok', note: 4 }, { web: 'ok' }],
  [{ sources: [{ source: 'web', status: 'ok' }, { status: 'lost' }] }, { web: 'ok' }],
  [{ depth: { of: { it: 1 } } }, null],
  [null, null],
])('reads the situation of sources from %j', (coverage, sources) => {
  expect(sourcesOf(coverage)).toEqual(sources);
});

it.each([
  ['completed', null, true],
  ['failed', null, true],
  ['cancelled', 'cancelled', true],
  ['cancelled', 'running', false],
  ['expired', 'running', false],
  ['unknown_outcome', null, false],
  ['refused', null, false],
] as const)('%s (%s at the service) stands for good: %s', (status, state, stands) => {
  const seen = state === null ? null : { state };
  expect(isFinalSearch({ status, seen } as TraceOutcome)).toBe(stands);
});

it('adds billing up by its words, and counts what was not told', () => {
  const totals = new BillingTotals();
  const tokens = { status: 'charged', unit: 'tokens' };
  for (const amount of [0.1, 0.2, null]) totals.add({ ...tokens, amount });
  totals.add({ status: 'not_charged', unit: 'tokens', amount: 0 });
  totals.add(null);
  expect(totals.all()).toEqual([
    { ...tokens, count: 3, amount: 0.3 },
    { status: 'not_charged', unit: 'tokens', count: 1, amount: 0 },
  ]);
  expect([totals.count, totals.untold]).toEqual([5, 1]);
});
