import { jobFolder } from '../../../src/domain/job';
import { orderAnswer, type OrderAnswer } from '../../../src/domain/order-answers';
import { readerOf } from '../../../src/report/reader';
import { TypedSearchAttributes } from '@temporalio/common';
import {
  ApplicationFailure,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { type TraceOutcome, type TraceRecord } from '../../../src/domain/traces/search';
import { jobCommands } from '../../../src/starters/job-commands';
import { givenTerms } from '../../../src/starters/cli/start-command';
import { refuseIgnored } from '../../../src/starters/jobs/begin/begin-job';
import { inLanguage, type CommandContext } from '../../../src/starters/jobs/context';
import { viewJob } from '../../../src/starters/jobs/find-job';
import type { Job } from '../../../src/starters/jobs/job-kind';
import { orderJob } from '../../../src/starters/jobs/begin/order-job';
import { startJob, yieldTo } from '../../../src/starters/jobs/begin/start-job';
import type { Command } from 'commander';
import { readRequest } from '../../../src/starters/jobs/begin/startable';
import { trace } from '../../../src/starters/traces/request';
import { traceCommand } from '../../../src/starters/traces/commands';
import { traceKind } from '../../../src/starters/traces/kind';
import { TraceRepository } from '../../../src/store/traces/traces';
import type { EngineClient } from '../../../src/temporal/connection';
import { attributesAtStart } from '../../../src/workflows/core/search-attributes';
import { claimAt } from '../../support/stored-attempts';
import { TemporaryStore } from '../../support/temporary-store';

/** Two commands that ask for the same at the same moment: one of them begins it. */

let mockEngine: EngineClient | null;
jest.mock('../../../src/starters/jobs/context', () => ({
  ...jest.requireActual<object>('../../../src/starters/jobs/context'),
  withEngine: (_: unknown, work: (engine: unknown) => unknown) => work(mockEngine),
}));
jest.mock('../../../src/temporal/open-engine', () => ({ engineIfRunning: () => mockEngine }));
jest.mock('../../../src/temporal/search-attributes', () => ({
  refuseMissingSearchAttributes: () => undefined,
}));

type TraceJob = Job<TraceRecord, TraceOutcome>;
const name = 'ab'.repeat(16);
const ownId = `trace/${name}/20260105T101530124Z`;
const theirId = `trace/${name}/20260105T101530123Z`;

let place: TemporaryStore;
let own: TraceJob;
let theirs: TraceJob;
let ordered: number;
let trail: unknown[];

beforeEach(async () => {
  place = new TemporaryStore();
  [own, theirs] = [await recorded(ownId), await recorded(theirId)];
  ordered = 0;
  trail = [];
  mockEngine = running(theirId);
});
afterEach(() => place.remove());

async function recorded(jobId: string): Promise<TraceJob> {
  const terms = { label: 'mine', deadlineMs: 86_400_000 };
  const createdAt = jobId.split('/').at(-1) ?? '';
  const record = { jobId, name, target: 'x', ...terms, createdAt } as TraceRecord;
  await new TraceRepository(place.store).putRecord(jobFolder(jobId), record);
  return (await place.store.jobs.find(jobId)) as TraceJob;
}

function running(
  startedFor: string,
  update = async (): Promise<OrderAnswer> => orderAnswer('cancelling'),
): EngineClient {
  const typedSearchAttributes = new TypedSearchAttributes(attributesAtStart('trace', startedFor));
  const handle = {
    describe: async () => ({ status: { name: 'RUNNING' }, typedSearchAttributes }),
    query: async () => {
      throw new Error('no worker');
    },
    executeUpdate: () => {
      ordered += 1;
      return update();
    },
  };
  const workflow = { getHandle: () => handle, start: async () => handle };
  return { client: { workflow }, close: async () => undefined } as unknown as EngineClient;
}

const context = () =>
  ({
    store: place.store,
    reader: readerOf('en'),
    environment: { actor: 'x' },
    audit: {
      anchor: async () => undefined,
      append: async () => undefined,
      appendAndAnchor: async (entries: unknown[]) => void trail.push(...entries),
    },
  }) as unknown as CommandContext;

const left = async () => {
  const all = await new TraceRepository(place.store).all();
  return all.map(({ record }) => record.jobId);
};
const terms = { run: 1_000 };
const start = (engine: EngineClient | null) =>
  startJob(context(), engine as EngineClient, traceKind, own, terms);

test('what somebody else began runs, and the record that began nothing goes', async () => {
  expect((await start(mockEngine)).id).toBe(theirId);
  expect(await left()).toEqual([theirId]);
});

test('an outcome of theirs is shown as theirs', async () => {
  expect((await yieldTo(context(), own, theirId)).id).toBe(theirId);
  expect(await left()).toEqual([theirId]);
});

test('a record of which something began stays, and so does what runs or nobody can tell of', async () => {
  for (const startedFor of [ownId, `trace-batch/${name}/20260105T101530123Z`]) {
    expect((await start(running(startedFor))).id).toBe(ownId);
  }
  await new TraceRepository(place.store).putAnswer(own.folder, Buffer.from('{}'));
  await start(running(theirId));
  expect(await left()).toHaveLength(2);
});

const cancelled = (job: TraceJob) =>
  orderJob(context(), traceKind, job, 'cancel', { remote: false });
const claims = () =>
  Promise.all(
    [own, theirs].map(({ folder }) =>
      place.store.attempts.claim(`trace/${folder}`, 1, claimAt(0), folder),
    ),
  );

test('a cancel commits that nothing more is sent, and of what does not run takes it back', async () => {
  await expect(cancelled(own)).rejects.toThrow('it is not running');
  expect(ordered).toBe(0);
  expect(trail).toMatchObject([{ result: 'refused' }]);
  expect(await cancelled(theirs)).toMatch(/^cancelling: /);
  expect(await claims()).toEqual(['ours', 'cancelled']);
  const asked = inLanguage(context(), 'pt');
  expect(await orderJob(asked, traceKind, theirs, 'cancel', { remote: false })).toMatch(
    /^cancelando: /,
  );
});

test('a cancel that is refused stays: it may have been given before', async () => {
  mockEngine = running(theirId, async () => {
    throw new WorkflowUpdateFailedError(
      '',
      ApplicationFailure.nonRetryable('', 'OrderRefused', orderAnswer('settled')),
    );
  });
  await expect(cancelled(theirs)).rejects.toThrow(`${theirId}: it has settled`);
  expect(await claims()).toEqual(['ours', 'cancelled']);
});

test('an order that a kind does not take is refused before anything is recorded', async () => {
  const paused = orderJob(context(), traceKind, theirs, 'pause', { remote: false });
  await expect(paused).rejects.toMatchObject({ name: 'UsageError' });
  expect([ordered, trail]).toEqual([0, []]);
});

test('what does not run is interrupted, or waits for an engine; what runs needs no worker to be shown', async () => {
  const stateOf = async (job: TraceJob) => (await viewJob(context(), traceKind, job)).state;
  expect([await stateOf(theirs), await stateOf(own)]).toEqual(['running', 'interrupted']);
  mockEngine = null;
  expect(await stateOf(own)).toBe('waiting');
  const lost = new WorkflowNotFoundError('', theirId, undefined);
  const describe = async () => Promise.reject(lost);
  mockEngine = {
    client: { workflow: { getHandle: () => ({ describe }) } },
    close: async () => undefined,
  } as unknown as EngineClient;
  expect(await stateOf(theirs)).toBe('interrupted');
});

function givenOf(search: Command | undefined) {
  const { deadline, label, rerun, target } = search?.opts() ?? {};
  return givenTerms(search as Command, readRequest(trace, { deadline, label, rerun, target }));
}

test.each([
  [['--deadline', '1h'], '--deadline would be ignored: ID has --deadline 86400s'],
  [['--label', 'other'], '--label would be ignored: ID has --label "mine"'],
  [['--rerun'], '--rerun would be ignored: ID has not ended'],
])('%s on a job that runs is refused, and the difference named', async (words, message) => {
  const search = traceCommand().commands.find((command) => command.name() === 'search');
  const target = ['--target', 'x@example.com'];
  search?.action(() => undefined).parse([...target, ...words], { from: 'user' });
  const attach = () => refuseIgnored(traceKind, theirs, givenOf(search), true);
  expect(attach).toThrow(message.replace('ID', theirId));
});

test('flags that say the same as the job are taken, and the deadline of what does not run begins anew', () => {
  const search = traceCommand().commands.find((command) => command.name() === 'search');
  const same = ['--target', 'x@example.com', '--deadline', '24h', '--label', 'mine', '--json'];
  search?.action(() => undefined).parse(same, { from: 'user' });
  expect(() => refuseIgnored(traceKind, theirs, givenOf(search), true)).not.toThrow();
  search?.parse(['--target', 'x@example.com', '--deadline', '1h'], { from: 'user' });
  expect(() => refuseIgnored(traceKind, theirs, givenOf(search), false)).not.toThrow();
});

test('there is one command for each order', () => {
  const names = jobCommands().map((command) => command.name());
  expect(names).toEqual(['list', 'show', 'result', 'cancel', 'pause', 'resume']);
});
