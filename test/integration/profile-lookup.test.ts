import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import type { ProfileOutcome } from '../../src/domain/profiles/lookup';
import { LoopbackServer, sendJson, type Reply } from '../support/loopback-server';
import { Installation, eventually, sandboxToken } from '../support/diligence-process';
import { cpf as personOf } from '../support/documents';
import { personProfile } from '../support/profile-answers';

/** Profiles from a command to the folder of results, on a real server. */

const cpf = '52998224725';
const otherCpf = '11144477735';
const unreadableCpf = '39053344705';

interface Shown {
  id: string;
  exitCode: number;
  folder: string | null;
  outcome: ProfileOutcome;
}

let service: LoopbackServer;
let installation: Installation;

jest.setTimeout(120_000);
beforeAll(async () => {
  service = await LoopbackServer.start();
  installation = await Installation.start(
    {},
    { INVESTIGATION_BASE_URL: `${service.origin}/api/v1` },
  );
  await installation.startWorkerHere();
});
beforeEach(() => {
  service.received.length = 0;
});
afterAll(async () => {
  await installation.stop();
  await service.close();
});

const whole: Reply = (_, response) => sendJson(response, 200, personProfile());

async function lookUp(reply: Reply, ...more: string[]) {
  service.reply = reply;
  return lookUpOf(cpf, ...more);
}

type Looked = Awaited<ReturnType<typeof lookUpOf>>;

async function lookUpOf(person: string, ...more: string[]) {
  const words = ['profile', 'lookup', '--rerun', '--json', '--out', `out-${person}`];
  words.push('--cpf', person, ...more);
  const { code, stdout, stderr } = await installation.run(words);
  return { code, stderr, shown: (stdout === '' ? null : JSON.parse(stdout)) as Shown | null };
}

