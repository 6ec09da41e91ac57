import { jobFolder } from '../../src/domain/job';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { storeIn } from '../support/temporary-store';
import { TraceRepository } from '../../src/store/traces/traces';
import type { ScenarioInput } from '../../src/sandbox';
import { traceRoles, type TraceEnding } from '../../src/sandbox/traces/trace-scenario';
import { cancelUpdate } from '../../src/workflows/messages';
import {
  Installation,
  eventually,
  sandboxToken,
  type CommandResult,
} from '../support/diligence-process';
import { cpf } from '../support/documents';
import { everythingHeld, findings, type Held } from '../support/everything-held';
import { measuredHistories, overlong } from '../support/history-bounds';
import { KilledWorkers, type Phases } from '../support/killed-workers';
import { order } from '../support/order';
import { everyFaultOf, missingOf, oneOfEach, refusals } from '../support/resource-faults';
import { configured } from '../support/configured';

/** Searches under faults: each made once, or told that it was not, whatever is lost and killed. */

jest.setTimeout(600_000);

const searches = 300;
const longMs = 600_000;
const held = { waitingMs: [0, 0], processingMs: [longMs, longMs] } satisfies TargetScript;

type TargetScript = NonNullable<NonNullable<ScenarioInput['traces']>['targets']>[string];

/** What nobody may read outside the store: every target has it, or is a number of a person. */
const secret = 'zanzibar';

function targetOf(index: number): string {
  const shapes = [
    `${secret}.${index}@example.com`,
    `${secret}_${index}`,
    cpf(index),
    `0x${createHash('sha256').update(`${index}`).digest('hex').slice(0, 40)}`,
  ];
  return shapes[index % shapes.length] ?? '';
}

const targets = Array.from({ length: searches }, (_, index) => targetOf(index));

/** Searches that are called off, by where they stand then. */
const unauthorized = targets.slice(0, 4);
const unanswered = targets.slice(4, 8);
const beingMade = targets.slice(8, 12);
const waitedFor = targets.slice(12, 20);

const endings: readonly TraceEnding[] = [
  'partial',
  'failed',
  'failure_retryable',
  'failure_permanent',
  'cancelled',
  'no_result',
];

/** Of every other fourth search; the others complete. */
function endOf(index: number): TraceEnding {
  return index % 4 === 0 ? (endings[(index / 4) % endings.length] ?? 'completed') : 'completed';
}

const faults = everyFaultOf(traceRoles);
const dealt = oneOfEach(traceRoles, faults);
/** The last searches meet what makes a worker read the list alone from then on. */
const listAlone: readonly string[] = ['404', '405'];
const met = new Map(
  targets
    .slice(20)
    .toReversed()
    .map((target) => [target, { ...dealt('create'), ...dealt('read') }]),
);

const scripts: Record<string, TargetScript> = {
  ...Object.fromEntries(
    targets.map((target, index) => [target, { end: [endOf(index)], ...met.get(target) }]),
  ),
  ...scripted(unauthorized, { ...held, create: [{ kind: '401', times: 'forever' }] }),
  ...scripted(unanswered, { ...held, create: [{ kind: 'no_answer', times: 'forever' }] }),
  ...scripted(beingMade, { ...held, create: [{ kind: 'slow', delayMs: 1_000 }] }),
  ...scripted(waitedFor, held),
};

function scripted(those: readonly string[], script: TargetScript): Record<string, TargetScript> {
  return Object.fromEntries(those.map((target) => [target, script]));
}

const scenario: ScenarioInput = {
  latencyMs: [0, 20],
  traces: {
    pollAfterSeconds: 2,
    timing: { waitingMs: [0, 1_000], processingMs: [0, 4_000], distribution: 'uniform' },
    targets: scripts,
    background: { rate: 0.15, kinds: faults },
  },
};

type Row = Record<string, string>;

let place: Installation;
let workers: KilledWorkers;
const told: CommandResult[] = [];

beforeAll(async () => {
  place = await Installation.startAlone(scenario, {
    INVESTIGATION_RPS: '400',
    ...configured({ investigation: { timeoutSeconds: 2 } }),
  });
  workers = await KilledWorkers.start(place);
  const lines = targets.map((target, index) => `${target};R${index}`);
  await writeFile(join(place.folder, 'targets.csv'), `alvo;referencia\n${lines.join('\n')}\n`);
}, 60_000);
afterAll(() => place.stop(), 60_000);

async function searchAll(out: string): Promise<Row[]> {
  const words = ['trace', 'search', '--input', 'targets.csv', '--out', out, '--json'];
  const result = await place.run([...words, '--concurrency', '60', '--deadline', '5m']);
  told.push(result);
  expect({ code: result.code, stderr: result.code === 3 ? '' : result.stderr }).toEqual({
    code: 3,
    stderr: '',
  });
  const text = await readFile(join(place.folder, out, 'results.csv'));
  return parse(text, { columns: true, bom: true });
}

