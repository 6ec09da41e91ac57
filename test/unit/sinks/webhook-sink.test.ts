import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { AddressGuard, isPublicAddress } from '../../../src/protection/address-guard';
import { WebhookSink, type WebhookOptions } from '../../../src/sinks/webhook-sink';
import type { DeliveryOutcome } from '../../../src/sinks/sink';
import {
  LoopbackServer,
  SocketLoopback,
  houseGuard,
  refusingOrigin,
} from '../../support/loopback-server';
import { filedChange } from '../../support/monitor-changes';

const secret = `whsec_${Buffer.from('a secret of thirty-two bytes, yes').toString('base64')}`;
const other = `whsec_${Buffer.from('another secret of some more bytes').toString('base64')}`;

let receiver: LoopbackServer;
const open: { close(): Promise<void> }[] = [];

beforeEach(async () => {
  receiver = await LoopbackServer.start((_, response) => {
    response.writeHead(204).end();
  });
  open.push(receiver);
});
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

function sinkTo(
  url: string,
  options: WebhookOptions & { guard?: AddressGuard; secrets?: string[] } = {},
): WebhookSink {
  const { guard = houseGuard, secrets = [secret], ...rest } = options;
  const sink = new WebhookSink({ url, secrets, guard }, rest);
  open.push(sink);
  return sink;
}

/** A clock that waiting moves, and nothing else. */
function clock(): { now: () => number; wait: (ms: number) => Promise<void>; waited: () => number } {
  let at = Date.now();
  const began = at;
  return {
    now: () => at,
    wait: async (ms) => void (at += ms),
    waited: () => at - began,
  };
}

function deliver(
  sink: WebhookSink,
  ids: readonly string[],
  signal?: AbortSignal,
): Promise<DeliveryOutcome[]> {
  const deliveries = ids.map((id) => ({ kind: 'change' as const, id, stored: filedChange(id) }));
  return sink.deliver(
    { monitorId: 'monitor-1', sweep: 's', at: 0, cooldownMs: null, deliveries },
    signal,
  );
}

it('signs every change by its id, so that a receiver can verify it', async () => {
  const sink = sinkTo(`${receiver.origin}/hook?key=1`, { secrets: [secret, other] });
  expect(await deliver(sink, ['c1'])).toEqual([{ kind: 'taken' }]);
  const [request] = receiver.received;
  expect(request).toMatchObject({ method: 'POST', path: '/hook' });
  expect(request?.query.get('key')).toBe('1');
  expect(request?.headers['webhook-id']).toBe('c1');
  for (const one of [secret, other]) {
    const message = new Webhook(one).verify(
      request?.body ?? '',
      request?.headers as Record<string, string>,
    );
    expect(message).toMatchObject({
      type: 'monitor.change',
      data: { change_id: 'c1', monitor_id: 'monitor-1', severity: 'warn', change: { id: 'c1' } },
    });
  }
});

it.each([
  [200, { kind: 'taken' }],
  [410, { kind: 'disabled' }],
  [307, { kind: 'failed', why: expect.stringContaining('redirects are not followed') }],
  [422, { kind: 'refused' }],
  [401, { kind: 'failed' }],
  [404, { kind: 'failed' }],
])('takes %s for its answer, and does not ask again', async (status, outcome) => {
  receiver.reply = (_, response) => {
    response.writeHead(status, { location: `${receiver.origin}/elsewhere` }).end('{}');
  };
  expect(await deliver(sinkTo(receiver.origin), ['c1'])).toMatchObject([outcome]);
  expect(receiver.received).toHaveLength(1);
});

it.each([500, 503, 429, 408])('asks again after %s, for half a minute', async (status) => {
  receiver.reply = (_, response) => {
    response.writeHead(status).end();
  };
  const time = clock();
  const sink = sinkTo(receiver.origin, time);
  const outcome = { kind: 'failed', againInMs: null };
  expect(await deliver(sink, ['c1'])).toMatchObject([outcome]);
  expect(time.waited()).toBeGreaterThan(27_000);
  expect(time.waited()).toBeLessThanOrEqual(30_000);
  // It waits between two tries, longer each time.
  expect(receiver.received.length).toBeGreaterThan(10);
  expect(receiver.received.length).toBeLessThan(30);
});

