import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import type { CallReport } from '../../../../src/apis/http/observer';
import type { HttpCall } from '../../../../src/apis/http/call';
import { Service } from '../../../../src/apis/http/service';
import { Token } from '../../../../src/apis/http/token';
import {
  LoopbackServer,
  houseGuard,
  refusingOrigin,
  sendJson,
} from '../../../support/loopback-server';

const secret = 'tok-9f8e7d6c5b4a';
const call: HttpCall = {
  method: 'GET',
  pathTemplate: '/things/{id}',
  path: '/things/7',
  token: 'query',
  timeoutMs: 5_000,
  maxBytes: 200,
};

let server: LoopbackServer;
let service: Service;
const reports: CallReport[] = [];

beforeEach(async () => {
  server = await LoopbackServer.start((_request, response) => sendJson(response, 200, {}));
  service = serviceWith(Token.of(secret));
  reports.length = 0;
});

afterEach(async () => {
  await service.close();
  await server.close();
});

function serviceWith(token: Token, baseUrl = server.origin): Service {
  const observer = {
    callStarted: () => {},
    callEnded: (report: CallReport) => void reports.push(report),
    permitAwaited: () => {},
  };
  return new Service({ baseUrl, token, ratePerSecond: 1_000, observer, guard: houseGuard });
}

function shown(error: unknown): string {
  const { message, stack } = error as Error;
  return [message, stack, JSON.stringify(error), inspect(error, { depth: 9, showHidden: true })]
    .join('\n')
    .toLowerCase();
}

async function failureOf(made: Service, failing: HttpCall): Promise<unknown> {
  return made.dispatch(failing).then(
    () => {
      throw new Error('the call succeeded');
    },
    (error: unknown) => error,
  );
}

it('puts the token into the query or into the bearer header, as the call says', async () => {
  await service.dispatch(call);
  await service.dispatch({ ...call, token: 'bearer' });
  await service.dispatch({ ...call, token: 'none' });
  const places = server.received.map(({ query, headers }) => [
    query.get('token'),
    headers.authorization,
  ]);
  expect(places).toEqual([
    [secret, undefined],
    [null, `Bearer ${secret}`],
    [null, undefined],
  ]);
});

describe.each(['query', 'bearer'] as const)('with the token in the %s', (token) => {
  it.each<[string, (response: ServerResponse) => void, string]>([
    ['a status', (response) => sendJson(response, 500, { detail: secret }), 'StatusError'],
    ['a refusal', (response) => sendJson(response, 401, { title: secret }), 'StatusError'],
    ['a reset', (response) => void response.socket?.resetAndDestroy(), 'ConnectionError'],
    ['silence', () => {}, 'TimeoutError'],
    ['too many bytes', (response) => void response.end(Buffer.alloc(300)), 'ConnectionError'],
    [
      'a redirect that quotes it',
      (response) => {
        response.writeHead(302, { location: `https://x.test/?token=${secret}` });
        response.end();
      },
      'StatusError',
    ],
  ])('keeps it out of errors and reports after %s', async (_words, reply, name) => {
    server.reply = (_request, response) => reply(response);
    const error = await failureOf(service, { ...call, token });
    expect((error as Error).name).toBe(name);
    expect(shown(error)).not.toContain(secret);
    expect(JSON.stringify(reports)).not.toContain(secret);
    expect(reports).toHaveLength(1);
  });

  it('keeps it out of the error of a refused connection', async () => {
    const away = serviceWith(Token.of(secret), await refusingOrigin());
    expect(shown(await failureOf(away, { ...call, token }))).not.toContain(secret);
    expect(JSON.stringify(reports)).not.toContain(secret);
    await away.close();
  });
});

it('keeps a token that makes an impossible header out of the error', async () => {
  const broken = serviceWith(Token.of(`${secret}\n${secret}`));
  const error = await failureOf(broken, { ...call, token: 'bearer' });
  expect(error).toMatchObject({ name: 'ConnectionError', sent: 'no' });
  expect(shown(error)).not.toContain(secret);
  await broken.close();
});

