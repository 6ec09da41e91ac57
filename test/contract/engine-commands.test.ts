import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EnginesApi } from '../../src/apis/credit/engines';
import { Limiter } from '../../src/apis/http/limiter';
import { Service } from '../../src/apis/http/service';
import { Token } from '../../src/apis/http/token';
import type { SandboxOptions } from '../../src/sandbox';
import { engineCommand } from '../../src/starters/credit/engine';
import { engineCalls, type EngineCalls } from '../../src/starters/credit/engine-calls';
import { startCreditCaller, type CreditCaller } from '../unit/sandbox/credit-caller';

const token = 'credit-sandbox-token';
const absent = '00000000-0000-4000-8000-000000000000';
const rules = { vencido: { enabled: true, severity: 'alert' }, valor: { threshold: 10.5 } };

let caller: CreditCaller;
let folder: string;
let rulesFile: string;
const variables = { ...process.env };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'diligence-engines-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function start(options: SandboxOptions = {}): Promise<void> {
  caller = await startCreditCaller(options);
  process.env['CREDIT_BASE_URL'] = caller.sandbox.creditBaseUrl;
  process.env['CREDIT_TOKEN'] = token;
  const [rule] = (await templates())[0]?.rules ?? [];
  rulesFile = join(folder, 'rules.json');
  await writeFile(rulesFile, `\ufeff${JSON.stringify({ [rule?.id ?? '']: { enabled: false } })}`);
  await fetch(`${new URL(caller.sandbox.creditBaseUrl).origin}/_sandbox/credit/received`, {
    method: 'DELETE',
  });
}

afterEach(async () => {
  await caller.close();
  process.env = { ...variables };
  jest.restoreAllMocks();
});

interface EngineHeld {
  id: string;
  name: string;
  description: string | null;
  isTemplate: boolean;
  rules: { id: string; enabled: boolean }[];
}
const engines = () => caller.sandbox.credit.state().engines as unknown as EngineHeld[];
const templates = async () => engines().filter(({ isTemplate }) => isTemplate);
const own = () => engines().filter(({ isTemplate }) => !isTemplate);
const sent = () =>
  caller.sandbox.credit
    .received()
    .map(({ method, path, status }) => `${method} ${path.split('/v1/v1')[1]} ${status}`);
const bodies = (method: string) =>
  caller.sandbox.credit
    .received()
    .filter((entry) => entry.method === method)
    .map(({ body }) => body);

/** Runs the command in this process; errors are thrown as the command line gets them. */
async function run(...words: string[]): Promise<string> {
  const written: string[] = [];
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
  jest.spyOn(process.stderr, 'write').mockImplementation(() => true);
  // A command does five calls a second: what it says is tested here, and not its pace.
  jest.spyOn(Limiter.prototype, 'acquire').mockResolvedValue(true);
  const command = engineCommand();
  for (const child of command.commands)
    child.exitOverride().configureOutput({ writeErr: () => {} });
  try {
    await command.parseAsync(words, { from: 'user' });
  } finally {
    jest.restoreAllMocks();
  }
  return written.join('');
}

async function json(...words: string[]) {
  return JSON.parse(await run(...words, '--json')) as { engine: EngineHeld; engines: EngineHeld[] };
}

const failureOf = async (...words: string[]) =>
  (await run(...words).then(
    () => new Error('it worked'),
    (error: unknown) => error,
  )) as Error;

