import { gzipSync } from 'node:zlib';
import { resultKey } from '../../../src/store/credit/analyses';
import { readLarge } from '../../../src/store/core/large-objects';
import type { Reply } from '../../support/loopback-server';
import { CreditBench, json } from './credit-bench';

let bench: CreditBench;
beforeEach(async () => {
  bench = await CreditBench.start();
  bench.skipPauses();
});
afterEach(() => bench.close());

const titulos = Array.from({ length: 700 }, (_, index) => ({
  id: `t${index}`,
  numero: `${index}`.padStart(40, '0'),
  valor: 1,
  status: 'approved',
  issues: [],
}));
const tree = {
  operationId: 'op-1',
  engineId: 'e1',
  cedente: {
    status: 'approved',
    issues: [],
    sacados: [{ status: 'approved', issues: [], titulos }],
  },
  summary: { totalTitulos: 700, approved: 700, totalValue: 700 },
};
const whole = Buffer.from(JSON.stringify(tree));
const half = whole.subarray(0, whole.length / 2);
const key = resultKey('op-1', 'issues');

async function stored(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of readLarge(bench.place.store, key)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The bytes, under what is said about them; the connection is cut after them when asked. */
function answer(
  body: Buffer,
  headers: Record<string, string | number> = {},
  cut: 'cut' | 'ended' = 'ended',
): Reply {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', ...headers });
    response.write(body, () => void (cut === 'cut' ? response.socket?.destroy() : response.end()));
  };
}

/** As a server writes it that does not look at what it says. */
function raw(text: (body: string) => string): Reply {
  return (_request, response) => {
    const { socket } = response;
    socket?.end(text(whole.toString()));
  };
}

const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';

const broken: [string, Reply][] = [
  ['whose connection is cut in mid-chunk', answer(half, {}, 'cut')],
  ['that is shorter than its length', answer(half, { 'content-length': whole.length }, 'cut')],
  [
    'that is longer than its length',
    raw((body) => `${head}Content-Length: ${half.length}\r\n\r\n${body}`),
  ],
  [
    'that ends with its connection, too early',
    raw((body) => `${head}Connection: close\r\n\r\n${body.slice(0, -1)}`),
  ],
  [
    'whose last chunk never came',
    raw(
      (body) =>
        `${head}Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n`,
    ),
  ],
  ['that ends in mid-tree, in good order', answer(half)],
  [
    'that is spoilt at its very end',
    answer(Buffer.concat([whole.subarray(0, -1), Buffer.from(']')])),
  ],
  ['after which something follows', answer(Buffer.concat([whole, Buffer.from('{"a":1}')]))],
  ['that is empty', answer(Buffer.alloc(0))],
  [
    'that came packed, and cut short',
    answer(gzipSync(whole).subarray(0, -20), { 'content-encoding': 'gzip' }),
  ],
];

it('unpacks a result that came packed, unasked', async () => {
  bench.replies.result = answer(gzipSync(whole), { 'content-encoding': 'gzip' });
  expect(await bench.wait()).toMatchObject({ value: { kind: 'ready' } });
  expect((await stored()).equals(whole)).toBe(true);
});

it.each(broken)('fetches a result again %s, and files the whole one', async (_what, reply) => {
  let calls = 0;
  bench.replies.result = (request, response) => {
    calls += 1;
    return (calls === 1 ? reply : json(200, tree))(request, response);
  };
  expect(await bench.wait()).toMatchObject({ value: { kind: 'ready' } });
  expect(calls).toBe(2);
  expect((await stored()).equals(whole)).toBe(true);
  expect(await bench.place.store.records.list('operations/')).toHaveLength(2);
});

it('asks for bytes as they are', async () => {
  bench.replies.result = json(200, tree);
  await bench.wait();
  const asked = bench.server.received.find(({ path }) => path.endsWith('/result'));
  expect(asked?.headers['accept-encoding']).toBe('identity');
});
