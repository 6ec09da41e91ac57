import { writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { inspect } from 'node:util';
import { creditApi, type CreditApi } from '../../../src/apis/credit/credit';
import { Service } from '../../../src/apis/http/service';
import { Token } from '../../../src/apis/http/token';
import { punctuateDocument } from '../../../src/domain/core/documents/documents';
import { hideSecretsOf, redactText } from '../../../src/protection/redaction';
import { redactedLog } from '../../../src/protection/redacted-log';
import { cnabFile, testAssignor } from '../../support/cnab-files';
import { LoopbackServer } from '../../support/loopback-server';

const token = 'credito-confidencial-0815';
const nothingConfigured = {
  filePart: null,
  enginePart: null,
  idField: null,
  statusField: null,
  failedStatuses: null,
};
const file = cnabFile({ bank: 'paulista', receivables: 2 });
const quoted = `${testAssignor.name} ${punctuateDocument(testAssignor.document)} Bearer ${token}`;
const secrets = new RegExp(
  [token, testAssignor.name, testAssignor.document, punctuateDocument(testAssignor.document)]
    .map((text) => text.replaceAll(/[.*+?()[\]/]/g, '\\$&'))
    .join('|'),
);

let server: LoopbackServer;
let service: Service;
let api: CreditApi;
beforeEach(async () => {
  server = await LoopbackServer.start();
  service = new Service({
    baseUrl: `${server.origin}/api/v1`,
    token: Token.of(token),
    ratePerSecond: 1_000,
  });
  api = creditApi(service, nothingConfigured, 2_000);
});
afterEach(async () => {
  await service.close();
  await server.close();
});

async function uploadAnsweredBy(answer: (response: ServerResponse, body: string) => void) {
  server.reply = (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(404).end('{}');
    answer(response, request.body);
  };
  const read = async function* () {
    yield file;
  };
  const cnab = { name: 'a.rem', bytes: file.length, read };
  const upload = { cnab, xmls: null, engineId: null };
  const prepared = await api.operations.prepareUpload(upload);
  const error: unknown = await api.operations
    .startOperation(prepared, async () => undefined)
    .then(
      () => null,
      (thrown: unknown) => thrown,
    );
  return { error, upload, prepared };
}

const echoes: [string, (response: ServerResponse, body: string) => void][] = [
  [
    'a problem that quotes what was sent',
    (response, body) => {
      response.writeHead(422, { 'content-type': 'application/problem+json' });
      response.end(JSON.stringify({ title: quoted, detail: body, code: quoted, instance: quoted }));
    },
  ],
  [
    'a page of a proxy that echoes the request',
    (response, body) => response.writeHead(500).end(`<html>${quoted}${body}</html>`),
  ],
  [
    'an answer that cannot be read',
    (response, body) => response.writeHead(202).end(JSON.stringify({ [quoted]: body })),
  ],
  [
    'an answer that is cut short',
    (response, body) => {
      response.writeHead(202, { 'content-length': '100000' });
      response.write(`{"${quoted}${body}`);
      response.destroy();
    },
  ],
];

it.each(echoes)('tells nothing of %s', async (_, answer) => {
  const { error, upload, prepared } = await uploadAnsweredBy(answer);
  expect(server.received.map(({ method }) => method)).toContain('POST');
  expect(error).toBeInstanceOf(Error);
  expect(server.received.map(({ body }) => body).join('')).toMatch(secrets);
  const lines = logged((log) => {
    log.error({ error, upload, prepared, form: prepared.form, body: file }, 'an upload failed');
  });
  expect(lines).toContain('an upload failed');
  expect(lines).not.toMatch(secrets);
  expect(redactText(inspect(error, { depth: 10 }))).not.toMatch(secrets);
});

it('hides the token by the name of its variable, and that of a file once it is read', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'diligence-token-'));
  try {
    const path = join(folder, 'token');
    writeFileSync(path, 'aus-der-datei-4711\n');
    hideSecretsOf({ CREDIT_TOKEN: 'aus-der-variable-4712' });
    await Token.fromFile(path).current();
    expect(redactText('x aus-der-datei-4711 y aus-der-variable-4712 z')).toBe(
      'x [secret] y [secret] z',
    );
    expect(logged((log) => log.info({ creditToken: 'short', CREDIT_TOKEN: 'short' }))).not.toMatch(
      /short/,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

function logged(work: (log: ReturnType<typeof redactedLog>) => void): string {
  let text = '';
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString();
      done();
    },
  });
  work(redactedLog('debug', stream));
  return text;
}
