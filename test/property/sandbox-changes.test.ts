import * as fc from 'fast-check';
import { readPage } from '../../src/sandbox/http/list-pages';
import {
  acknowledge,
  changeStatus,
  type HeldChange,
} from '../../src/sandbox/monitors/monitor-shelf';
import { parseScenario } from '../../src/sandbox/scenario';

const now = 1_000;
const severities = ['info', 'warn', 'critical'] as const;

const drawnChange = fc.record({
  // Few instants, some of them still to come: equal ones must not confuse a cursor.
  detectedAt: fc.integer({ min: 990, max: 1_003 }),
  severity: fc.constantFrom(...severities),
  acknowledged: fc.boolean(),
});
type DrawnChange = typeof drawnChange extends fc.Arbitrary<infer Drawn> ? Drawn : never;

function held({ detectedAt, severity, acknowledged }: DrawnChange, index: number): HeldChange {
  return {
    id: `c${index}`,
    monitorId: 'm',
    severity,
    type: 't',
    before: null,
    after: null,
    detectedAt,
    acknowledgedAt: acknowledged ? detectedAt : null,
    acknowledgedBy: acknowledged ? 'other' : null,
    acks: 0,
    answer: 'plain',
    ack: 'accepted',
  };
}

const walks = fc.record({
  changes: fc.array(drawnChange, { maxLength: 30 }),
  cursors: fc.constantFrom('stable' as const, 'shifting' as const),
  status: fc.constantFrom('open', 'acknowledged', null),
  severity: fc.constantFrom(...severities, null),
  pageSize: fc.integer({ min: 1, max: 7 }),
});

type Walk = typeof walks extends fc.Arbitrary<infer Drawn> ? Drawn : never;

/** In order of detection. */
const inOrder = (drawn: readonly DrawnChange[]) =>
  drawn.map(held).toSorted((a, b) => a.detectedAt - b.detectedAt);

const filters = [
  { name: 'status', words: ['open', 'acknowledged'], wordOf: changeStatus },
  { name: 'severity', words: severities, wordOf: ({ severity }: HeldChange) => severity },
];
interface Page {
  data: { id: string; held: HeldChange }[];
  page: { next_cursor: string | null };
}

/** Ids of a walk from the first page to the last; `between` is done with each page. */
function walk(
  changes: readonly HeldChange[],
  { cursors, status, severity, pageSize }: Omit<Walk, 'changes'>,
  between: (page: readonly HeldChange[]) => void = () => {},
): string[] {
  const names = parseScenario({}).monitors;
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const query = new URLSearchParams({ limit: String(pageSize) });
    if (status !== null) query.set('status', status);
    if (severity !== null) query.set('severity', severity);
    if (cursor !== null) query.set('cursor', cursor);
    const listed = readPage(
      query,
      { ...names, cursors },
      filters,
    )(
      changes.filter(({ detectedAt }) => detectedAt <= now),
      (change) => ({ ...change, held: change }),
    );
    const { data, page } = listed as unknown as Page;
    ids.push(...data.map(({ id }) => id));
    expect(data.length).toBeLessThanOrEqual(pageSize);
    between(data.map((one) => one.held));
    cursor = page.next_cursor;
  } while (cursor !== null);
  return ids;
}

test('a walk tells what has appeared and passes the filters, once and in order', () => {
  fc.assert(
    fc.property(walks, ({ changes: drawn, ...how }) => {
      const changes = inOrder(drawn);
      const expected = changes
        .filter(({ detectedAt }) => detectedAt <= now)
        .filter(({ severity }) => how.severity === null || severity === how.severity)
        .filter(
          ({ acknowledgedAt }) =>
            how.status === null || (acknowledgedAt === null) === (how.status === 'open'),
        )
        .map(({ id }) => id)
        .toReversed();
      expect(walk(changes, how)).toEqual(expected);
    }),
  );
});

test('acknowledging each page loses nothing with stable cursors, nor with others when it is listed again', () => {
  fc.assert(
    fc.property(walks, ({ changes: drawn, ...how }) => {
      const changes = inOrder(drawn);
      const open = walk(changes, { ...how, status: 'open' });
      const take = (page: readonly HeldChange[]) => {
        for (const change of page) acknowledge(change, now, 'client');
      };
      const told = walk(changes, { ...how, status: 'open' }, take);
      if (how.cursors === 'stable') expect(told).toEqual(open);
      for (let rounds = 0; rounds < 40; rounds += 1) {
        const more = walk(changes, { ...how, status: 'open' }, take);
        if (more.length === 0) break;
        told.push(...more);
      }
      expect(told.toSorted()).toEqual(open.toSorted());
    }),
  );
});
