import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { cp, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DefaultLogger, bundleWorkflowCode } from '@temporalio/worker';
import { freePort } from '../../src/temporal/dev-server';
import { cpf } from '../support/documents';
import { CommandHost, eventually, type CommandResult } from '../support/diligence-process';
import { LoopbackServer, sendJson, type ReceivedRequest } from '../support/loopback-server';
import { makeNamespace } from '../support/namespaces';
import { sharedServer } from '../support/temporal-servers';
import { testPayloadKeys } from '../support/temporary-store';

jest.setTimeout(240_000);

/**
 * One more kind of job, made as anybody would make it: a folder in each layer, and a line in the index of
 * each layer, in a copy of the source. Nothing else is touched.
 */
const repository = join(__dirname, '..', '..');
const extra = join(__dirname, '..', 'extra-kind');

let folder: string;
let service: ExtractService;
let worker: ChildProcess;
let host: CommandHost;
let env: Record<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'diligence-kind-'));
  service = await ExtractService.start();
  const [address, namespace] = [sharedServer(), `test-${randomUUID()}`];
  const [port] = await Promise.all([freePort(), build(), makeNamespace(address, namespace)]);
  env = {
    PATH: process.env.PATH ?? '',
    INVESTIGATION_BASE_URL: service.baseUrl,
    INVESTIGATION_TOKEN: 'token',
    TEMPORAL_ADDRESS: address,
    TEMPORAL_NAMESPACE: namespace,
    DILIGENCE_DATA_DIR: join(folder, 'data'),
    DILIGENCE_ACTOR: 'tester',
    DILIGENCE_PAYLOAD_KEYS: testPayloadKeys,
    DILIGENCE_METRICS_ADDRESS: `127.0.0.1:${port}`,
  };
  worker = spawn(process.execPath, [program(), 'worker'], {
    env,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  await once(worker, 'message');
  const log = openSync(join(folder, 'host.log'), 'a');
  host = new CommandHost(folder, log, env, program());
  closeSync(log);
});

afterAll(async () => {
  if (worker?.exitCode === null) {
    worker.kill('SIGKILL');
    await once(worker, 'exit');
  }
  await host?.end();
  await service?.close();
  await rm(folder, { recursive: true, force: true });
});

const program = (): string => join(folder, 'dist', 'main.js');

/** The copy, with the folders and lines of the kind, compiled strictly. */
async function build(): Promise<void> {
  for (const name of ['src', 'tsconfig.json', 'package.json'])
    await cp(join(repository, name), join(folder, name), { recursive: true });
  await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'));
  const lines = JSON.parse(await readFile(join(extra, 'lines.json'), 'utf8')) as object;
  for (const layer of await readdir(extra)) {
    if (layer !== 'lines.json')
      await cp(join(extra, layer), join(folder, 'src', layer), { recursive: true });
  }
  for (const [index, line] of Object.entries(lines) as [string, string][]) {
    const path = join(folder, 'src', index);
    const text = await readFile(path, 'utf8');
    // A table ends with its bracket, an index with its last line.
    const end = text.startsWith('import') ? text.indexOf('\n];') + 1 : text.length;
    await writeFile(path, `${text.slice(0, end)}${line}\n${text.slice(end)}`);
  }
  const tsc = join(repository, 'node_modules', '.bin', 'tsc');
  await promisify(execFile)(tsc, ['-p', folder]);
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(folder, 'dist/workflows/index.js'),
    failureConverterPath: join(folder, 'dist/temporal/payload/failure-converter.js'),
    logger: new DefaultLogger('ERROR'),
  });
  await writeFile(join(folder, 'dist/workflow-bundle.js'), code);
}

const run = (...words: string[]): Promise<CommandResult> => host.run(words, env);

interface Envelope {
  id: string;
  kind: string;
  status: string;
  exitCode: number;
  needsAttention: boolean;
  outcome: { result?: { lines?: string[] }; counts?: object } | null;
  folder: string | null;
}

/** As the schema of the program has it. */
async function envelope(...words: string[]): Promise<Envelope> {
  const { stdout, stderr, code } = await run(...words, '--json');
  if (stdout === '') throw new Error(`${code}: ${stderr}`);
  const { outputSchema } = require(join(folder, 'dist/starters/jobs/envelope.js')) as {
    outputSchema: { parse(value: unknown): Envelope };
  };
  return outputSchema.parse(JSON.parse(stdout));
}

const json = async <T>(...words: string[]): Promise<T> =>
  JSON.parse((await run(...words, '--json')).stdout) as T;

test('is asked for, followed, shown, listed, and not bought twice', async () => {
  const asked = ['extract', 'request', '--document', cpf(1), '--label', 'monday'];
  const first = await envelope(...asked, '--out', 'out-1');
  expect(first).toMatchObject({
    kind: 'extract',
    status: 'completed',
    exitCode: 0,
    outcome: { result: { lines: ['of one'] } },
    artifacts: [{ name: 'extract.json', sha256: expect.any(String) }],
  });
  expect(await readFile(join(folder, 'out-1', 'extract.json'), 'utf8')).toContain('of one');
  expect((await envelope(...asked)).id).toBe(first.id);
  expect(service.posts(cpf(1))).toBe(1);
  expect(await envelope('show', first.id)).toMatchObject({ id: first.id, status: 'completed' });
  expect(await json('list', '--kind', 'extract', '--label', 'monday')).toMatchObject({
    jobs: [{ id: first.id, status: 'completed' }],
  });
});

