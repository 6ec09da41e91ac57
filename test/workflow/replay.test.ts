import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { historyFromJSON, payloadToJSON } from '@temporalio/common/lib/proto-utils';
import { isValidCnpj, isValidCpf } from '../../src/domain/core/documents/documents';
import * as workflows from '../../src/workflows';
import {
  converterOf,
  eventTypes,
  fileOf,
  openedText,
  recordedHistories,
  seal,
  typeOf,
  withoutMachine,
  type HistoryJson,
  type RecordedHistory,
} from '../support/recorded-histories';
import { workflowBundlePath } from '../support/workflow-environment';

const recorded = recordedHistories();

jest.setTimeout(120_000);
beforeAll(() => {
  Runtime.install({
    logger: new DefaultLogger('ERROR', () => {}),
    telemetryOptions: { logging: { forward: {}, filter: { core: 'ERROR', other: 'ERROR' } } },
  });
});

/** What became of each, by its name: null where it was replayed to its end. */
async function replayed(histories: readonly RecordedHistory[]): Promise<[string, Error | null][]> {
  const told = histories.map(({ history, workflowId }) => ({
    workflowId,
    history: historyFromJSON(structuredClone(history)),
  }));
  const options = {
    workflowBundle: { codePath: workflowBundlePath() },
    dataConverter: converterOf(seal()),
  };
  const ends: [string, Error | null][] = [];
  for await (const { error } of Worker.runReplayHistories(options, told)) {
    ends.push([histories[ends.length]?.name ?? '', error ?? null]);
  }
  return ends;
}

describe('recorded histories', () => {
  test('there are, for every workflow, of the straight path and of an eventful one', () => {
    const without = Object.keys(workflows).filter((workflow) => {
      const cases = recorded.filter((one) => typeOf(one) === workflow).map(({ name }) => name);
      const straight = cases.filter((name) => /-(straight|abandoned)$/.test(name));
      return straight.length === 0 || cases.length === straight.length;
    });
    expect(without).toEqual([]);
    expect(recorded.filter((one) => !one.name.startsWith(`${typeOf(one)}-`))).toEqual([]);
  });

  test('hold what later code could get wrong: failures, recoveries, updates, cancellations, new runs', () => {
    const all = new Set(recorded.flatMap((one) => [...eventTypes(one)]));
    expect([...all]).toEqual(
      expect.arrayContaining(
        [
          'ACTIVITY_TASK_TIMED_OUT',
          'ACTIVITY_TASK_CANCELED',
          'TIMER_FIRED',
          'WORKFLOW_EXECUTION_UPDATE_COMPLETED',
          'WORKFLOW_EXECUTION_CONTINUED_AS_NEW',
          'WORKFLOW_EXECUTION_SIGNALED',
          'CHILD_WORKFLOW_EXECUTION_COMPLETED',
        ].map((type) => `EVENT_TYPE_${type}`),
      ),
    );
    const activities = recorded.flatMap(({ history }) => scheduled(history).map(nameOf));
    expect(activities).toEqual(expect.arrayContaining(['recoverRequests', 'recoverAnalysis']));
    const handing = ['certificateLane', 'jobBatch', 'monitorScan', 'monitorSweep'];
    const handed = recorded.filter((one) =>
      eventTypes(one).has('EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW'),
    );
    expect([...new Set(handed.map(typeOf))].sort()).toEqual(handing);
  });

  test('are replayed to their ends by the workflows as they are now', async () => {
    const ends = await replayed(recorded);
    expect(ends.map(([name]) => name)).toEqual(recorded.map(({ name }) => name));
    expect(ends.filter(([, error]) => error !== null)).toEqual([]);
  });

  test.each([
    ['an activity had another name', renamed],
    ['two activities were in the other order', swapped],
  ])('fail as not deterministic when %s', async (_, doctored) => {
    const straight = recorded.filter(({ name }) => name.endsWith('-straight'));
    const fit = straight.filter(({ history }) => new Set(scheduled(history).map(nameOf)).size > 1);
    expect(fit.length).toBeGreaterThan(5);
    const ends = await replayed(
      fit.map((one) => ({ ...one, history: doctored(structuredClone(one.history)) })),
    );
    expect(ends.filter(([, error]) => !(error instanceof DeterminismViolationError))).toEqual([]);
  });

  test('tell of no machine, no document and nobody', async () => {
    const texts = await Promise.all(recorded.map((one) => openedText(one, seal())));
    const telling = recorded.flatMap(({ name }, place) => tellingIn(texts[place] ?? '', name));
    expect(telling).toEqual([]);
  });

  test('take little room', () => {
    const bytes = recorded.reduce((sum, one) => sum + fileOf(one).bytes.length, 0);
    expect(bytes).toBeLessThan(1_500_000);
  });
});

