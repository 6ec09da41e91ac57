import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { engineCommand } from '../../src/starters/credit/engine';
import { LoopbackServer, sendJson } from '../support/loopback-server';

/** What a parser would not give back: digits, an order, a name told twice, blanks. */
const rules = `{ "limite" : 1.10,
  "grande": 12345678901234567890, "10": 1, "9": 2.0e+3, "a": 1, "a": "\\u00e9 é" }`;
const id = '0a6ff1a4-4d4f-4f0e-9a51-1f6f7a1f8a11';

let server: LoopbackServer;
let folder: string;
const variables = { ...process.env };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'diligence-rules-'));
  await writeFile(join(folder, 'rules.json'), `\ufeff${rules}\n`);
  server = await LoopbackServer.start();
  process.env['CREDIT_BASE_URL'] = `${server.origin}/api/v1`;
  process.env['CREDIT_TOKEN'] = 'credit-token';
  server.reply = (request, response) => {
    if (request.method === 'GET' && request.path.endsWith('/engines')) {
      return sendJson(response, 200, [{ id, name: 'Um' }]);
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      `{"id":"${id}","name":"Um","rules":[{"id":"r","threshold":1.10 , "x":90071992547409931}]}`,
    );
  };
});
afterAll(async () => {
  process.env = { ...variables };
  await server.close();
  await rm(folder, { recursive: true });
});

async function run(...words: string[]): Promise<string> {
  const written: string[] = [];
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
  try {
    await engineCommand().parseAsync(words, { from: 'user' });
  } finally {
    jest.restoreAllMocks();
  }
  return written.join('');
}

const sent = (method: string) =>
  server.received.filter((request) => request.method === method).at(-1);

test.each([
  [
    'POST',
    ['create', '--name', 'Novo', '--description', '# "#"'],
    '{"name":"Novo","description":"# \\"#\\"","rules":',
  ],
  ['PUT', ['update', 'Um'], '{"rules":'],
])('%s carries the rules byte for byte as the file has them', async (method, words, before) => {
  await run(...words, '--rules', join(folder, 'rules.json'));
  const { body, headers } = sent(method) ?? {};
  expect(body?.toString()).toBe(`${before}${rules}}`);
  expect(headers?.['content-type']).toBe('application/json');
});

test('a file that is no UTF-8 is refused, since it could not go out as it is', async () => {
  await writeFile(join(folder, 'latin1.json'), Buffer.from('{"a":"\xe9"}', 'latin1'));
  const posts = server.received.length;
  const file = join(folder, 'latin1.json');
  await expect(run('create', '--name', 'N', '--rules', file)).rejects.toThrow(/--rules/);
  expect(server.received).toHaveLength(posts);
});

test('get shows the rules as the service wrote them', async () => {
  const shown = await run('get', id, '--json');
  expect(shown).toContain('"rules": [{"id":"r","threshold":1.10 , "x":90071992547409931}]');
  expect(JSON.parse(shown)).toMatchObject({ engine: { id, name: 'Um' } });
});
