import { ContractError } from '../../src/apis/http/errors';
import { resourceFromWire } from '../../src/apis/investigation/resource';
import {
  changePageFromWire,
  changeWire,
  monitorWire,
} from '../../src/apis/investigation/wire/monitors.wire';
import { bySeverity, isOpen, type Change } from '../../src/domain/monitors/change';
import { notTaken } from '../../src/domain/monitors/update';

const call = { method: 'GET', pathTemplate: '/monitors/{monitor_id}' };
const id = '3f0c6a52-7d1e-4b8a-9c55-0e9d2a6b1f47';
const asBody = (json: unknown) => Buffer.from(JSON.stringify(json));

/** Every field of the specification's table at once. */
const monitor = {
  id,
  object: 'monitor',
  status: 'active',
  identifier: '11222333000181',
  identifier_type: 'cnpj',
  name: 'Carteira A',
  listen_items: ['company', 'debts'],
  emails: ['ana@example.com'],
  frequency_hours: 24,
  health: { status: 'unknown', consecutive_failures: 2, last_cycle_at: '2026-01-05T12:00:00Z' },
  subscription: { status: 'included', id: 'sub-1' },
  execution_allowed: false,
  blocking_reason: 'feature_disabled',
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-02T00:00:00Z',
};
const change = {
  id,
  status: 'acknowledged',
  severity: 'critical',
  type: 'debts.registered',
  before: { total: 0 },
  after: { total: 3 },
  detected_at: '2026-01-05T12:00:00Z',
  acknowledged_at: '2026-01-05T13:00:00Z',
};

const readMonitor = (fields: object) =>
  resourceFromWire(monitorWire, call, { ...monitor, ...fields }, ['monitorId', id]);
const readChange = (fields: object) =>
  resourceFromWire(changeWire, call, { ...change, ...fields }, ['changeId', id]);
const readPage = (body: unknown) => changePageFromWire(call, asBody(body));

test('reads every field of a monitor', () => {
  expect(readMonitor({})).toEqual({
    monitorId: id,
    statusWord: 'active',
    identifier: '11222333000181',
    name: 'Carteira A',
    listenItems: ['company', 'debts'],
    emails: ['ana@example.com'],
    frequencyHours: 24,
    health: { status: 'unknown', consecutiveFailures: 2, lastCycleAt: '2026-01-05T12:00:00Z' },
    subscription: { status: 'included', id: 'sub-1' },
    executionAllowed: false,
    blockingReason: 'feature_disabled',
  });
});

test.each([
  ['object'],
  ['status'],
  ['identifier'],
  ['identifier_type'],
  ['name'],
  ['listen_items'],
  ['emails'],
  ['frequency_hours'],
  ['health'],
  ['subscription'],
  ['execution_allowed'],
  ['blocking_reason'],
  ['created_at'],
  ['updated_at'],
])('reads a monitor whose %s is missing, null, or of another type', (field) => {
  for (const value of [undefined, null, { another: ['type'] }]) {
    expect(readMonitor({ [field]: value })).toMatchObject({ monitorId: id });
  }
});

test.each(['active', 'paused', 'cancelled', 'em_revisao'])('a monitor is %s', (status) => {
  expect(readMonitor({ status }).statusWord).toBe(status);
});

test.each([
  ['monitor_paused'],
  ['monitor_cancelled'],
  ['payment_required'],
  ['feature_disabled'],
  ['novo_motivo'],
])('shows the blocking reason %s as it is', (reason) => {
  expect(readMonitor({ blocking_reason: reason }).blockingReason).toBe(reason);
});

test.each([['company'], ['debts'], ['processes'], ['partners'], ['novo_item']])(
  'shows that it listens to %s',
  (item) => {
    expect(readMonitor({ listen_items: [item] }).listenItems).toEqual([item]);
  },
);

test('reads every field of a change', () => {
  expect(readChange({})).toEqual({
    changeId: id,
    state: 'acknowledged',
    statusWord: 'acknowledged',
    severity: 'critical',
    severityWord: 'critical',
    type: 'debts.registered',
    detectedAt: '2026-01-05T12:00:00Z',
    acknowledgedAt: '2026-01-05T13:00:00Z',
  });
});

test.each([
  ['status'],
  ['severity'],
  ['type'],
  ['before'],
  ['after'],
  ['detected_at'],
  ['acknowledged_at'],
])('reads a change whose %s is missing, null, or of another type', (field) => {
  for (const value of [undefined, null, 7, ['another']]) {
    expect(readChange({ [field]: value })).toMatchObject({ changeId: id });
  }
});

test.each(['open', 'acknowledged'] as const)('knows a change that is %s', (status) => {
  expect(readChange({ status }).state).toBe(status);
});

test.each(['info', 'warn', 'critical'] as const)('knows the severity %s', (severity) => {
  expect(readChange({ severity }).severity).toBe(severity);
});

