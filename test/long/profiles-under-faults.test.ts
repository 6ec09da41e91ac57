import { jobFolder } from '../../src/domain/job';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'csv-parse/sync';
import { storeIn } from '../support/temporary-store';
import { ProfileRepository } from '../../src/store/profiles/profiles';
import type { Received, ScenarioInput } from '../../src/sandbox';
import { profileRoles } from '../../src/sandbox/profiles/profile-scenario';
import { cancelUpdate } from '../../src/workflows/messages';
import { Installation, eventually, sandboxToken } from '../support/diligence-process';
import { cpf } from '../support/documents';
import { everythingHeld, findings } from '../support/everything-held';
import { isFullSize, sized } from '../support/full-size';
import { measuredHistories, overlong } from '../support/history-bounds';
import { KilledWorkers, type Phases } from '../support/killed-workers';
import { order } from '../support/order';
import { everyFaultOf, missingOf, oneOfEach } from '../support/resource-faults';
import { configured } from '../support/configured';

/** Lookups under faults: an answer that we have is never asked for again. */

jest.setTimeout(600_000);

type Person = NonNullable<NonNullable<NonNullable<ScenarioInput['profiles']>['people']>[string]>;

interface Plan {
  person: Person;
  status: string;
}

const lookups = sized(52, 300);
const secret = 'zanzibar';
const people = Array.from({ length: lookups }, (_, index) => cpf(index));
const forever = { times: 'forever' } as const;
/** Stands in every profile. */
const named = { profile: { observacao: `${secret} e filhos` } } satisfies Person;

/** Lookups that are called off, by where they stand then. */
const unauthorized = people.slice(0, 4);
const unanswered = people.slice(4, 8);
const beforeAgain = people.slice(8, 12);
/** Their rural part fails at first, and is asked for once more. */
const askedAgain = people.slice(12, 16);

function planOf(index: number): Plan {
  const found = { person: { ...named }, status: 'found' };
  if (index < 4) {
    return { person: { lookup: [{ kind: '401', ...forever }] }, status: 'cancelled' };
  }
  if (index < 8) {
    return { person: { lookup: [{ kind: 'no_answer', ...forever }] }, status: 'cancelled' };
  }
  if (index < 16) return { ...found, person: { ...named, rural: ['null', 'person'] } };
  if (index % 10 === 0) return { person: { answer: 'not_found' }, status: 'not_found' };
  if (index % 10 === 1) return { person: { answer: 'refused' }, status: 'refused' };
  if (index % 10 === 2) return { person: { answer: 'invalid_cpf' }, status: 'invalid' };
  if (index % 10 === 3) return { ...found, person: { ...named, answer: 'empty' } };
  return { ...found, person: { ...named, ruralMs: (index % 4) * 400 } };
}

const faults = everyFaultOf(profileRoles);
const dealt = oneOfEach(profileRoles, faults);
const plans = new Map(
  people.map((cpfAsked, index): [string, Plan] => {
    const { person, status } = planOf(index);
    // What the service turns away comes before its faults.
    const meets = index >= 16 && status !== 'not_found' && status !== 'refused';
    return [cpfAsked, { person: { ...person, ...(meets && dealt('lookup')) }, status }];
  }),
);

let place: Installation;
let workers: KilledWorkers;
let told = '';

beforeAll(async () => {
  place = await Installation.startAlone(
    {
      latencyMs: [0, 400],
      profiles: {
        people: Object.fromEntries([...plans].map(([one, { person }]) => [one, person])),
        background: { rate: 0.15, kinds: faults },
      },
    },
    { INVESTIGATION_RPS: '400', ...configured({ investigation: { timeoutSeconds: 2 } }) },
  );
  workers = await KilledWorkers.start(place);
  await writeFile(join(place.folder, 'people.csv'), `cpf\n${people.join('\n')}\n`);
}, 60_000);
afterAll(() => place.stop(), 60_000);

type Row = Record<string, string>;