test('what tells of a machine is found in a history, and is not left by the recorder', async () => {
  const [codec] = converterOf(seal()).payloadCodecs ?? [];
  const stack = 'Error\n    at run (/home/somebody/dist/main.js:1:1)';
  const data = Buffer.from(JSON.stringify({ message: 'a message', stack_trace: stack }));
  const metadata = { encoding: Buffer.from('json/plain') };
  const [sealed] = (await codec?.encode([{ metadata, data }])) ?? [];
  const encodedAttributes = payloadToJSON(sealed ?? {});
  const sticky = { name: '4711@host-9f', kind: 'TASK_QUEUE_KIND_STICKY', normalName: 'workflows' };
  const started = { identity: '4711@host', lastFailure: { encodedAttributes } };
  const history = {
    events: [
      { workflowTaskScheduledEventAttributes: { taskQueue: sticky } },
      { activityTaskStartedEventAttributes: started },
    ],
  } as unknown as HistoryJson;
  const read = (one: HistoryJson) =>
    openedText({ name: '', workflowId: 'w', history: one }, seal());
  expect(tellingIn(await read(history), 'it')).toEqual([
    'it: 1@h',
    'it: /home/',
    'it: identity 4711@host',
  ]);
  const clean = await read(await withoutMachine(history, seal()));
  expect(tellingIn(clean, 'it')).toEqual([]);
  expect(clean).toContain('a message');
  expect(clean).toContain('workflows');
});

const machineWords = [
  // A process and its machine, or somebody's address.
  /\d@[a-z]/i,
  /\/(?:tmp|home|root|work|usr|var|opt|mnt|Users|private)\//,
  /[A-Z]:\\/,
  /node_modules|file:\/\//,
  /localhost|127\.0\.0\.1|\[::1\]/,
];

/** What stands in a text and must not, after the name of where it stands. */
function tellingIn(text: string, name: string): string[] {
  const words = machineWords.flatMap((word) => word.exec(text)?.[0] ?? []);
  const numbers = text.match(/(?<![\w-])(?:\d{11}|\d{14})(?![\w-])/g) ?? [];
  const documents = numbers.filter((digits) => isValidCpf(digits) || isValidCnpj(digits));
  const people = [...text.matchAll(/^identity\n(.*)$/gm)].map((found) => found[1] ?? '');
  const named = people.filter((who) => who !== 'recorder').map((who) => `identity ${who}`);
  return [...words, ...documents, ...new Set(named)].map((found) => `${name}: ${found}`);
}

interface Scheduled {
  activityType: { name: string };
}

function scheduled({ events }: HistoryJson): Scheduled[] {
  const found = events.map((event) => event['activityTaskScheduledEventAttributes']);
  return found.filter((one) => one !== undefined) as unknown as Scheduled[];
}

function nameOf({ activityType }: Scheduled): string {
  return activityType.name;
}

function renamed(history: HistoryJson): HistoryJson {
  const [first] = scheduled(history);
  if (first !== undefined) first.activityType.name = 'anotherName';
  return history;
}

function swapped(history: HistoryJson): HistoryJson {
  const all = scheduled(history);
  const [first] = all;
  const other = all.find((one) => first !== undefined && nameOf(one) !== nameOf(first));
  if (first === undefined || other === undefined) throw new Error('nothing to swap');
  [first.activityType, other.activityType] = [other.activityType, first.activityType];
  return history;
}