test('a word that nobody knows hides no change: it is open, and stands behind the critical ones', () => {
  const unknown = readChange({ status: 'em_revisao', severity: 'gravissima' });
  expect(unknown).toMatchObject({
    state: 'unknown',
    severity: 'unknown',
    severityWord: 'gravissima',
  });
  expect(isOpen(unknown)).toBe(true);
  const told = (severity: string, detected_at: string | null) =>
    readChange({ severity, detected_at });
  const sorted = [
    told('info', '2026-01-01T00:00:00Z'),
    told('warn', null),
    told('warn', '2026-01-02T00:00:00Z'),
    unknown,
    told('critical', '2026-01-03T00:00:00Z'),
    told('critical', '2026-01-01T00:00:00Z'),
  ].toSorted(bySeverity);
  const words = ({ severityWord, detectedAt }: Change) => `${severityWord} ${detectedAt}`;
  expect(sorted.map(words)).toEqual([
    'critical 2026-01-01T00:00:00Z',
    'critical 2026-01-03T00:00:00Z',
    'gravissima 2026-01-05T12:00:00Z',
    'warn 2026-01-02T00:00:00Z',
    'warn null',
    'info 2026-01-01T00:00:00Z',
  ]);
});

test.each([
  ['no page', {}, { nextCursor: null, hasMore: false }],
  ['null for a page', { page: null }, { nextCursor: null, hasMore: false }],
  ['a cursor alone', { page: { next_cursor: 'c' } }, { nextCursor: 'c', hasMore: true }],
  [
    'a cursor after the end',
    { page: { next_cursor: 'c', has_more: false } },
    { nextCursor: 'c', hasMore: false },
  ],
  [
    'more without a cursor',
    { page: { next_cursor: '', has_more: true } },
    { nextCursor: null, hasMore: true },
  ],
  ['both', { page: { next_cursor: 'c', has_more: true } }, { nextCursor: 'c', hasMore: true }],
])('reads a list with %s', (_, rest, expected) => {
  expect(readPage({ data: [], ...rest })).toEqual({ items: [], ...expected });
});

test('an entry that cannot be read keeps its place and its answer', () => {
  const entries = [null, 'text', { status: 'open' }, change, { ...change, id: '..' }];
  const { items } = readPage({ data: entries, page: { has_more: false } });
  expect(items.map(({ kind }) => kind)).toEqual([
    'unreadable',
    'unreadable',
    'unreadable',
    'change',
    'unreadable',
  ]);
  expect(items.map(({ answer }) => answer)).toEqual(entries);
  expect(items[2]).toMatchObject({ position: 2, issues: [{ path: 'id', code: 'invalid_type' }] });
});

test.each([
  ['an array', []],
  ['no data', { page: {} }],
  ['an object for data', { data: {} }],
])('%s is no list', (_, body) => {
  expect(() => readPage(body)).toThrow(ContractError);
});

test('an answer without the id that was asked for is none, and quotes no value', () => {
  const another = '11111111-1111-4111-8111-111111111111';
  for (const given of [another, null, '..', 'a/b']) {
    expect(() => readChange({ id: given })).toThrow(ContractError);
    expect(() => readMonitor({ id: given })).toThrow(ContractError);
  }
  expect(() => readMonitor({ id: another })).toThrow(
    'GET /monitors/{monitor_id}: the answer cannot be read (id: another_resource)',
  );
  expect(() => resourceFromWire(changeWire, call, undefined, ['changeId', id])).toThrow(
    ContractError,
  );
});

test('an id in capitals is the same id', () => {
  expect(readChange({ id: id.toUpperCase() }).changeId).toBe(id.toUpperCase());
});

it('takes an item for unreadable that a path would not reach, or that is nested without end', () => {
  const dots = '..';
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  const listed = [
    `{"id":"${dots}"}`,
    `{"id":"deep","severity":"info","before":${nested(6_000)}}`,
    `{"id":"ok","before":${nested(50)}}`,
  ];
  const body = Buffer.from(`{"data":[${listed.join(',')}]}`);
  const { items } = changePageFromWire(call, body);
  expect(items).toMatchObject([
    { kind: 'unreadable', answer: { id: dots } },
    { kind: 'unreadable', issues: [{ code: 'too_deep' }] },
    { kind: 'change', change: { changeId: 'ok' } },
  ]);
  // What is kept of it can be written.
  expect(JSON.parse(JSON.stringify(items[1]))).toMatchObject({
    answer: { id: 'deep', severity: 'info', before: null },
  });
});

it('takes hours in quotes for hours, so that an update that was not done shows', () => {
  const answered = resourceFromWire(monitorWire, call, { id, frequency_hours: '24' }, [
    'monitorId',
    id,
  ]);
  expect(notTaken({ frequencyHours: 12 }, answered)).toEqual([
    { field: 'frequency_hours', requested: 12, answered: 24 },
  ]);
});
