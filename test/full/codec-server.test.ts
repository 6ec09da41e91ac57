import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { request } from 'undici';
import { eventually } from '../support/diligence-process';
import { testPayloadKeys } from '../support/temporary-store';
import { sheetOf } from '../support/documents';

const main = join(__dirname, '..', '..', 'dist', 'main.js');
const token = 'a-token-of-forty-characters-for-operators';

let folder: string;
const children: ChildProcess[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'diligence-codec-'));
});
afterEach(async () => {
  await begin(['stop']).result;
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
}, 60_000);

function begin(args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [main, ...args], {
    cwd: folder,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '',
      TEMPORAL_CLI_PATH: process.env.TEMPORAL_CLI_PATH ?? '',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  const told = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (told.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (told.stderr += chunk.toString()));
  const result = once(child, 'close').then(([code]) => ({ code: code as number | null, ...told }));
  return { child, told, result };
}

async function post(address: string, payloads: Payload[], headers: Record<string, string> = {}) {
  const base64 = (bytes?: Uint8Array | null) => Buffer.from(bytes ?? []).toString('base64');
  const written = payloads.map(({ metadata, data }) => ({
    metadata: Object.fromEntries(
      Object.entries(metadata ?? {}).map(([name, value]) => [name, base64(value)]),
    ),
    data: base64(data),
  }));
  const { statusCode, body } = await request(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-namespace': 'default', ...headers },
    body: JSON.stringify({ payloads: written }),
  });
  const text = await body.text();
  const data = statusCode === 200 ? (JSON.parse(text) as { payloads: { data: string }[] }) : null;
  return {
    status: statusCode,
    text,
    plain: Buffer.from(data?.payloads[0]?.data ?? '', 'base64').toString(),
  };
}

describe('diligence codec-server', () => {
  test('refuses to listen where others can ask, unless they are asked who they are', async () => {
    const { code, stderr } = await begin(['codec-server', '--listen', '0.0.0.0:0']).result;
    expect(code).toBe(2);
    expect(stderr).toContain('DILIGENCE_CODEC_TOKEN: is not set, nor is codecServer.oidc');
  }, 60_000);

  test('serves those with the token, logs no payload, and ends in order', async () => {
    const env = { DILIGENCE_CODEC_TOKEN: token, DILIGENCE_PAYLOAD_KEYS: testPayloadKeys };
    const { child, told, result } = begin(['codec-server', '--listen', '0.0.0.0:0'], env);
    await eventually('it listens', () => told.stderr.includes('"listening"'));
    const port = /"endpoint":"http:\/\/0\.0\.0\.0:(\d+)"/.exec(told.stderr)?.[1];
    const secret = { metadata: {}, data: Buffer.from('{"cpf":"123.456.789-09"}') };
    const address = `http://127.0.0.1:${port}/encode`;
    const authorization = `Bearer ${token}`;
    expect((await post(address, [secret])).status).toBe(401);
    const answered = await post(address, [secret], { authorization });
    expect(answered.status).toBe(200);
    child.kill('SIGTERM');
    const { code, stdout, stderr } = await result;
    expect(code).toBe(0);
    expect(stdout).toBe('');
    expect(stderr).toContain('"operation":"encode","status":200');
    const { data } = (JSON.parse(answered.text) as { payloads: [{ data: string }] }).payloads[0];
    for (const carried of [token, data, secret.data.toString('base64'), '123.456']) {
      expect(stderr).not.toContain(carried);
    }
  }, 60_000);
});

describe('the codec server of the embedded engine', () => {
  interface ServerRecord {
    port: number;
    uiPort: number;
    codecPort: number;
    pid: number;
  }
  const record = async () =>
    JSON.parse(
      await readFile(join(folder, 'data', 'temporal-server.json'), 'utf8'),
    ) as ServerRecord;

  test('is known to its UI, decodes for its pages, and is there again after a crash', async () => {
    await writeFile(join(folder, 'input.csv'), sheetOf(1));
    expect((await begin(['dev', '--background']).result).code).toBe(0);
    expect((await begin(['certificate', 'batch', '--input', 'input.csv']).result).code).toBe(0);
    const first = await record();
    const ui = `http://127.0.0.1:${first.uiPort}`;
    const codec = `http://127.0.0.1:${first.codecPort}`;
    const settings = (await (await request(`${ui}/api/v1/settings`)).body.json()) as {
      Codec: { Endpoint: string };
    };
    expect(settings.Codec.Endpoint).toBe(codec);

    const input = await inputOfABatch(first.port);
    expect(Buffer.from(input.data ?? []).toString()).not.toContain('certificate-batch');
    const asked = (origin: string, at = codec) => post(`${at}/decode`, [input], { origin });
    expect((await asked(ui)).plain).toContain('"jobId":"certificate-batch/');
    expect((await asked('http://127.0.0.1:1')).status).toBe(403);

    const { pid } = JSON.parse(await readFile(join(folder, 'data', 'engine.json'), 'utf8')) as {
      pid: number;
    };
    process.kill(pid, 'SIGKILL');
    await eventually('the engine is gone', async () => {
      return await asked(ui).then(
        () => false,
        () => true,
      );
    });
    expect((await begin(['dev', '--background']).result).code).toBe(0);
    const next = await record();
    const again = await asked(
      `http://127.0.0.1:${next.uiPort}`,
      `http://127.0.0.1:${next.codecPort}`,
    );
    expect(again.plain).toContain('"jobId":"certificate-batch/');
  }, 240_000);
});

async function inputOfABatch(port: number): Promise<Payload> {
  const connection = await Connection.connect({ address: `127.0.0.1:${port}` });
  try {
    const client = new Client({ connection });
    for await (const { workflowId } of client.workflow.list()) {
      if (!/^certificate-batch\/[0-9a-f]+$/.test(workflowId)) continue;
      const [started] = (await client.workflow.getHandle(workflowId).fetchHistory()).events ?? [];
      const [input] = started?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
      if (input != null) return input;
    }
    throw new Error('no batch was found');
  } finally {
    await connection.close();
  }
}
