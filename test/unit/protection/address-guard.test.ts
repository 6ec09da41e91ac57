import { lookup } from 'node:dns';
import { createServer, type Server } from 'node:http';
import { Readable } from 'node:stream';
import { AddressGuard, type LookUp } from '../../../src/protection/address-guard';
import { classifyFailure, isCallFailure } from '../../../src/apis/http/classify';
import { readWhole } from '../../../src/apis/http/exchange';
import { Service } from '../../../src/apis/http/service';
import { Token } from '../../../src/apis/http/token';
import { fetchArtifact } from '../../../src/apis/investigation/artifacts';
import { CertificatesApi } from '../../../src/apis/investigation/certificates';
import { LensApi } from '../../../src/apis/investigation/lens';
import { LoopbackServer } from '../../support/loopback-server';

/** Addresses that a service names: what the guard keeps from being called, and what it allows. */

let server: LoopbackServer;
/** In the house: another origin than the service's. */
let house: LoopbackServer;
const open: (() => Promise<void>)[] = [];

beforeEach(async () => {
  server = await LoopbackServer.start();
  house = await LoopbackServer.start((_, response) => void response.end('%PDF-house'));
  open.push(
    () => server.close(),
    () => house.close(),
  );
});
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

const names: Record<string, string[]> = {
  'inside.test': ['10.1.2.3'],
  'both.test': ['8.8.8.8', '127.0.0.1'],
  'mapped.test': ['::ffff:192.168.0.1'],
  'public.test': ['8.8.8.8'],
};
const lookUp: LookUp = (host, options, done) => {
  const found = names[host]?.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  if (found !== undefined) setImmediate(() => done(null, found));
  else lookup(host, options, done);
};

function serviceThat(
  allowed: string[],
  { by = lookUp, baseUrl = `${server.origin}/api/v1` } = {},
): Service {
  const guard = new AddressGuard(allowed, by);
  const token = Token.of('the-secret');
  const service = new Service({ baseUrl, token, ratePerSecond: 10_000, guard });
  open.push(() => service.close());
  return service;
}

type Way = (service: Service, address: string) => Promise<unknown>;
const assumptions = {
  readPath: '/lente/analyses/{id}',
  modeField: 'mode',
  submitPath: null,
  maxFileBytes: 1_000,
};
const upload: Way = (service, url) =>
  new LensApi(service, assumptions).upload(
    { method: 'PUT', url, headers: {}, expiresAt: null },
    () => Readable.from(['bytes']),
    { sizeBytes: 5, timeoutMs: 5_000 },
  );
const pdf: Way = (service, url) =>
  new CertificatesApi(service, { pdf: 'optional', pdfAuth: 'query' }).fetchPdf(url, 'pdf');
const artifact: Way = async (service, url) => {
  const whole = await fetchArtifact(service, url, readWhole, { timeoutMs: 5_000, maxBytes: 100 });
  return whole.body;
};
const redirect: Way = (service, url) => {
  server.reply = (_, response) => void response.writeHead(302, { location: url }).end();
  return artifact(service, '/leads/on');
};
const ways: [string, Way][] = [
  ['the PDF of a certificate', pdf],
  ['an artifact', artifact],
  ['an upload', upload],
  ['a redirect', redirect],
];

