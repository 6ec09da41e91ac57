import { readerOf } from '../../../src/report/reader';
import { addUp, batchProgress } from '../../../src/starters/certificates/progress';
import { duration, isHeldUp, progressLine } from '../../../src/starters/cli/progress';
import { progressOfStage, type Progress } from '../../../src/starters/jobs/progress';
import type { EngineClient } from '../../../src/temporal/connection';
import type { BatchProgress, RowsProgress } from '../../../src/workflows/messages';

const english = readerOf('en');

const now = Date.parse('2026-11-21T18:00:00Z');
const counts = { issued: 0, failed: 0, expired: 0, unknown: 0, cancelled: 0 };
const going: Progress = {
  stage: 'issuing',
  total: 60,
  counts: { ...counts, issued: 50, failed: 2 },
  outstanding: 5,
  again: 0,
  waiting: null,
  paused: false,
  cancelling: false,
  details: [],
};
const steady = 4;

function waitingFor(reason: 'service' | 'credentials' | 'paused' | 'decision', inMs?: number) {
  return { ...going, waiting: { reason, until: inMs === undefined ? null : now + inMs } };
}

describe('the line of progress', () => {
  it('tells counts, rate and time left', () => {
    expect(progressLine(going, steady, now, english)).toBe(
      '52/60  50 issued, 2 failed  5 outstanding  4.0 rows/s  about 2 s left',
    );
  });

  it.each([
    [
      'service',
      42_000,
      'waiting: the service (it turns requests away, or does not answer), next try in 40 s',
    ],
    [
      'credentials',
      130_000,
      'waiting: credentials (the service refuses the token), next try in 2 min',
    ],
    ['paused', undefined, 'waiting: paused (`diligence resume` goes on)'],
    ['decision', undefined, '`diligence resume` tries again)'],
  ] as const)('says that it waits for %s, until when, and no time left', (reason, inMs, words) => {
    const line = progressLine(waitingFor(reason, inMs), steady, now, english);
    expect(line).toContain(words);
    expect(line).not.toContain('left');
  });

  it('names no instant that has passed', () => {
    expect(progressLine(waitingFor('service', -1_000), null, now, english)).toMatch(/answer\)$/);
  });

  it('shows a slow rate by the minute', () => {
    expect(progressLine(going, 0.1, now, english)).toMatch(/6\.0 rows\/min {2}about 80 s left$/);
  });

  it('tells of one thing its stage, what is known of it, and what it waits for', () => {
    const waiting = { reason: 'credentials', until: null };
    const one = { ...progressOfStage('requesting'), details: ['search 1'], waiting };
    expect(progressLine(one, null, now, english)).toBe(
      'requesting  search 1  waiting: credentials (the service refuses the token)',
    );
  });

  it('says what happens before the first request and after the last row', () => {
    expect(progressLine({ ...going, stage: 'proving access' }, null, now, english)).toMatch(
      /the token$/,
    );
    expect(progressLine({ ...going, stage: 'merging' }, null, now, english)).toMatch(
      /results together$/,
    );
  });
});

describe('the progress of a batch', () => {
  const batch: BatchProgress = {
    kind: 'certificate-batch',
    stage: 'issuing',
    waiting: null,
    paused: false,
    cancelling: false,
    startedAt: now,
    items: 30,
    lanes: [],
  };
  const lane: RowsProgress = {
    total: 10,
    counts: { ...counts, issued: 4 },
    outstanding: 5,
    requesting: 3,
    again: 0,
    waiting: null,
    paused: false,
    cancelling: false,
  };

  it('adds up its lanes, and leaves out one that does not answer', () => {
    expect(addUp(batch, [lane, null, lane])).toMatchObject({
      total: 30,
      counts: { issued: 8 },
      outstanding: 10,
    });
  });

  it('does not fall when a busy lane misses a query, and forgets it with the connection', async () => {
    let answers = true;
    const getHandle = (id: string) => ({
      query: async () => {
        if (id === 'x/1') return { ...batch, lanes: [{ id: 'a', items: 10, counts: null }] };
        if (!answers) throw new Error('too late');
        return lane;
      },
    });
    const engine = (): EngineClient => ({ client: { workflow: { getHandle } } }) as never;
    const first = engine();
    const issued = async (of: EngineClient) => (await batchProgress(of, 'x/1'))?.counts['issued'];
    expect(await issued(first)).toBe(4);
    answers = false;
    expect(await issued(first)).toBe(4);
    expect(await issued(engine())).toBe(0);
  });

  it('shows of several waits the one that needs a person, and of like ones the first to end', () => {
    const retry: RowsProgress = { ...lane, waiting: { reason: 'retry', until: now } };
    const later: RowsProgress = { ...lane, waiting: { reason: 'service', until: now + 9 } };
    const sooner: RowsProgress = { ...lane, waiting: { reason: 'service', until: now + 5 } };
    const token: RowsProgress = { ...lane, waiting: { reason: 'credentials', until: null } };
    expect(addUp(batch, [retry, later, sooner]).waiting).toEqual(sooner.waiting);
    expect(addUp(batch, [later, token, sooner]).waiting).toEqual(token.waiting);
  });

  it('is held up by what stops requests, not by a row to be asked for again', () => {
    expect(isHeldUp(waitingFor('service', 5_000))).toBe(true);
    expect(isHeldUp({ ...going, paused: true })).toBe(true);
    expect(isHeldUp({ ...going, waiting: { reason: 'retry', until: now } })).toBe(false);
    expect(isHeldUp(going)).toBe(false);
  });
});

it.each([
  [400, '1 s'],
  [9_000, '9 s'],
  [42_400, '40 s'],
  [95_000, '2 min'],
  [89.6 * 60_000, '1.5 h'],
  [3_600_000 * 7.3, '7.5 h'],
])('%d ms are said as %s', (ms, words) => expect(duration(ms, english)).toBe(words));