it('is patient with a receiver that is down once, and again when it took something', async () => {
  let isUp = false;
  receiver.reply = (_, response) => {
    response.writeHead(isUp ? 204 : 500).end();
  };
  const time = clock();
  const sink = sinkTo(receiver.origin, time);
  const waitedFor = async (id: string): Promise<number> => {
    const before = time.waited();
    await deliver(sink, [id]);
    return time.waited() - before;
  };
  expect(await waitedFor('c1')).toBeGreaterThan(27_000);
  expect(await waitedFor('c2')).toBeLessThanOrEqual(1_000);
  isUp = true;
  expect(await waitedFor('c2')).toBe(0);
  isUp = false;
  expect(await waitedFor('c3')).toBeGreaterThan(27_000);
});

it.each<[string, (times: number, response: ServerResponse) => void]>([
  ['503', (_, response) => void response.writeHead(503).end()],
  [
    '503 with Retry-After',
    (_, response) => void response.writeHead(503, { 'retry-after': '0.2' }).end(),
  ],
  ['429', (_, response) => void response.writeHead(429).end()],
  ['a reset', (_, response) => void response.socket?.destroy()],
])('delivers at the next try what met %s, under the same id', async (_, fail) => {
  receiver.reply = (_request, response) => {
    if (receiver.received.length < 3) fail(receiver.received.length, response);
    else response.writeHead(204).end();
  };
  expect(await deliver(sinkTo(receiver.origin), ['c1'])).toEqual([{ kind: 'taken' }]);
  expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual(['c1', 'c1', 'c1']);
});

it('lets no bad change keep the others back', async () => {
  receiver.reply = ({ headers }, response) => {
    response.writeHead(headers['webhook-id'] === 'c2' ? 500 : 200).end();
  };
  const sink = sinkTo(receiver.origin, clock());
  const outcomes = await deliver(sink, ['c1', 'c2', 'c3', 'c4']);
  expect(outcomes.map(({ kind }) => kind)).toEqual(['taken', 'failed', 'taken', 'taken']);
});

it('waits a short pause that the receiver asks for, and goes on after it', async () => {
  const times: number[] = [];
  receiver.reply = (_, response) => {
    times.push(Date.now());
    if (times.length > 1) response.writeHead(200).end();
    else response.writeHead(429, { 'retry-after': '0.3' }).end();
  };
  const outcomes = await deliver(sinkTo(receiver.origin, { atOnce: 1 }), ['c1', 'c2']);
  expect(outcomes).toEqual([{ kind: 'taken' }, { kind: 'taken' }]);
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(290);
});

it('asks no more of a receiver that wants a long pause, is disabled, or fails for everyone', async () => {
  const sink = sinkTo(receiver.origin, { atOnce: 1, patienceMs: 0 });
  const answers: [number, Record<string, string>, number][] = [
    [503, { 'retry-after': '60' }, 1],
    [410, {}, 1],
    [500, {}, 3],
  ];
  for (const [status, headers, asked] of answers) {
    receiver.received.length = 0;
    receiver.reply = (_, response) => {
      response.writeHead(status, headers).end();
    };
    const outcomes = await deliver(sink, ['c1', 'c2', 'c3', 'c4', 'c5']);
    expect(new Set(outcomes.map(({ kind }) => kind)).size).toBe(1);
    expect(outcomes).toHaveLength(5);
    expect(receiver.received).toHaveLength(asked);
  }
});

it('takes a healthy receiver that is slow for what it is, however many sweeps tell it at once', async () => {
  receiver.reply = async (_, response) => {
    await sleep(25);
    response.writeHead(204).end();
  };
  // All together take longer than one answer may.
  const sink = sinkTo(receiver.origin, { atOnce: 2, timeoutMs: 600 });
  const batches = Array.from({ length: 10 }, (_, n) =>
    deliver(
      sink,
      [1, 2, 3, 4, 5, 6].map((m) => `c${n}-${m}`),
    ),
  );
  const outcomes = (await Promise.all(batches)).flat();
  expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['taken']));
  expect(receiver.received).toHaveLength(60);
});

