import { inspect } from 'node:util';
import { Service } from '../../../../src/apis/http/service';
import { Token } from '../../../../src/apis/http/token';
import { CertificatesApi } from '../../../../src/apis/investigation/certificates';
import { LoopbackServer, houseGuard } from '../../../support/loopback-server';

let server: LoopbackServer;
let other: LoopbackServer;
let api: CertificatesApi;

function apiWith(pdfAuth: 'query' | 'bearer', path = '/api/v1'): CertificatesApi {
  const service = new Service({
    baseUrl: `${server.origin}${path}`,
    token: Token.of('secret'),
    ratePerSecond: 1_000,
    guard: houseGuard,
  });
  return new CertificatesApi(service, { pdf: 'optional', pdfAuth });
}

beforeEach(async () => {
  server = await LoopbackServer.start((_request, response) => void response.end('%PDF-own'));
  other = await LoopbackServer.start((_request, response) => void response.end('%PDF-other'));
  api = apiWith('query');
});

afterEach(async () => {
  await api.service.close();
  await server.close();
  await other.close();
});

const fetchAt = (url: string): Promise<Buffer> =>
  api.fetchPdf(url, 'pdf', new AbortController().signal);

describe('fetching a PDF', () => {
  it('takes the token in the query at the origin of the service', async () => {
    expect((await fetchAt('pdf?v=2')).toString()).toBe('%PDF-own');
    expect(Object.fromEntries(server.received[0]?.query ?? [])).toEqual({
      v: '2',
      token: 'secret',
    });
  });

  it('is asked of the gateway that the base address names', async () => {
    await api.service.close();
    api = apiWith('query', '/gateway/api/v1');
    await fetchAt('/api/v1/certidoes/c-1/pdf');
    await fetchAt('/files/c-1.pdf');
    await fetchAt('/gateway/api/v1/certidoes/c-1/pdf');
    expect(server.received.map(({ path }) => path)).toEqual([
      '/gateway/api/v1/certidoes/c-1/pdf',
      '/files/c-1.pdf',
      '/gateway/api/v1/certidoes/c-1/pdf',
    ]);
  });

  it('takes it in the header when certificates.pdfAuth says bearer', async () => {
    await api.service.close();
    api = apiWith('bearer');
    await fetchAt(`${server.origin}/pdf`);
    expect(server.received[0]?.headers.authorization).toBe('Bearer secret');
    expect(server.received[0]?.query.get('token')).toBeNull();
  });

  it.each(['query', 'bearer'] as const)(
    'drops the %s credentials when it is sent to another origin, and is not led back',
    async (pdfAuth) => {
      await api.service.close();
      api = apiWith(pdfAuth);
      server.reply = (_request, response) =>
        void response.writeHead(302, { location: `${other.origin}/store?sig=abc` }).end();
      other.reply = (_request, response) =>
        void response.writeHead(307, { location: `${server.origin}/home` }).end();
      await expect(fetchAt('/pdf')).rejects.toThrow('back to the service');
      const [away] = other.received;
      expect(away?.query.get('sig')).toBe('abc');
      expect(JSON.stringify(away?.headers) + away?.query).not.toContain('secret');
      expect(server.received).toHaveLength(1);
    },
  );

  it.each([
    [3, true],
    [4, false],
  ])('meets %i redirects in a row and arrives: %p', async (redirects, arrives) => {
    server.reply = ({ path }, response) => {
      const n = Number(path.slice(2));
      if (n === redirects) return void response.end('%PDF-there');
      response.writeHead(302, { location: `/r${n + 1}` });
      response.end();
    };
    const end = await fetchAt(`${server.origin}/r0`).then(String, (error: Error) => error);
    if (arrives) expect(end).toBe('%PDF-there');
    else expect(end).toMatchObject({ name: 'StatusError', status: 302 });
    expect(server.received).toHaveLength(4);
  });

  it.each<[number, Record<string, string>]>([
    [302, {}],
    [304, { location: '/pdf2' }],
    [404, { location: '/pdf2' }],
  ])('follows nothing after %i %j', async (status, headers) => {
    server.reply = (_request, response) => {
      response.writeHead(status, headers);
      response.end();
    };
    await expect(fetchAt(`${server.origin}/pdf`)).rejects.toMatchObject({ status });
    expect(server.received).toHaveLength(1);
  });

  it('names neither the address nor a signature in its errors', async () => {
    other.reply = (_request, response) => {
      response.writeHead(403);
      response.end();
    };
    const error = (await fetchAt(`${other.origin}/a.pdf?sig=abc`).catch(
      (fault: unknown) => fault,
    )) as Error;
    expect(error.message).toBe('GET {pdf_url}: answered 403');
    const shown = `${error.stack}${JSON.stringify(error)}${inspect(error, { depth: 9 })}`;
    expect(shown).not.toContain('sig=abc');
  });
});
