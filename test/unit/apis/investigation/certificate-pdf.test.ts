import { inspect } from 'node:util';
import { Service } from '../../../../src/apis/http/service';
import { Token } from '../../../../src/apis/http/token';
import { CertificatesApi } from '../../../../src/apis/investigation/certificates';
import type { EvidencePlace } from '../../../../src/domain/certificates/issuance';
import { LoopbackServer } from '../../../support/loopback-server';

let server: LoopbackServer;
let other: LoopbackServer;
let api: CertificatesApi;

function apiWith(pdfAuth: 'query' | 'bearer'): CertificatesApi {
  const service = new Service({
    baseUrl: `${server.origin}/api/v1`,
    token: Token.of('secret'),
    ratePerSecond: 1_000,
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

const evidence = (pdfUrl: string | null, linkedPdf: string | null = null): EvidencePlace => ({
  pdfUrl,
  linkedPdf,
  sha256: null,
});
const fetchAt = (url: string): Promise<Buffer> =>
  api.fetchPdf({ url, announced: true }, 'pdf', new AbortController().signal);

describe('the address of a PDF', () => {
  it.each<[string, string]>([
    ['/api/v1/certidoes/c-1/pdf', '/api/v1/certidoes/c-1/pdf'],
    ['files/c-1.pdf', '/files/c-1.pdf'],
  ])('is resolved against the origin: %s', (named, path) => {
    expect(api.pdfAddress(evidence(named))).toEqual({
      url: `${server.origin}${path}`,
      announced: true,
    });
  });

  it.each(['https://store.test/a.pdf?sig=1', 'http://store.test/a.pdf'])(
    'stays as it is when it is whole: %s',
    (named) => {
      expect(api.pdfAddress(evidence(named))?.url).toBe(named);
    },
  );

  it.each(['javascript:alert(1)', 'file:///etc/passwd', 'ftp://x.test/a', 'http://', 'data:,x'])(
    'is none when it is no web address: %s',
    (named) => {
      expect(api.pdfAddress(evidence(named))).toBeNull();
    },
  );

  it('comes from the evidence first, else from the links, unannounced', () => {
    expect(api.pdfAddress(evidence('/a', '/b'))).toMatchObject({
      url: `${server.origin}/a`,
      announced: true,
    });
    expect(api.pdfAddress(evidence(null, '/b'))).toEqual({
      url: `${server.origin}/b`,
      announced: false,
    });
    expect(api.pdfAddress(evidence(null))).toBeNull();
  });
});

describe('fetching a PDF', () => {
  it('takes the token in the query at the origin of the service', async () => {
    expect((await fetchAt(`${server.origin}/pdf?v=2`)).toString()).toBe('%PDF-own');
    expect(Object.fromEntries(server.received[0]?.query ?? [])).toEqual({
      v: '2',
      token: 'secret',
    });
  });

  it('takes it in the header when CERTIFICATE_PDF_AUTH says bearer', async () => {
    await api.service.close();
    api = apiWith('bearer');
    await fetchAt(`${server.origin}/pdf`);
    expect(server.received[0]?.headers.authorization).toBe('Bearer secret');
    expect(server.received[0]?.query.get('token')).toBeNull();
  });

  it.each(['query', 'bearer'] as const)(
    'drops the %s credentials when it is sent to another origin, and has them again at home',
    async (pdfAuth) => {
      await api.service.close();
      api = apiWith(pdfAuth);
      server.reply = ({ path }, response) => {
        if (path === '/home') return void response.end('%PDF-home');
        response.writeHead(302, { location: `${other.origin}/store?sig=abc` });
        response.end();
      };
      other.reply = (_request, response) => {
        response.writeHead(307, { location: `${server.origin}/home` });
        response.end();
      };
      expect((await fetchAt(`${server.origin}/pdf`)).toString()).toBe('%PDF-home');
      const [away] = other.received;
      expect(away?.query.get('sig')).toBe('abc');
      expect(JSON.stringify(away?.headers) + away?.query).not.toContain('secret');
      const home = server.received[1];
      expect(JSON.stringify(home?.headers) + home?.query).toContain('secret');
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
    [302, { location: 'file:///etc/passwd' }],
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