const counted = () =>
  new Map(place.sandbox.traces.counts().items.map((item) => [item.target, item]));
const received = () => place.sandbox.traces.received();

/** Where the searches stand, as far as it can be seen from outside. */
function phases(): Phases {
  const inFlight = received().filter(({ status, abandoned }) => status === null && !abandoned);
  const states = place.sandbox.traces.state().map(({ search }) => String(search['status']));
  return {
    create: inFlight.filter(({ stage }) => stage === 'create').length,
    read: inFlight.filter(({ stage }) => stage === 'read').length,
    wait: states.filter((status) => status === 'queued' || status === 'running').length,
    made: states.length,
  };
}

async function namesByTarget(): Promise<Map<string, string>> {
  const all = await new TraceRepository(store()).all();
  return new Map(all.map(({ record }) => [record.target, record.name]));
}

const store = () => storeIn(place.folder);

async function callOff(those: readonly string[]): Promise<void> {
  const names = await namesByTarget();
  const client = await place.client();
  await Promise.all(
    those.map(async (target) => {
      const handle = client.workflow.getHandle(`trace/${names.get(target)}`);
      await order(handle, cancelUpdate, [{ now: true }]);
    }),
  );
}

/** While the batch runs: kills, and searches called off in each phase. */
async function disturb(): Promise<void> {
  const requested = (those: readonly string[]): boolean =>
    those.every((target) => (counted().get(target)?.requested ?? 0) > 0);
  const first = [...unauthorized, ...unanswered, ...beingMade, ...waitedFor];
  await eventually('the first are asked for', () => requested(first), 240_000);
  await callOff([...unauthorized, ...unanswered, ...beingMade]);
  let calledOff: Promise<void> = Promise.resolve();
  const isMixed = ({ create = 0, wait = 0 }: Phases): boolean => create > 0 && wait > 20;
  await workers.killWhen(
    'some are being made',
    phases,
    (now) => isMixed(now) && (now['made'] ?? 0) > 40,
    () => {
      calledOff = callOff(waitedFor.slice(0, 4));
    },
  );
  await calledOff;
  await workers.killWhen(
    'half of them are made',
    phases,
    (now) => isMixed(now) && (now['made'] ?? 0) > searches / 2 && (now['read'] ?? 0) > 0,
  );
  await callOff(waitedFor.slice(4));
  await workers.killWhen(
    'the last are waited for',
    phases,
    ({ made = 0, read = 0 }) => made > searches * 0.85 && read > 0,
  );
}

test(`${searches} searches under faults and kills: each is made once, told as it went, and on file`, async () => {
  const running = searchAll('first');
  await disturb();
  const rows = await running;
  place.sandbox.configure({ traces: { background: { rate: 0 } } });

  expect(rows.map(({ requested }) => requested)).toEqual(targets);
  const wrong: string[] = [];
  for (const row of rows) {
    for (const sentence of await contradictions(row, 'first')) {
      wrong.push(`line ${row['line']} (${row['status']}): ${sentence}`);
    }
  }
  expect(wrong).toEqual([]);
  const missing = missingOf(traceRoles, received());
  const statuses = new Map<string, number>();
  for (const { status = '' } of rows) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  process.stderr.write(
    `traces: ${JSON.stringify([...statuses])}, ${received().length} calls, kills ${JSON.stringify(workers.kills)}\n`,
  );
  expect(missing.filter((kind) => !listAlone.includes(kind))).toEqual([]);
  expect(missing.length).toBeLessThan(2);
  for (const phase of ['create', 'read', 'wait']) expect(workers.interrupted(phase)).not.toBe(0);
});

test('asked for again, all that was left open is found or made, and nothing a second time', async () => {
  place.sandbox.configure({ traces: { targets: Object.fromEntries(targets.map((t) => [t, {}])) } });
  place.sandbox.clock.advance(2 * longMs);
  const rows = await searchAll('second');
  const wrong: string[] = [];
  for (const row of rows) {
    for (const sentence of await contradictions(row, 'second')) {
      wrong.push(`line ${row['line']} (${row['status']}): ${sentence}`);
    }
    const started = counted().get(row['requested'] ?? '')?.started;
    if (started !== 1) wrong.push(`line ${row['line']}: ${started} searches`);
  }
  expect(wrong).toEqual([]);

  const charged = sumOf(place.sandbox.traces.state().map(({ search }) => billingOf(search).amount));
  expect(charged).toBeGreaterThan(0);
  expect(sumOf(rows.map((row) => Number(row['billing_amount'])))).toBe(charged);
  const list = await place.run(['trace', 'list', '--json']);
  told.push(list);
  const { billing } = JSON.parse(list.stdout) as { billing: { amount: number; count: number }[] };
  expect(sumOf(billing.map(({ amount }) => amount))).toBe(charged);
  expect(sumOf(billing.map(({ count }) => count))).toBe(searches);
});

