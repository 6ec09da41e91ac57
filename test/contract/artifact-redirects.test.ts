import { Service } from '../../src/apis/http/service';
import { Token } from '../../src/apis/http/token';
import { fetchArtifact } from '../../src/apis/investigation/artifacts';
import { LoopbackServer, houseGuard } from '../support/loopback-server';

/** Files of dossiers and analyses whose address leads on. */

let server: LoopbackServer;
/** Another origin than the service's. */
let store: LoopbackServer;
let service: Service;

beforeEach(async () => {
  server = await LoopbackServer.start();
  store = await LoopbackServer.start();
  service = new Service({
    baseUrl: `${server.origin}/api/v1`,
    token: Token.of('secret'),
    ratePerSecond: 10_000,
    guard: houseGuard,
  });
});
afterEach(async () => {
  await service.close();
  await server.close();
  await store.close();
});

async function take({ body }: { body: AsyncIterable<Buffer> }): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const fetched = (url: string) =>
  fetchArtifact(service, url, take, { timeoutMs: 5_000, maxBytes: 100 });

/** What is not the last word leads on to the next. */
function leads(from: LoopbackServer, answers: Record<string, string | { to: string }>): void {
  from.reply = ({ path }, response) => {
    const answer = answers[path];
    if (typeof answer === 'string') response.end(answer);
    else response.writeHead(302, { location: answer?.to ?? '/' }).end('moved');
  };
}

const tokens = (of: LoopbackServer) => of.received.map(({ headers }) => headers.authorization);

test('a redirect is followed to a store, which is not shown our token', async () => {
  leads(server, { '/files/a1': { to: '/files/a2' }, '/files/a2': { to: `${store.origin}/a` } });
  leads(store, { '/a': { to: 'b' }, '/b': 'theirs' });
  expect(await fetched('/files/a1')).toBe('theirs');
  expect(tokens(server)).toEqual(['Bearer secret', 'Bearer secret']);
  expect(tokens(store)).toEqual([undefined, undefined]);
});

test.each([
  ['to what is not the web', () => 'ftp://store.test/a'],
  ['to a file of this machine', () => 'file:///etc/hostname'],
  ['back to the service, which would be shown our token', () => `${server.origin}/api/v1/dossies`],
])('a store that leads %s is not followed', async (_, to) => {
  leads(store, { '/a': { to: to() } });
  await expect(fetched(`${store.origin}/a`)).rejects.toMatchObject({
    name: 'RefusedAddressError',
  });
  expect(store.received).toHaveLength(1);
  expect(server.received).toEqual([]);
});

test('redirects that come to no end are given up', async () => {
  leads(store, { '/a': { to: '/a' } });
  await expect(fetched(`${store.origin}/a`)).rejects.toMatchObject({ status: 302 });
  expect(store.received).toHaveLength(4);
});