describe('the commands about engines', () => {
  beforeEach(() => start());

  test('list shows all, and get one with its rules, by id or by name', async () => {
    const { engines: listed } = await json('list');
    expect(listed.map(({ name }) => name)).toEqual(engines().map(({ name }) => name));
    expect(listed[0]).toMatchObject({ isTemplate: true, ruleCount: 7, rules: null });
    for (const wanted of ['Padrao', listed[0]?.id ?? '']) {
      const { engine } = await json('get', wanted);
      expect(engine).toEqual(engines()[0]);
    }
    expect(await run('list')).toContain(`${listed[0]?.id}  Padrao (template), 7 rules`);
    expect(await run('get', 'Padrao')).toMatch(/^ {2}on {3}\w+ +\w+ {2}\S/m);
  });

  test('create sends the rules as they are in the file', async () => {
    const file = join(folder, 'as-they-are.json');
    await writeFile(file, JSON.stringify({ ...rules }));
    // The sandbox knows no such rules: what counts is what it was sent.
    await failureOf('create', '--name', 'Novo', '--rules', file);
    expect(bodies('POST')).toEqual([{ name: 'Novo', rules }]);
  });

  test('create looks at the list first, and answers with the engine', async () => {
    const { engine } = await json(
      'create',
      '--name',
      'Novo',
      '--description',
      'D',
      '--rules',
      rulesFile,
    );
    expect(own()).toEqual([engine]);
    expect(engine).toMatchObject({ name: 'Novo', description: 'D' });
    expect(sent()).toEqual(['GET /engines 200', 'POST /engines 201']);
  });

  test('create refuses a name that exists, with its id, and sends nothing', async () => {
    const error = await failureOf('create', '--name', ' Padrao', '--rules', rulesFile);
    expect(error).toMatchObject({
      name: 'CommandError',
      message: expect.stringContaining(engines()[0]?.id ?? ''),
    });
    expect(sent()).toEqual(['GET /engines 200']);
  });

  test('--clone-from copies the rules of another engine', async () => {
    const { engine } = await json('create', '--clone-from', 'Conservador', '--name', 'Copia');
    const [source] = engines().filter(({ name }) => name === 'Conservador');
    expect(engine.rules).toEqual(source?.rules);
    expect(bodies('POST')).toEqual([{ name: 'Copia', cloneFrom: source?.id }]);
  });

  test('update sends only what is given', async () => {
    const { engine } = await json(
      'create',
      '--clone-from',
      'Padrao',
      '--name',
      'Copia',
      '--description',
      'D',
    );
    await json('update', 'Copia', '--description', 'E');
    await json('update', engine.id, '--name', 'Outra');
    await json('update', 'Outra', '--rules', rulesFile);
    expect(bodies('PUT')).toMatchObject([{ description: 'E' }, { name: 'Outra' }, { rules: {} }]);
    expect(bodies('PUT').map((body) => Object.keys(body as object))).toEqual([
      ['description'],
      ['name'],
      ['rules'],
    ]);
    expect(own()).toMatchObject([{ name: 'Outra', description: 'E', ruleCount: 1 }]);
  });

  test('update refuses a name that another engine has', async () => {
    await json('create', '--clone-from', 'Padrao', '--name', 'Copia');
    const error = await failureOf('update', 'Copia', '--name', 'Padrao');
    expect(error.name).toBe('CommandError');
    expect(bodies('PUT')).toEqual([]);
  });

  test('delete removes; an id or a name that is unknown at the first try is exit code 1', async () => {
    const { engine } = await json('create', '--clone-from', 'Padrao', '--name', 'Copia');
    expect(JSON.parse(await run('delete', 'Copia', '--yes', '--json'))).toEqual({
      deleted: engine.id,
    });
    expect(own()).toEqual([]);
    for (const wanted of [engine.id, 'Copia', absent]) {
      expect(await failureOf('delete', wanted, '--yes')).toMatchObject({ name: 'CommandError' });
      expect(await failureOf('get', wanted)).toMatchObject({ name: 'CommandError' });
    }
  });

  test('what the service refuses is told in its words', async () => {
    const error = await failureOf('delete', 'Padrao', '--yes');
    expect({ name: error.name, message: error.message }).toEqual({
      name: 'CommandError',
      message:
        'the service refused: it answered 409 template_engine: A template cannot be changed or removed.',
    });
  });

  test('two engines of one name are an error that lists them; an id chooses', async () => {
    const ids = [await caller.createEngine({}, 'Dois'), await caller.createEngine({}, 'Dois')];
    for (const words of [
      ['get', 'Dois'],
      ['update', 'Dois', '--name', 'x'],
      ['delete', 'Dois', '--yes'],
      ['create', '--clone-from', 'Dois', '--name', 'y'],
    ]) {
      const error = await failureOf(...words);
      expect(error.name).toBe('CommandError');
      for (const id of ids) expect(error.message).toContain(id);
    }
    expect((await json('get', ids[1] ?? '')).engine.id).toBe(ids[1]);
    expect(own()).toHaveLength(2);
  });

  test.each<[string, string[]]>([
    ['a name of none', ['create', '--name', '', '--clone-from', 'Padrao']],
    ['a name of 101', ['update', 'Padrao', '--name', 'é'.repeat(101)]],
    ['a description of 501', ['update', 'Padrao', '--description', 'x'.repeat(501)]],
    ['no rules', ['create', '--name', 'x']],
    ['nothing to change', ['update', 'Padrao']],
    ['no --yes', ['delete', 'Padrao']],
    ['no file', ['create', '--name', 'x', '--rules', '/nonexistent/rules.json']],
  ])('%s is wrong usage, and nothing is sent', async (_, words) => {
    expect(await failureOf(...words)).toMatchObject({ name: 'UsageError' });
    expect(sent()).toEqual([]);
  });

  test.each([
    ['[{"id":"vencido"}]', /array.*engine get/],
    ['7', /JSON object/],
    ['{"a":', /JSON object/],
  ])('rules that are %s are wrong usage', async (text, says) => {
    const file = join(folder, 'wrong.json');
    await writeFile(file, text);
    const error = await failureOf('create', '--name', 'x', '--rules', file);
    expect(error).toMatchObject({ name: 'UsageError', message: expect.stringMatching(says) });
    expect(sent()).toEqual([]);
  });

  test('a hundred letters of more than one unit are a hundred', async () => {
    const name = '🙂'.repeat(100);
    expect((await json('create', '--clone-from', 'Padrao', '--name', name)).engine.name).toBe(name);
  });

  test('without a credit service the variable is named', async () => {
    delete process.env['CREDIT_BASE_URL'];
    delete process.env['CREDIT_TOKEN'];
    expect(await failureOf('list')).toMatchObject({
      name: 'ConfigError',
      variable: 'CREDIT_BASE_URL',
    });
  });
});