async function lookUpAll(out: string): Promise<Row[]> {
  const words = ['profile', 'lookup', '--input', 'people.csv', '--retry-rural', '--out', out];
  const { code, stderr } = await place.run([
    ...words,
    '--concurrency',
    `${sized(12, 30)}`,
    '--deadline',
    '8m',
  ]);
  told += stderr;
  expect({ code, stderr: code === 3 ? '' : stderr }).toEqual({ code: 3, stderr: '' });
  const text = await readFile(join(place.folder, out, 'results.csv'));
  return parse(text, { columns: true, bom: true });
}

const received = () => place.sandbox.profiles.received();
const store = () => storeIn(place.folder);
const counted = () =>
  new Map(place.sandbox.profiles.counts().items.map((item) => [item.cpf, item]));
const wasAsked = (those: readonly string[]): boolean =>
  those.every((one) => (counted().get(one)?.requested ?? 0) > 0);

function phases(): Phases {
  const inFlight = received().filter(({ status, abandoned }) => status === null && !abandoned);
  const { items } = place.sandbox.profiles.counts();
  return { lookup: inFlight.length, asked: items.length };
}

async function callOff(those: readonly string[]): Promise<void> {
  const all = await new ProfileRepository(store()).all();
  const names = new Map(all.map(({ record }) => [record.cpf, record.name]));
  const client = await place.client();
  await Promise.all(
    those.map((one) => {
      const handle = client.workflow.getHandle(`profile/${names.get(one)}`);
      return order(handle, cancelUpdate, [{ now: true }]);
    }),
  );
}

/** While the batch runs: kills, and lookups called off in each phase. */
async function disturb(): Promise<void> {
  await eventually('they have an answer', () => areOnFile(beforeAgain), 240_000);
  await callOff(beforeAgain);
  const first = [...unauthorized, ...unanswered];
  await eventually('the first are asked for', () => wasAsked(first), 240_000);
  await callOff(first);
  // What a killed worker had in hand is taken up again 20 seconds later. Those that are asked again
  // have both answers by then: an answer that dies with a worker uses up its step of the script.
  for (const share of isFullSize ? [0.2, 0.5, 0.85] : [0.5, 0.8]) {
    await workers.killWhen(
      'some are being answered',
      phases,
      ({ lookup = 0, asked = 0 }) => lookup > 3 && asked > lookups * share,
    );
  }
}

async function areOnFile(those: readonly string[]): Promise<boolean> {
  await sleep(500);
  const file = new ProfileRepository(store());
  const all = await file.all();
  const folders = all.filter(({ record }) => those.includes(record.cpf));
  const answers = await Promise.all(folders.map(({ folder }) => file.answer(folder, 1)));
  return answers.length === those.length && answers.every((answer) => answer !== null);
}

test(`${lookups} lookups under faults and kills: each is told as it was answered, and on file`, async () => {
  const running = lookUpAll('first');
  await disturb();
  const rows = await running;
  place.sandbox.configure({ profiles: { background: { rate: 0 } } });

  expect(rows.map(({ requested }) => requested)).toEqual(people);
  const wrong: string[] = [];
  for (const row of rows) {
    for (const sentence of await contradictions(row)) {
      wrong.push(`line ${row['line']} (${row['status']}): ${sentence}`);
    }
  }
  expect(wrong).toEqual([]);
  const missing = missingOf(profileRoles, received());
  process.stderr.write(
    `profiles: ${received().length} calls, kills ${JSON.stringify(workers.kills)}\n`,
  );
  expect(missing).toEqual([]);
  expect(workers.interrupted('lookup')).toBeGreaterThan(3);
  const answered = rows.reduce((sum, row) => sum + Number(row['answered']), 0);
  const whole = received().filter(arrivedWhole).filter(wasProfile);
  expect(whole.length - answered).toBeLessThanOrEqual(workers.interrupted('lookup'));
});