test('a profile is looked up, stored with its sum, and written as sheets and a page', async () => {
  const { code, shown, stderr } = await lookUp(whole);
  expect({ code, status: shown?.outcome.status }).toEqual({ code: 0, status: 'found' });
  expect(shown?.outcome).toMatchObject({
    rural: 'reported',
    answered: 1,
    counts: { vehicles: 1, properties: 1, planes: 1, drones: 0, patents: 1 },
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(shown?.outcome).toMatchObject({
    result: personProfile(),
    findings: {
      sections: expect.arrayContaining([expect.objectContaining({ name: 'veiculos', total: 1 })]),
    },
  });
  expect(service.received).toMatchObject([
    {
      path: `/api/v1/perfil/patrimonial/cpf/${cpf}`,
      headers: { authorization: `Bearer ${sandboxToken}` },
    },
  ]);
  const folder = shown?.folder ?? '';
  const names = await readdir(folder);
  expect(names).toEqual(expect.arrayContaining(['profile.json', 'report.html', 'veiculos.csv']));
  const answer: unknown = JSON.parse(await readFile(join(folder, 'profile.json'), 'utf8'));
  expect(answer).toEqual(personProfile());
  const [vehicle] = parse(await readFile(join(folder, 'veiculos.csv')), { columns: true });
  expect(vehicle).toMatchObject({ placa: 'placa 1', ano_modelo: '2019', restricao_2: '' });
  expect(stderr).not.toContain(cpf);
});

test('nothing of the CPF stands in the engine or the log, and the history is short', async () => {
  const { shown } = await lookUp(whole);
  const [, name] = (shown?.id ?? '').split('/');
  const client = await installation.client();
  const { events } = await client.workflow.getHandle(`profile/${name}`).fetchHistory();
  expect(events?.length).toBeLessThanOrEqual(20);
  expect(Buffer.from(JSON.stringify(events)).toString('latin1')).not.toContain(cpf);
  expect(await installation.workerLog()).not.toMatch(/52998224725|529\.982/);
});

test.each([
  ['a 200 with only `erro`', 200, { erro: 'CPF inválido' }, 'invalid', null],
  [
    '400',
    400,
    { success: false, erro: { codigo: 'VALIDATION_ERROR' } },
    'refused',
    'VALIDATION_ERROR',
  ],
  ['404', 404, { success: false, erro: { codigo: 'NOT_FOUND' } }, 'not_found', 'NOT_FOUND'],
  ['404 of somebody else', 404, { message: 'no route' }, 'refused', 'wrong_address'],
])('%s is an end of its own, and nothing is written', async (_, status, body, outcome, code) => {
  const result = await lookUp((_request, response) => sendJson(response, status, body));
  expect(result.code).toBe(1);
  expect(result.shown).toMatchObject({
    folder: null,
    outcome: { status: outcome, answered: 0, error: { code } },
  });
});

/** Begun at once: each waits for its own. */
describe('a lookup whose answers are no profile', () => {
  const [refusedCpf, passingCpf] = [personOf(1), personOf(2)];
  // Longer than a line of progress is waited for.
  const refusedForMs = 5_000;
  let ends: Record<'refused' | 'passed' | 'late' | 'unreadable', Looked>;
  let tookMs: number;
  let asked: string[];

  beforeAll(async () => {
    const startedAt = Date.now();
    let failures = 2;
    service.received.length = 0;
    service.reply = (request, response) => {
      const is = (person: string): boolean => request.path.endsWith(person);
      if (is(unreadableCpf)) return sendJson(response, 200, []);
      if (is(refusedCpf) && Date.now() < startedAt + refusedForMs) {
        return sendJson(response, 401, { success: false, erro: { codigo: 'UNAUTHORIZED' } });
      }
      if (is(otherCpf) || (is(passingCpf) && (failures -= 1) >= 0)) {
        return sendJson(response, 502, {});
      }
      return whole(request, response);
    };
    const refused = lookUpOf(refusedCpf);
    const [passed, late, unreadable] = await Promise.all([
      lookUpOf(passingCpf),
      lookUpOf(otherCpf, '--deadline', '4s').finally(() => (tookMs = Date.now() - startedAt)),
      lookUpOf(unreadableCpf),
    ]);
    ends = { refused: await refused, passed, late, unreadable };
    asked = service.received.map(({ path }) => path);
  });

  test('for a refused token waits, and shows what it waits for', () => {
    const { code, stderr } = ends.refused;
    expect(code).toBe(0);
    expect(stderr).toContain('waiting: credentials');
  });

  test('is asked again for what passes, until the deadline', () => {
    const { late, passed } = ends;
    expect(passed.code).toBe(0);
    expect(late.code).toBe(3);
    expect(late.shown?.outcome).toMatchObject({ status: 'expired', error: { code: 'deadline' } });
    expect(tookMs).toBeGreaterThanOrEqual(4_000);
    const { settledAt, startedAt } = late.shown?.outcome ?? { settledAt: '', startedAt: '' };
    // To the second, and what a busy machine takes to file it.
    expect(Date.parse(settledAt) - Date.parse(startedAt)).toBeLessThan(8_000);
  });

  test('is asked again thrice where an answer cannot be read', async () => {
    const { code, shown } = ends.unreadable;
    const calls = asked.filter((path) => path.endsWith(unreadableCpf));
    expect({ code, asked: calls.length }).toEqual({ code: 3, asked: 3 });
    expect(shown).toMatchObject({
      folder: null,
      outcome: { status: 'unreadable', answersLost: 3, error: { code: 'unreadable_answer' } },
    });
    const { stdout } = await installation.run(['audit', 'export', '--format', 'json']);
    const records = JSON.parse(stdout) as { kind: string; job: string }[];
    const requests = records.filter(({ kind, job }) => kind === 'request' && job === shown?.id);
    expect(requests).toHaveLength(3);
  });
});

test('cancelled while the service answers, it keeps the answer: what may be charged is not bought again', async () => {
  let answer = (): void => undefined;
  const running = lookUp((request, response) => {
    answer = () => void whole(request, response);
  });
  await eventually('it is asked', () => service.received.length === 1);
  const { id } = await begunWork();
  expect((await installation.run(['cancel', id])).stdout).toContain('cancelling');
  answer();
  const { shown } = await running;
  expect(shown?.outcome).toMatchObject({ status: 'found', answered: 1, call: 1 });
  expect(service.received).toHaveLength(1);
});

async function begunWork(): Promise<{ id: string }> {
  const { stdout } = await installation.run(['list', '--json']);
  return (JSON.parse(stdout) as { jobs: [{ id: string }] }).jobs[0];
}

test('a rural part that is missing is told, and how to ask for it', async () => {
  service.reply = (_, response) => sendJson(response, 200, { ...personProfile(), rural: null });
  const { code, stdout } = await installation.run(['profile', 'lookup', '--rerun', '--cpf', cpf]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/veiculos \(1\)\n +PLACA .*\n +placa 1 /);
  expect(stdout).toMatch(/rural +timed out or failed \(`--retry-rural` looks it up anew/);
});

test('what was answered within --max-age is shown, and nothing is bought', async () => {
  const { shown } = await lookUp(whole);
  service.received.length = 0;
  const words = ['profile', 'lookup', '--json', '--cpf', cpf, '--out', 'again'];
  const { code, stdout } = await installation.run(words);
  expect(JSON.parse(stdout)).toMatchObject({ id: shown?.id, status: 'found' });
  expect({ code, asked: service.received.length }).toEqual({ code: 0, asked: 0 });
  await installation.run([...words, '--max-age', '0s']);
  expect(service.received).toHaveLength(1);
});

test('a work is listed, shown and written again from the store', async () => {
  const { shown } = await lookUp(whole);
  const id = shown?.id ?? '';
  const { stdout } = await installation.run(['list', '--subject', cpf, '--limit', '1', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({
    jobs: [{ id, kind: 'profile', input: '***.982.247-**', status: 'found' }],
  });
  service.received.length = 0;
  const again = await installation.run(['result', id, '--out', 'again']);
  expect(again.code).toBe(0);
  expect((await installation.run(['show', id])).stdout).toContain('found');
  expect(service.received).toEqual([]);
});

test.each([
  ['ten digits', '5299822472'],
  ['wrong check digits', '52998224726'],
  ['letters', 'abc'],
])('%s are wrong usage: nothing is sent, and nothing quoted', async (_, typed) => {
  const { code, stderr } = await installation.run(['profile', 'lookup', '--cpf', typed]);
  expect(code).toBe(2);
  expect(stderr).toContain('--cpf: ');
  expect(service.received).toEqual([]);
});
