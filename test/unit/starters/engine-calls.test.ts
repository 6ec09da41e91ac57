import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EnginesApi } from '../../../src/apis/credit/engines';
import { Service } from '../../../src/apis/http/service';
import { Token } from '../../../src/apis/http/token';
import { engineCalls, type EngineCalls } from '../../../src/starters/credit/engine-calls';

/** Shapes of answers that the sandbox does not have. */
const held = { id: 'e-1', name: 'Padrao' };
const second = { id: 'e-2', name: 'Segundo' };
/** The page at a cursor or number, with its Link header. */
let paged: ((at: string | null) => [unknown, string | null]) | null;
let list: unknown;
let link: string | null;
let created: number;
let shown: boolean;
let server: Server;
let service: Service;
let calls: EngineCalls;

beforeEach(async () => {
  [list, link, created, shown, paged] = [[held], null, 0, false, null];
  server = createServer((request, response) => {
    if (request.method === 'POST') {
      created += 1;
      if (shown) list = [held, { id: `n-${created}`, name: 'Novo' }];
      response.writeHead(201).end();
      return;
    }
    const one = request.url?.endsWith('/n-1') === true;
    const { searchParams } = new URL(request.url ?? '', 'http://x');
    if (paged !== null)
      [list, link] = paged(searchParams.get('cursor') ?? searchParams.get('page'));
    response.writeHead(200, link === null ? {} : { link });
    response.end(JSON.stringify(one ? { id: 'n-1', name: 'Novo' } : list));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${port}/api/v1`;
  service = new Service({ baseUrl, token: Token.of('t'), ratePerSecond: 10_000 });
  calls = engineCalls(new EnginesApi(service, 5_000), {
    print: () => {},
    pause: async () => undefined,
  });
});
afterEach(async () => {
  await service.close();
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
});

const make = () => calls.create({ name: 'Novo' });

test('an engine that was taken with an answer without a body is not sent again', async () => {
  await expect(make()).rejects.toThrow(/took the engine, and its answer cannot be read/);
  expect(created).toBe(1);
});

test('an engine that was taken with an answer without a body is found in the list', async () => {
  shown = true;
  expect(await make()).toMatchObject({ id: 'n-1', name: 'Novo' });
  expect(created).toBe(1);
});

test.each<[string, unknown, string | null]>([
  ['a total that is more than what is listed', { items: [held], total: 2 }, null],
  ['a total in an object of its own', { data: [held], meta: { totalItems: 7 } }, null],
  ['several pages', { items: [held], totalPages: 2 }, null],
  ['a cursor', { items: [held], nextCursor: 'abc' }, null],
  ['more', { items: [held], pagination: { has_more: true } }, null],
  ['a number, which is ignored', { items: [held], page: 1, total: 2 }, null],
  ['a link', [held], '<https://x/engines?page=2>; rel="next"'],
])('nothing is created while the list is a page, as %s tells', async (_, page, header) => {
  [list, link] = [page, header];
  await expect(make()).rejects.toThrow(/cannot be read to its end/);
  await expect(calls.find('Padrao')).rejects.toThrow(/cannot be read to its end/);
  expect(created).toBe(0);
});

test.each<[string, (at: string | null) => [unknown, string | null]]>([
  [
    'a cursor',
    (at) => [{ items: [at ? second : held], nextCursor: at ? null : 'c-2', total: 2 }, null],
  ],
  [
    'an address',
    (at) => [
      { data: [at ? second : held], _links: at ? {} : { next: { href: '/e?cursor=c-2' } } },
      null,
    ],
  ],
  [
    'a cursor, and a last page that names itself',
    (at) => [{ data: [at ? second : held], page: { next_cursor: 'c-2', has_more: true } }, null],
  ],
  [
    'a cursor beside the end',
    (at) => [
      {
        data: at === null ? [held] : at === 'c-2' ? [second] : [],
        page: { next_cursor: at === null ? 'c-2' : 'c-3', has_more: at === null },
      },
      null,
    ],
  ],
  [
    'a Link header',
    (at) => [[at ? second : held], at ? null : '<https://x/e?cursor=c-2>; rel="next"'],
  ],
  [
    'the number of the page',
    (at) => [{ engines: [at === '2' ? second : held], page: Number(at ?? 1), total: 2 }, null],
  ],
  [
    'a number that is counted from 0',
    (at) => [
      {
        content: [at === '1' ? second : held],
        page: { number: String(at ?? 0), size: 1, totalPages: 2 },
      },
      null,
    ],
  ],
])('all pages of a list are read, by %s', async (_, pageAt) => {
  paged = pageAt;
  expect(await calls.list()).toMatchObject([held, second]);
  expect(await calls.find('Segundo')).toMatchObject(second);
});

test('an engine is read from an answer that wraps it, and a list beside another', async () => {
  list = { engine: { ...held, rules: [{ id: 'r', name: 'R' }] } };
  const { rulesText, ...engine } = await calls.read(held.id);
  expect(engine).toMatchObject(held);
  expect(rulesText?.text).toBe('[{"id":"r","name":"R"}]');
  list = { warnings: [], motores: [held] };
  expect(await calls.list()).toMatchObject([held]);
});

test.each<[string, unknown]>([
  ['a total of what is listed', { items: [held], total: 1, nextCursor: null, hasMore: false }],
  ['an envelope', { data: { items: [held], totalPages: 1 } }],
  ['an empty link', { itens: [held], links: { next: '' } }],
])('a list with %s is whole', async (_, whole) => {
  list = whole;
  expect(await calls.list()).toMatchObject([held]);
});