test('asked for again, what has an answer is not asked for again but for its rural part', async () => {
  place.sandbox.configure({
    profiles: { people: Object.fromEntries(people.map((one) => [one, { ...named, lookup: [] }])) },
  });
  const before = counted();
  await lookUpAll('second');
  const after = counted();
  const bought = people.filter((one) => after.get(one)?.requested !== before.get(one)?.requested);
  const had = (one: string): boolean => ['found', 'not_found', 'invalid'].includes(statusOf(one));
  // Called off before their rural part was asked for a second time: that is asked for anew.
  expect(bought.filter(had).sort()).toEqual([...beforeAgain].sort());
});

test('no number and nothing of an answer is found in the engine, in ids or in logs; histories are short', async () => {
  const histories = await measuredHistories(await place.client(), 'lookUpProfile', lookups);
  // A second question, after a pause, is another attempt.
  expect(overlong(histories, () => 1)).toEqual([]);
  const everything = await everythingHeld(place);
  everything.push(
    { place: 'what commands told', bytes: Buffer.from(told) },
    { place: 'log of the worker', bytes: Buffer.from(await place.workerLog()) },
    { place: 'log of the server', bytes: await readFile(join(place.folder, 'server.log')) },
  );
  const confidential = { documents: new Set(people), names: new Set([secret]) };
  expect(findings(everything, { ...confidential, tokens: [sandboxToken] })).toEqual([]);
});

const statuses = new Map<string, string>();
const statusOf = (one: string): string => statuses.get(one) ?? '';

/** What the sandbox and the store say, against a line of the results. */
async function contradictions(row: Row): Promise<string[]> {
  const { requested = '', status = '' } = row;
  const plan = plans.get(requested);
  const found: string[] = [];
  statuses.set(requested, status);
  const calls = received().filter(({ subject }) => subject === requested);
  // The service said so, and nobody can tell that it was a fault.
  const isNot = status === 'not_found' && calls.some(({ fault }) => fault === '404');
  if (status !== plan?.status && !isNot) {
    found.push(`not ${plan?.status}: ${row['error_code']} ${row['error_message']}`);
  }
  const whole = calls.filter(arrivedWhole).filter(wasProfile);
  const answered = Number(row['answered']);
  const wanted = status !== 'found' ? 0 : askedAgain.includes(requested) ? 2 : 1;
  if (answered !== wanted) found.push(`${answered} answers are told of`);
  // What a killed worker had not put on file yet is asked for again.
  const notStored = whole.filter(({ at }) => workers.killedAfter(Date.parse(at), 5_000));
  // Beyond the call's timeout an answer is lost, although it is whole at the sandbox: then it is told as lost.
  const lost = Math.max(notStored.length, Number(row['answers_lost']));
  if (whole.length > Math.max(answered, status === 'cancelled' ? 1 : 0) + lost)
    found.push(`answered ${whole.length} times`);
  if (status !== 'found') return found;

  const file = new ProfileRepository(store());
  const answer = await file.answer(jobFolder(row['id'] ?? ''), answered);
  if (answer === null) return [...found, 'no answer on file'];
  if (createHash('sha256').update(answer).digest('hex') !== row['sha256'])
    found.push('another answer on file than the one told of');
  const stored = JSON.parse(answer.toString()) as { observacao?: string; veiculos: unknown[] };
  if (stored.observacao !== named.profile.observacao) found.push('not what the service told');
  if (Number(row['vehicles']) !== stored.veiculos.length) found.push('another number of vehicles');
  const rural = beforeAgain.includes(requested) ? 'failed' : 'reported';
  if (row['rural'] !== rural) found.push(`rural: ${row['rural']}`);
  return found;
}

/** Its answer left whole, whoever was there to read it. */
function arrivedWhole({ accepted, abandoned, fault, status }: Received): boolean {
  const isWhole = fault === null || fault === 'extra_fields' || fault === 'slow';
  return accepted && !abandoned && status === 200 && isWhole;
}

function wasProfile({ subject }: Received): boolean {
  return plans.get(subject ?? '')?.person.answer !== 'invalid_cpf';
}