test('goes on in the background, is cancelled, and its result is written later', async () => {
  service.hold(cpf(2));
  const asked = ['extract', 'request', '--document', cpf(2), '--detach'];
  const { id, status } = await envelope(...asked);
  expect(status).toBe('running');
  await eventually('it was asked for', () => service.posts(cpf(2)) > 0);
  const shown = await run('show', id);
  expect(shown.stdout).toContain(`${id}: running`);
  expect((await run('cancel', id)).code).toBe(0);
  await eventually('it has ended', async () => (await envelope('show', id)).outcome !== null);
  expect(await envelope('result', id)).toMatchObject({ status: 'cancelled', exitCode: 0 });
});

test('of a sheet it is a batch, with a line for each line', async () => {
  const text = `cpf,id\n${cpf(1)},a\n${cpf(3)},b\n${cpf(3)},c\n123,d\n`;
  await writeFile(join(folder, 'people.csv'), text);
  const batch = await envelope('extract', 'request', '--input', 'people.csv', '--out', 'out-b');
  expect(batch).toMatchObject({
    kind: 'extract-batch',
    exitCode: 3,
    outcome: { counts: { completed: 2, duplicate: 1, invalid: 1 } },
  });
  const results = await readFile(join(folder, 'out-b', 'results.csv'), 'utf8');
  expect(results).toContain('had ended before');
  expect([service.posts(cpf(1)), service.posts(cpf(3))]).toEqual([1, 1]);
  const known = ['resolve', batch.id, '--action', 'acknowledge', '--note', 'known'];
  expect(await run(...known)).toMatchObject({ code: 0 });
});

test('that needs a person is in the inbox, and a decision goes on with it', async () => {
  service.hold(cpf(4));
  const late = ['extract', 'request', '--document', cpf(4), '--deadline', '3s'];
  const { id, ...expired } = await envelope(...late);
  expect(expired).toMatchObject({ status: 'expired', exitCode: 3, needsAttention: true });
  expect(await json('inbox')).toMatchObject({
    jobs: [{ id, kind: 'extract', actions: [{ action: 'watch' }, { action: 'acknowledge' }] }],
  });
  service.release(cpf(4));
  const watch = ['resolve', id, '--action', 'watch', '--note', 'it is there now'];
  expect(await run(...watch)).toMatchObject({ code: 0 });
  const next = id.split('/').slice(0, 2).join('/');
  await eventually('it has ended', async () => (await envelope('show', next)).exitCode === 0);
  expect(await envelope('result', next)).toMatchObject({ status: 'completed' });
  expect(service.posts(cpf(4))).toBe(1);
  expect(await json('inbox')).toMatchObject({ jobs: [] });
});

test('is on the audit trail, in the metrics, and is erased with its person', async () => {
  const trail = JSON.parse((await run('audit', 'export', '--format', 'json')).stdout) as {
    kind: string;
    id: string;
  }[];
  const kinds = trail.filter(({ id }) => id.includes('extract/')).map(({ kind }) => kind);
  expect(new Set(kinds)).toEqual(new Set(['decision', 'request', 'outcome']));
  expect((await run('audit', 'verify')).code).toBe(0);
  const metrics = await fetch(`http://${env['DILIGENCE_METRICS_ADDRESS']}/metrics`);
  expect(await metrics.text()).toMatch(/diligence_http_calls_total\{[^}]*route="\/extracts"/);

  const erasure = ['erase', '--document', cpf(4), '--reason', 'asked', '--yes'];
  const { jobs } = await json<{ jobs: { id: string; whole: boolean }[] }>(...erasure);
  expect(jobs).toHaveLength(2);
  expect(await json('list', '--subject', cpf(4))).toEqual({ jobs: [], next: null });
  expect(await run('show', jobs[0]?.id ?? '')).toMatchObject({ code: 1 });
  expect((await run('audit', 'verify')).code).toBe(0);
});

/** A registry over HTTP: an extract is asked for with a key, and is there at the second look. */
class ExtractService {
  readonly #server: LoopbackServer;
  readonly #byKey = new Map<string, string>();
  readonly #documents = new Map<string, string>();
  readonly #looks = new Map<string, number>();
  readonly #held = new Set<string>();

  private constructor(server: LoopbackServer) {
    this.#server = server;
    server.reply = (request, response) => {
      const answer = this.#answer(request);
      sendJson(response, answer === null ? 404 : 200, answer ?? {});
    };
  }

  static async start(): Promise<ExtractService> {
    return new ExtractService(await LoopbackServer.start());
  }

  get baseUrl(): string {
    return this.#server.origin;
  }

  #answer({ body, headers, method, path }: ReceivedRequest): object | null {
    if (method === 'POST' && path === '/extracts') {
      const key = String(headers['idempotency-key']);
      const id = this.#byKey.get(key) ?? randomUUID();
      this.#byKey.set(key, id);
      this.#documents.set(id, documentIn(body));
      return { id, status: 'queued' };
    }
    const id = path.replace('/extracts/', '');
    const document = this.#documents.get(id);
    if (document === undefined) return null;
    const looks = (this.#looks.get(id) ?? 0) + 1;
    this.#looks.set(id, looks);
    if (looks < 2 || this.#held.has(document)) return { id, status: 'queued' };
    return { id, status: 'completed', lines: ['of one'] };
  }

  hold(document: string): void {
    this.#held.add(document);
  }

  release(document: string): void {
    this.#held.delete(document);
  }

  posts(document: string): number {
    return this.#server.posts().filter(({ body }) => documentIn(body) === document).length;
  }

  close(): Promise<void> {
    return this.#server.close();
  }
}

function documentIn(body: string): string {
  return (JSON.parse(body) as { document: string }).document;
}
