import pino from 'pino';
import type { CallReport } from '../../../src/apis/http/observer';
import { Happenings } from '../../../src/workers/happened';

interface Line {
  msg: string;
  perSecond?: number;
}

it('says once that a service throttles us, and once that it does so no more', () => {
  const lines: Line[] = [];
  let now = 0;
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as Line) });
  const silent = { callStarted: () => {}, callEnded: () => {}, permitAwaited: () => {} };
  const calls = new Happenings(log, () => now).callsOf('investigation', silent);
  const named = { method: 'GET', pathTemplate: '/certidoes/{certidaoId}' } as const;
  const ended = (status: number, perSecond: number): void => {
    now += 1_000;
    const report = { ending: 'answered', error: null, durationMs: 5, credentialsRefused: false };
    calls.callEnded({ ...named, ...report, status, perSecond } as CallReport);
  };
  for (let wave = 0; wave < 2; wave += 1) {
    for (const status of [200, 429, 429, 200]) ended(status, 8.53);
    // Tried above it once a minute, and refused.
    for (let second = 0; second < 60; second += 1) ended(200, 12.75);
    ended(429, 12.75);
    for (let second = 0; second < 120; second += 1) ended(200, 14);
  }
  expect(lines.map(({ msg, perSecond }) => [msg, perSecond])).toEqual([
    ['throttled', 8.5],
    ['throttled no more', 14],
    ['throttled', 8.5],
    ['throttled no more', 14],
  ]);
});
