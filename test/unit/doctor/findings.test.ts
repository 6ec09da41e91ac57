import { examineCredit } from '../../../src/doctor/credit';
import { readEnvironment } from '../../../src/environment';
import { LoopbackServer, sendJson } from '../../support/loopback-server';
import { rateWords } from '../../../src/domain/core/service/rates';
import { clockOffMs } from '../../../src/doctor/service';

describe('the clock', () => {
  const at = Date.parse('2026-11-21T18:00:00Z');

  it('is right when the whole second that the service names touches the time of asking', () => {
    expect(clockOffMs(at, at + 900, at + 950)).toBe(0);
    expect(clockOffMs(at, at - 300, at + 10)).toBe(0);
  });

  it('is off by what lies outside it, either way', () => {
    expect(clockOffMs(at + 60_000, at, at + 50)).toBe(59_950);
    expect(clockOffMs(at - 60_000, at, at + 50)).toBe(59_001);
  });
});

describe('the rate of a service', () => {
  const share = { perSecond: 7.5, refusals: 2 };

  it('is that of the workers that share it now, and says why it is what it is', () => {
    const shares = [
      { ...share, until: 2_000, reason: 'refused' },
      { ...share, until: 2_000, reason: 'refused' },
      { ...share, until: 500, reason: 'growing' },
    ];
    expect(rateWords(shares, 1_000, (en) => en)).toBe(
      '15.0 calls/s (below what was refused); 2 worker(s) share it; 4 answer(s) 429',
    );
    expect(rateWords(shares.slice(2), 1_000, (en) => en)).toBe(
      '7.5 calls/s (nothing was refused yet); no worker uses it now; 2 answer(s) 429',
    );
  });
});

it('reads again where the service has closed the connection that was kept', async () => {
  const server = await LoopbackServer.start(({ connection, path }, response) => {
    const isFirst = server.received.filter((one) => one.connection === connection).length === 1;
    if (!isFirst) response.socket?.resetAndDestroy();
    else if (path.endsWith('/engines')) sendJson(response, 200, []);
    else sendJson(response, 404, {});
  });
  const CREDIT_BASE_URL = `${server.origin}/api/v1`;
  const findings = await examineCredit(readEnvironment({ CREDIT_BASE_URL, CREDIT_TOKEN: 't' }));
  await server.close();
  expect(findings.map(({ state }) => state)).toEqual(['ok', 'warn']);
});