it('shows a mask wherever a token is printed', () => {
  const token = Token.of(secret);
  expect(String(token)).toBe('[token]');
  expect(JSON.stringify({ token })).toBe('{"token":"[token]"}');
  expect(inspect(token, { depth: 9, showHidden: true })).not.toContain(secret);
  expect(inspect(service, { depth: 9, showHidden: true })).not.toContain(secret);
});

it.each(['query', 'bearer'] as const)(
  'sends no credentials to another origin, token in the %s',
  async (token) => {
    const other = await LoopbackServer.start((_request, response) => sendJson(response, 200, {}));
    await service.dispatch({ ...call, token, path: `${other.origin}/file?x=1` });
    await service.dispatch({ ...call, token, path: `${server.origin}/file?x=1` });
    expect(other.received[0]?.query.get('token')).toBeNull();
    expect(other.received[0]?.headers.authorization).toBeUndefined();
    expect(JSON.stringify(server.received[0]?.headers) + server.received[0]?.query).toContain(
      secret,
    );
    await other.close();
  },
);

it.each([401, 403, 429, 503])(
  'blames neither the credentials nor the pace of the service for a %i of another origin',
  async (status) => {
    const other = await LoopbackServer.start((_request, response) =>
      sendJson(response, status, { code: 'unauthorized' }, { 'retry-after': '60' }),
    );
    const forget = jest.spyOn(service.token, 'forget');
    const error = await failureOf(service, { ...call, path: `${other.origin}/file` });
    expect(error).toMatchObject({ status, meansCredentials: false });
    expect(forget).not.toHaveBeenCalled();
    expect(service.limiter.expectedWaitMs()).toBeLessThan(1_000);
    await other.close();
  },
);

it.each(['the service', 'a store elsewhere'])(
  'counts answers of the service alone for its rate: %s',
  async (who) => {
    const store = await LoopbackServer.start((_request, response) => sendJson(response, 200, {}));
    const answered = jest.spyOn(service.limiter.rate, 'answered');
    const path = who === 'the service' ? call.path : `${store.origin}/certidao.pdf`;
    await service.dispatch({ ...call, path, token: 'none' });
    await store.close();
    expect(answered).toHaveBeenCalledTimes(who === 'the service' ? 1 : 0);
  },
);

describe('with a token file', () => {
  let folder: string;
  let file: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'diligence-token-'));
    file = join(folder, 'token');
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  it.each<[string, number, unknown]>([
    ['401', 401, {}],
    ['403 unauthorized', 403, { code: 'unauthorized' }],
  ])('reads the file again after %s, and only then', async (_words, status, body) => {
    writeFileSync(file, ' first\n');
    const made = serviceWith(Token.fromFile(file));
    await made.dispatch(call);
    writeFileSync(file, 'second\n');
    await made.dispatch(call);
    server.reply = (_request, response) => sendJson(response, status, body);
    await failureOf(made, call);
    server.reply = (_request, response) => sendJson(response, 200, {});
    await made.dispatch(call);
    expect(server.received.map(({ query }) => query.get('token'))).toEqual([
      'first',
      'first',
      'first',
      'second',
    ]);
    await made.close();
  });

  it('keeps the token after a 403 about the item', async () => {
    writeFileSync(file, 'first');
    const made = serviceWith(Token.fromFile(file));
    server.reply = (_request, response) => sendJson(response, 403, { code: 'forbidden' });
    expect(await failureOf(made, call)).toMatchObject({ meansCredentials: false });
    writeFileSync(file, 'second');
    await failureOf(made, call);
    expect(server.received.map(({ query }) => query.get('token'))).toEqual(['first', 'first']);
    await made.close();
  });

  it.each<[string, string | null, RegExp]>([
    ['missing', null, /cannot be read \(ENOENT\)/],
    ['empty', ' \n', /is empty/],
  ])('says so and sends nothing when the file is %s', async (_words, content, message) => {
    if (content !== null) writeFileSync(file, content);
    const made = serviceWith(Token.fromFile(file));
    const error = (await failureOf(made, call)) as Error;
    expect(error.name).toBe('TokenUnavailableError');
    expect(error.message).toMatch(message);
    expect(server.received).toEqual([]);
    writeFileSync(file, 'there now');
    expect((await made.dispatch(call)).status).toBe(200);
    await made.close();
  });
});