/** `PORT` is where somebody in the house listens. */
const refused: [address: string, rule: RegExp][] = [
  ...[
    'http://127.0.0.1:PORT/f?sig=s3cr3t',
    'http://127.8.8.8:PORT/',
    'http://localhost:PORT/',
    'http://localhost.:PORT/',
    'http://2130706433:PORT/',
    'http://0x7f000001:PORT/',
    'http://0177.0.0.1:PORT/',
    'http://127.1:PORT/',
    'http://0.0.0.0:PORT/',
    'http://[::]:PORT/',
    'http://[::1]:PORT/',
    'http://[::127.0.0.1]:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://[::ffff:7f00:1]:PORT/',
    'http://[64:ff9b::7f00:1]:PORT/',
    'http://[2002:7f00:1::]:PORT/',
    'http://[fe80::1]/',
    'http://[fd00::1]/',
    'http://[ff02::1]/',
    'http://10.0.0.1/',
    'http://172.16.0.1/',
    'http://192.168.1.1/',
    'http://100.64.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://198.18.0.1/',
    'http://255.255.255.255/',
    'http://inside.test/',
    'http://both.test:PORT/',
    'http://mapped.test/',
  ].map((address): [string, RegExp] => [
    address,
    /not public \(DILIGENCE_ALLOWED_HOSTS=\S+ allows/,
  ]),
  [
    'http://public.test:25/',
    /port 25 is none of 80, .*DILIGENCE_ALLOWED_HOSTS=public\.test allows/,
  ],
  ['http://8.8.8.8:6379/', /port 6379 is none of .*DILIGENCE_ALLOWED_HOSTS=8\.8\.8\.8 allows/],
  ['http://us3r:s3cr3t@public.test/', /public\.test is not followed: it has a user/],
  ['ftp://public.test/f', /expected an address that begins with http/],
  ['file:///etc/hostname', /expected an address that begins with http/],
];

test.each(ways)(
  'of thirty addresses named as %s none is called, and each is told',
  async (...[, way]) => {
    const service = serviceThat([]);
    const { port } = new URL(house.origin);
    for (const [address, rule] of refused) {
      const error = await way(service, address.replace('PORT', port)).then(
        () => null,
        (thrown: unknown) => thrown,
      );
      if (!isCallFailure(error)) throw new Error(`${address}: ${String(error)}`);
      expect([address, error.name]).toEqual([address, 'RefusedAddressError']);
      expect(error.message).toMatch(rule);
      expect(error.message).not.toMatch(/s3cr3t|us3r|the-secret|meta-data/);
      expect(classifyFailure(error)).toBe('permanent');
      expect(classifyFailure(error, 'keyless')).toBe('permanent');
    }
    expect(house.received).toEqual([]);
  },
);

test.each(ways)(
  '%s in the house is reached when its host, address or network is allowed',
  async (...[, way]) => {
    const { port } = new URL(house.origin);
    for (const [allowed, host] of [
      ['localhost', 'localhost'],
      ['127.0.0.1', '127.0.0.1'],
      ['127.0.0.0/8', 'localhost'],
      ['::ffff:127.0.0.1', '[::ffff:127.0.0.1]'],
    ] as const) {
      house.received.length = 0;
      await way(serviceThat([allowed]), `http://${host}:${port}/f`);
      expect(house.received).toHaveLength(1);
      expect(JSON.stringify(house.received)).not.toContain('the-secret');
    }
  },
);

test('the address that was checked is the one that is connected to', async () => {
  const { port } = new URL(house.origin);
  const second = await listening('127.0.0.2', Number(port));
  let lookUps = 0;
  const turning: LookUp = (_, __, done) => {
    lookUps += 1;
    done(null, [{ address: lookUps === 1 ? '127.0.0.2' : '127.0.0.1', family: 4 }]);
  };
  const service = serviceThat(['127.0.0.2'], { by: turning });
  expect(String(await artifact(service, `http://turns.test:${port}/`))).toBe('second');
  expect([lookUps, house.received]).toEqual([1, []]);
  second.closeAllConnections();
  // A new connection is looked up anew, and another address is judged anew.
  await expect(artifact(service, `http://turns.test:${port}/`)).rejects.toThrow('not public');
  expect(house.received).toEqual([]);
});

test('each hop of a redirect is judged anew', async () => {
  house.reply = (_, response) =>
    void response.writeHead(307, { location: 'http://169.254.169.254/' }).end();
  const { host } = new URL(house.origin);
  await expect(redirect(serviceThat(['127.0.0.1']), `http://${host}/`)).rejects.toThrow(
    /169\.254\.169\.254 .*not public/,
  );
});

test('what was named over https does not go on over http, and no stranger leads back to the service', () => {
  const service = serviceThat(['public.test'], { baseUrl: 'https://api.test/api/v1' });
  expect(service.follow('/f').href).toBe('https://api.test/f');
  expect(service.follow('https://public.test/f').href).toBe('https://public.test/f');
  for (const address of ['http://public.test/f', 'http://api.test/f']) {
    expect(() => service.follow(address)).toThrow('leads from https to http');
  }
  const stranger = new URL('https://public.test/f');
  expect(() => service.follow('https://api.test/paid', stranger)).toThrow('back to the service');
});

test.each([
  [{ authorization: 'Bearer s3cr3t' }, 'authorization'],
  [{ Cookie: 'a=s3cr3t' }, 'cookie'],
  [{ 'transfer-encoding': 'chunked' }, 'transfer-encoding'],
  [{ 'proxy-authorization': 's3cr3t' }, 'proxy-authorization'],
  [{ 'x-amz-meta-a': 's3cr3t\r\nauthorization: b' }, 'x-amz-meta-a'],
  [{ 'x-forwarded-for': '127.0.0.1' }, 'x-forwarded-for'],
])('an upload that is to carry %j is not sent', async (headers, named) => {
  const lens = new LensApi(serviceThat(['127.0.0.1']), assumptions);
  const told = lens.upload(
    { method: 'PUT', url: house.origin, headers, expiresAt: null },
    () => Readable.from(['bytes']),
    { sizeBytes: 5, timeoutMs: 5_000 },
  );
  await expect(told).rejects.toMatchObject({
    name: 'RefusedAddressError',
    message: expect.stringContaining(`its header ${named} is not sent`),
  });
  await expect(told).rejects.not.toThrow('s3cr3t');
  expect(house.received).toEqual([]);
});

test('an upload carries the headers of a store, and its own length and host', async () => {
  const lens = new LensApi(serviceThat(['127.0.0.1']), assumptions);
  const headers = {
    'Content-Type': 'image/png',
    'x-amz-acl': 'private',
    'x-goog-content-length-range': '1,9',
    'x-ms-blob-type': 'BlockBlob',
    Host: 'elsewhere.test',
    'content-length': '99',
  };
  await lens.upload(
    { method: 'PUT', url: house.origin, headers, expiresAt: null },
    () => Readable.from(['bytes']),
    { sizeBytes: 5, timeoutMs: 5_000 },
  );
  const [received] = house.received;
  expect(received).toMatchObject({
    body: 'bytes',
    headers: {
      'content-type': 'image/png',
      'x-amz-acl': 'private',
      'x-goog-content-length-range': '1,9',
      'x-ms-blob-type': 'BlockBlob',
      'content-length': '5',
      host: new URL(house.origin).host,
    },
  });
  expect(received?.headers.authorization).toBeUndefined();
});

test.each(['http://a.test', 'a.test:443', '10.0.0.0/99', '*', 'a b', '2130706433'])(
  'an entry that is no host, address or network is refused: %s',
  (entry) => {
    expect(() => new AddressGuard([entry])).toThrow(`${entry}: expected a host name`);
  },
);

async function listening(host: string, port: number): Promise<Server> {
  const second = createServer((_, response) => response.end('second'));
  await new Promise<void>((ready) => second.listen(port, host, ready));
  open.push(async () => {
    second.closeAllConnections();
    await new Promise((done) => second.close(done));
  });
  return second;
}