test('the list may be a field of an object', async () => {
  await start({ creditNames: { engineList: 'itens' } });
  expect((await json('list')).engines).toHaveLength(3);
});

describe('a call about an engine that goes wrong', () => {
  let service: Service;
  let calls: EngineCalls;
  let told: string[];

  beforeEach(async () => {
    await start();
    told = [];
    service = new Service({
      baseUrl: caller.sandbox.creditBaseUrl,
      token: Token.of(token),
      ratePerSecond: 10_000,
    });
    calls = engineCalls(new EnginesApi(service, 500), {
      print: (line) => told.push(line),
      pause: async () => undefined,
    });
  });
  afterEach(() => service.close());

  const copy = { name: 'Copia', rules: {} };
  const creations = () => sent().filter((line) => line.startsWith('POST')).length;

  test.each([
    ['reset_after', 1],
    ['504_after', 1],
    ['cut_answer', 1],
    ['no_answer', 1],
    ['unreadable_2xx', 1],
    ['missing_id', 1],
    ['reset_before', 2],
    ['502', 2],
    ['429', 2],
    ['503', 2],
  ] as const)('creates one engine under %s, sent %i times', async (fault, times) => {
    caller.configure({ calls: { engine_create: [{ kind: fault, retryAfterSeconds: 0 }] } });
    const engine = await calls.create(copy);
    expect(own()).toMatchObject([{ id: engine.id, name: 'Copia' }]);
    expect(engine.rules).toEqual([]);
    expect(creations()).toBe(times);
  });

  test.each(['400_refused', '401'] as const)(
    'does not send again what %s refuses',
    async (fault) => {
      caller.configure({ calls: { engine_create: [fault] } });
      await expect(calls.create(copy)).rejects.toThrow(/answered 40/);
      expect(creations()).toBe(1);
    },
  );

  test('does not send again when the list cannot tell whether it is there', async () => {
    caller.configure({
      calls: {
        engine_list: ['ok', { kind: '500_html', times: 'forever' }],
        engine_create: ['reset_after'],
      },
    });
    await expect(calls.create(copy)).rejects.toThrow(/whether the engine was created is not known/);
    expect(creations()).toBe(1);
  });

  test('gives up after a while', async () => {
    caller.configure({ calls: { engine_create: [{ kind: 'reset_before', times: 'forever' }] } });
    await expect(calls.create(copy)).rejects.toThrow(/no answer/);
    expect(creations()).toBe(4);
  });

  test('tells of two when the first was slow rather than lost', async () => {
    caller.configure({ calls: { engine_create: ['reset_before'] } });
    const slow = engineCalls(new EnginesApi(service, 1_500), {
      // It arrives after the list was looked at, while the second one is on its way.
      print: (line) => {
        if (line.includes('sent again')) arriving = caller.createEngine({}, 'Copia');
      },
      pause: async () => undefined,
    });
    let arriving: Promise<string> | undefined;
    await expect(slow.create(copy)).rejects.toThrow(/created 2 times.*delete all but one/);
    expect(await arriving).toEqual(expect.any(String));
  });

  test.each(['reset_after', '504_after', 'reset_before', '429', 'unreadable_2xx'] as const)(
    'a change under %s is made',
    async (fault) => {
      const id = await caller.createEngine({}, 'Copia');
      caller.configure({ calls: { engine_update: [{ kind: fault, retryAfterSeconds: 0 }] } });
      expect(await calls.update('Copia', { description: 'E' })).toMatchObject({
        id,
        description: 'E',
      });
    },
  );

  test.each([
    ['reset_after', [404]],
    ['504_after', [404]],
    ['reset_before', [204]],
    ['503', [204]],
  ] as const)('a removal under %s is done', async (fault, last) => {
    const id = await caller.createEngine({}, 'Copia');
    caller.configure({ calls: { engine_delete: [{ kind: fault, retryAfterSeconds: 0 }] } });
    await calls.remove(id);
    expect(own()).toEqual([]);
    expect(
      caller.sandbox.credit
        .received()
        .slice(-1)
        .map(({ status }) => status),
    ).toEqual(last);
  });

  test('gone after what surely did nothing is unknown, not removed', async () => {
    caller.configure({ calls: { engine_delete: [{ kind: '503', retryAfterSeconds: 0 }] } });
    const id = await caller.createEngine({}, 'Copia');
    const removing = engineCalls(new EnginesApi(service, 1_500), {
      print: () => {},
      pause: () => caller.call('DELETE', `/v1/engines/${id}`),
    });
    await expect(removing.remove(id)).rejects.toThrow(/there is no engine/);
  });

  test('a template is not changed or removed, and the refusal is told', async () => {
    await expect(calls.update('Padrao', { description: 'x' })).rejects.toThrow(
      /409 template_engine/,
    );
    await expect(calls.remove(engines()[0]?.id ?? '')).rejects.toThrow(/409 template_engine/);
  });
});