it('begins nothing after the time of a batch, and tells a slow receiver from one that takes nothing', async () => {
  receiver.reply = async (_, response) => {
    await sleep(600);
    response.writeHead(204).end();
  };
  const slow = sinkTo(receiver.origin, { atOnce: 1, batchMs: 400 });
  const kinds = (outcomes: DeliveryOutcome[]): string[] => outcomes.map(({ kind }) => kind);
  expect(kinds(await deliver(slow, ['c1', 'c2', 'c3']))).toEqual(['taken', 'untried', 'untried']);
  const silent = await SocketLoopback.start(() => undefined);
  open.push(silent);
  const dead = sinkTo(silent.origin, { atOnce: 1, timeoutMs: 600, batchMs: 400 });
  const both = await Promise.all([deliver(dead, ['c1']), deliver(dead, ['c2'])]);
  expect(kinds(both.flat())).toEqual(['failed', 'failed']);
  // A connection that carries nothing may be open for what comes next.
  expect(silent.received.filter((text) => text !== '')).toHaveLength(1);
});

it('stops waiting for its turn when it is aborted', async () => {
  const gate = new AbortController();
  receiver.reply = async (_, response) => {
    gate.abort(new Error('stopped'));
    await sleep(100);
    response.writeHead(204).end();
  };
  const sink = sinkTo(receiver.origin, { atOnce: 1 });
  const first = deliver(sink, ['c1']);
  await expect(deliver(sink, ['c2'], gate.signal)).rejects.toThrow('stopped');
  expect(await first).toEqual([{ kind: 'taken' }]);
  expect(await deliver(sink, ['c3'])).toEqual([{ kind: 'taken' }]);
});

it('believes no pause of more than an hour', async () => {
  for (const after of ['99999999999999999', '3153600000', '9'.repeat(400)]) {
    receiver.reply = (_, response) => {
      response.writeHead(503, { 'retry-after': after }).end();
    };
    const outcomes = await deliver(sinkTo(receiver.origin), ['c1']);
    expect(outcomes).toMatchObject([{ kind: 'failed', againInMs: 3_600_000 }]);
  }
});

it('tells a receiver that is silent, gone, or cuts the line, without its address', async () => {
  const silent = await SocketLoopback.start(() => undefined);
  const cutting = await SocketLoopback.start((socket) => socket.resetAndDestroy());
  open.push(silent, cutting);
  const cases: [string, RegExp][] = [
    [silent.origin, /did not answer in time/],
    [await refusingOrigin(), /could not be reached \(ECONNREFUSED\)/],
    [cutting.origin, /could not be reached/],
  ];
  for (const [origin, why] of cases) {
    const [outcome] = await deliver(
      sinkTo(`${origin}/path-secret`, { timeoutMs: 300, patienceMs: 0 }),
      ['c1'],
    );
    expect(outcome).toMatchObject({ kind: 'failed', why: expect.stringMatching(why) });
    expect(JSON.stringify(outcome)).not.toMatch(/path-secret|127\.0\.0\.1/);
  }
});

it('connects to no private address, named or numbered, unless it is allowed', async () => {
  const { port } = new URL(receiver.origin);
  const hosts = ['127.0.0.1', 'localhost', '[::1]', '2130706433', '[::ffff:127.0.0.1]'];
  for (const host of hosts) {
    const sink = sinkTo(`http://${host}:${port}/`, { guard: new AddressGuard() });
    expect(await deliver(sink, ['c1'])).toMatchObject([
      { kind: 'failed', why: expect.stringContaining('not public (DILIGENCE_ALLOWED_HOSTS=') },
    ]);
  }
  expect(receiver.received).toEqual([]);
});

it.each([
  ['8.8.8.8', true],
  ['2001:4860:4860::8888', true],
  ['10.1.2.3', false],
  ['172.16.0.1', false],
  ['192.168.1.1', false],
  ['169.254.169.254', false],
  ['100.64.0.1', false],
  ['0.0.0.0', false],
  ['127.8.8.8', false],
  ['fe80::1', false],
  ['fd00::1', false],
  ['::ffff:10.0.0.1', false],
  ['64:ff9b::a00:1', false],
  ['2002:a00:1::', false],
  ['::7f00:1', false],
  ['::127.0.0.1', false],
  ['not an address', false],
])('judges the address %s: public %s', (address, isPublic) => {
  expect(isPublicAddress(address)).toBe(isPublic);
});

it('stops when it is told to', async () => {
  receiver.reply = () => undefined;
  const stop = new AbortController();
  const delivering = deliver(sinkTo(receiver.origin), ['c1', 'c2'], stop.signal);
  setTimeout(() => stop.abort(), 50);
  await expect(delivering).rejects.toThrow('aborted');
});