test('no target is found in the engine, in ids or in logs; histories are short', async () => {
  const histories = await measuredHistories(await place.client(), 'searchTrace', searches);
  expect(overlong(histories)).toEqual([]);
  const everything = await everythingHeld(place);
  expect(everything.length).toBeGreaterThan(3 * searches);
  const others: Held[] = told.map(({ stderr }, index) => ({
    place: `standard error of command ${index + 1}`,
    bytes: Buffer.from(stderr),
  }));
  others.push({ place: 'log of the worker', bytes: Buffer.from(await place.workerLog()) });
  others.push({
    place: 'log of the server',
    bytes: await readFile(join(place.folder, 'server.log')),
  });
  const confidential = {
    documents: new Set(targets.filter((target) => /^\d{11}$/.test(target))),
    names: new Set([secret, ...targets.filter((target) => target.startsWith('0x'))]),
    tokens: [sandboxToken],
  };
  expect(findings([...everything, ...others], confidential)).toEqual([]);
});

/** What the sandbox and the store say, against a line of the results. */
async function contradictions(row: Row, out: string): Promise<string[]> {
  const found: string[] = [];
  const { requested = '', status = '', line = '' } = row;
  const traceId = row['trace_id'] ?? '';
  const started = counted().get(requested)?.started ?? 0;
  if (started > 1) found.push(`${started} searches were made`);
  if (traceId !== '' && started !== 1) found.push(`${started} searches made, and one is named`);
  const wanted = out === 'first' ? firstStatus(row, started) : settledStatus(requested);
  if (status !== wanted) found.push(`not ${wanted}: ${row['error_code']} ${row['error_message']}`);
  const settled = place.sandbox.traces.state().find(({ search }) => search['target'] === requested);
  if (traceId !== '' && settled?.search['id'] !== traceId) found.push('the id of another search');
  if (status === 'refused' && started !== 0) found.push('refused, and made');
  if (!['completed', 'failed'].includes(status) && row['sha256'] === '') return found;

  const folder = jobFolder(row['id'] ?? '');
  const answer = await new TraceRepository(store()).answer(folder);
  if (answer === null || settled === undefined) return [...found, 'no answer on file'];
  const sum = createHash('sha256').update(answer).digest('hex');
  if (sum !== row['sha256']) found.push('another answer on file than the one told of');
  for (const text of [answer, await readFile(join(place.folder, out, 'answers', `${line}.json`))]) {
    try {
      expect(JSON.parse(text.toString())).toMatchObject(settled.search);
    } catch (error) {
      found.push(`not what the service told: ${(error as Error).message}`);
    }
  }
  const billing = billingOf(settled.search);
  if (row['billing_status'] !== billing.status || Number(row['billing_amount']) !== billing.amount)
    found.push('billing as nobody told it');
  if (row['partial'] !== String(settled.search['partial'])) found.push('partial or not?');
  return found;
}

/** How a search ends that is met by faults, kills and people. */
function firstStatus(row: Row, started: number): string {
  const { requested = '' } = row;
  if (unanswered.includes(requested)) return 'unknown_outcome';
  if (unauthorized.includes(requested)) {
    // Called off between a request and its refusal, it may have been made, for all that is known.
    if (row['trace_id'] === '' && row['status'] === 'unknown_outcome') return 'unknown_outcome';
    return row['trace_id'] === '' ? 'cancelled' : 'without an id';
  }
  if (beingMade.includes(requested) || waitedFor.includes(requested)) {
    return row['trace_id'] === '' ? 'with an id' : 'cancelled';
  }
  if (started === 0 && wasRefused(requested)) return 'refused';
  return settledStatus(requested);
}

function wasRefused(target: string): boolean {
  return received().some(
    ({ fault, stage, subject }) =>
      stage === 'create' && subject === target && refusals.includes(fault),
  );
}

function settledStatus(target: string): string {
  const made = place.sandbox.traces.state().find(({ search }) => search['target'] === target);
  return String(made?.search['status']);
}

function billingOf(search: Record<string, unknown>): { status: string; amount: number } {
  return search['billing'] as { status: string; amount: number };
}

function sumOf(amounts: readonly number[]): number {
  return amounts.reduce((sum, amount) => sum + amount, 0);
}
