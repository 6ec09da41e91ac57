import { setTimeout as sleep } from 'node:timers/promises';
import type { CallReport } from '../../../../src/apis/http/observer';
import type { HttpCall } from '../../../../src/apis/http/call';
import { Service } from '../../../../src/apis/http/service';
import { Token } from '../../../../src/apis/http/token';
import { LoopbackServer, refusingOrigin, sendJson } from '../../../support/loopback-server';

const get: HttpCall = {
  method: 'GET',
  pathTemplate: '/things/{id}',
  path: '/things/7',
  token: 'none',
  timeoutMs: 5_000,
  maxBytes: 10_000,
};
const named = { method: 'GET', pathTemplate: '/things/{id}' };
const answered = {
  ...named,
  ending: 'answered',
  credentialsRefused: false,
  perSecond: expect.any(Number) as number,
} as const;

let server: LoopbackServer;
let service: Service;
let clock = 1_000_000;
let inFlight = 0;
const reports: CallReport[] = [];
const waits: { priority: string; waitedMs: number }[] = [];

const observer = {
  callStarted: () => void (inFlight += 1),
  callEnded: (report: CallReport) => {
    inFlight -= 1;
    reports.push(report);
  },
  permitAwaited: (priority: string, waitedMs: number) => void waits.push({ priority, waitedMs }),
};

beforeEach(async () => {
  clock = 1_000_000;
  inFlight = 0;
  reports.length = 0;
  waits.length = 0;
  server = await LoopbackServer.start((_request, response) => sendJson(response, 200, { ok: 1 }));
  service = serviceAt(server.origin);
});

afterEach(async () => {
  await service.close();
  await server.close();
});

function serviceAt(baseUrl: string): Service {
  const token = Token.of('secret');
  return new Service({ baseUrl, token, ratePerSecond: 1_000, observer, now: () => clock });
}

async function failing(call: HttpCall, signal?: AbortSignal): Promise<void> {
  await expect(service.dispatch(call, signal)).rejects.toBeInstanceOf(Error);
}

it('is told of each call by method, template, status, error name and time', async () => {
  await service.dispatch(get);
  server.reply = (_request, response) => {
    clock += 25;
    sendJson(response, 404, {});
  };
  await failing(get);
  expect(reports).toEqual([
    { ...answered, status: 200, error: null, durationMs: 0 },
    { ...answered, status: 404, error: 'StatusError', durationMs: 25 },
  ]);
});

it.each([
  [401, {}, true],
  [403, { code: 'unauthorized' }, true],
  [403, { code: 'limite_excedido' }, false],
  [404, {}, false],
])('tells a refused credential from a refused item: %i %j', async (status, body, refused) => {
  server.reply = (_request, response) => sendJson(response, status, body);
  await failing(get);
  expect(reports).toMatchObject([{ status, credentialsRefused: refused }]);
});

it('knows a lost answer from a request that never left and a read that was broken off', async () => {
  server.reply = (_request, response) => void response.socket?.resetAndDestroy();
  await failing(get);

  const away = serviceAt(await refusingOrigin());
  await expect(away.dispatch(get)).rejects.toBeInstanceOf(Error);
  await away.close();
  const beforeDispatch = (): void => {
    throw new Error('too late');
  };
  await failing({ ...get, beforeSend: async () => beforeDispatch });

  const leaving = new AbortController();
  server.reply = () => leaving.abort();
  await failing(get, leaving.signal);

  expect(reports.map(({ ending, status }) => ({ ending, status }))).toEqual([
    { ending: 'no_answer', status: null },
    { ending: 'not_sent', status: null },
    { ending: 'not_sent', status: null },
    { ending: 'broken_off', status: null },
  ]);
});

it('hears of the start of a call before its end, whatever the end', async () => {
  const during: number[] = [];
  server.reply = (_request, response) => {
    during.push(inFlight);
    response.socket?.resetAndDestroy();
  };
  await failing(get);
  expect(during).toEqual([1]);
  expect(inFlight).toBe(0);
});

it('hears how long a call waited for its permit, had or given up', async () => {
  await service.call(get, 'poll');
  service.limiter.pauseFor(10_000);
  const leaving = new AbortController();
  const given = service.limiter.acquire('request', { signal: leaving.signal });
  await sleep(5);
  clock += 1_500;
  leaving.abort();
  expect(await given).toBe(false);
  expect(waits).toEqual([
    { priority: 'poll', waitedMs: 0 },
    { priority: 'request', waitedMs: 1_500 },
  ]);
});

describe('an answer that is handed on as it comes', () => {
  const streamed = <T>(take: (body: AsyncIterable<Buffer>) => Promise<T>, call = get) =>
    service.streamed(call, ({ body }) => take(body), 'poll');
  const textOf = async (body: AsyncIterable<Buffer>): Promise<string> => {
    let text = '';
    for await (const chunk of body) text += chunk.toString();
    return text;
  };

  it('is under way until its reader is done', async () => {
    expect(
      await streamed(async (body) => {
        clock += 70;
        expect(inFlight).toBe(1);
        return textOf(body);
      }),
    ).toBe('{"ok":1}');
    expect(reports).toEqual([{ ...answered, status: 200, error: null, durationMs: 70 }]);
    expect(waits).toHaveLength(1);
  });

  it('was answered even where its reader fails, and what that throws passes', async () => {
    const full = new RangeError('disk full');
    const reading = streamed(async () => {
      throw full;
    });
    await expect(reading).rejects.toBe(full);
    expect(reports).toMatchObject([{ ending: 'answered', status: 200, error: 'RangeError' }]);
    expect(inFlight).toBe(0);
  });

  it('has an end where the bytes of the call have', async () => {
    await expect(streamed(textOf, { ...get, maxBytes: 3 })).rejects.toMatchObject({
      name: 'ConnectionError',
      safeCause: { code: 'ANSWER_TOO_LARGE' },
    });
    expect(reports).toMatchObject([{ ending: 'no_answer' }]);
  });

  it('is cut short where the connection breaks', async () => {
    server.reply = (_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half');
      setTimeout(() => response.destroy(), 20);
    };
    await expect(streamed(textOf)).rejects.toMatchObject({
      name: 'ConnectionError',
      sent: 'maybe',
    });
  });

  it('is cut short where the time is over', async () => {
    server.reply = (_request, response) => void response.writeHead(200).write('half');
    await expect(streamed(textOf, { ...get, timeoutMs: 300 })).rejects.toMatchObject({
      name: 'TimeoutError',
      sent: 'maybe',
    });
  });

  it('is not handed on when it is a refusal', async () => {
    server.reply = (_request, response) => sendJson(response, 409, { code: 'not_ready' });
    const take = jest.fn();
    await expect(streamed(take)).rejects.toMatchObject({ name: 'StatusError', code: 'not_ready' });
    expect(take).not.toHaveBeenCalled();
  });
});
