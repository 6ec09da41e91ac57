import { TypedSearchAttributes } from '@temporalio/common';
import type { WorkflowHandle } from '@temporalio/client';
import { TraceRepository } from '../../../src/store/traces/traces';
import {
  traceFolder,
  type TraceOutcome,
  type TraceRecord,
} from '../../../src/domain/traces/search';
import { recordAtWork, workOfOutcome } from '../../../src/starters/cli/single-work';
import { traces, traceWorks } from '../../../src/starters/traces/outcome';
import type { CommandContext } from '../../../src/starters/jobs/context';
import { attributesAtStart } from '../../../src/workflows/core/search-attributes';
import { claimAt } from '../../support/stored-attempts';
import { TemporaryStore } from '../../support/temporary-store';

/** Two commands that ask for the same at the same moment: one of them begins it. */

let mockEngine: unknown;
jest.mock('../../../src/starters/jobs/context', () => ({
  ...jest.requireActual<object>('../../../src/starters/jobs/context'),
  withEngine: (_: unknown, work: (engine: unknown) => unknown) => work(mockEngine),
}));

const name = 'ab'.repeat(16);
const own = recordOf('20260105T101530124Z');
const theirs = recordOf('20260105T101530123Z');

let place: TemporaryStore;
let file: TraceRepository;
let ordered: string[];
let trail: unknown[];

beforeEach(async () => {
  place = new TemporaryStore();
  file = new TraceRepository(place.store);
  for (const { folder, record } of [own, theirs]) await file.putRecord(folder, record);
  ordered = [];
  trail = [];
  mockEngine = { client: { workflow: { getHandle: () => running(theirs.record.workId) } } };
});
afterEach(() => place.remove());

function recordOf(instant: string): { folder: string; record: TraceRecord } {
  const workId = `trace/${name}/${instant}`;
  const record = { workId, name, target: 'x', createdAt: instant } as TraceRecord;
  return { folder: traceFolder(workId), record };
}

function running(startedFor: string): WorkflowHandle {
  const typedSearchAttributes = new TypedSearchAttributes(attributesAtStart('trace', startedFor));
  return {
    describe: async () => ({ status: { name: 'RUNNING' }, typedSearchAttributes }),
    executeUpdate: async () => {
      ordered.push(startedFor);
      return 'cancelling';
    },
  } as unknown as WorkflowHandle;
}

const workplace = () =>
  ({
    store: place.store,
    environment: { actor: 'x' },
    audit: {
      anchor: async () => undefined,
      appendAndAnchor: async (entries: unknown[]) => void trail.push(...entries),
    },
  }) as unknown as CommandContext;

const left = async () => (await file.all()).map(({ record }) => record.workId);

test('what somebody else began runs, and the record that began nothing goes', async () => {
  const handle = running(theirs.record.workId);
  expect(await recordAtWork(workplace(), traces, handle, own)).toEqual(theirs);
  expect(await left()).toEqual([theirs.record.workId]);
});

test('an outcome of theirs is shown as theirs', async () => {
  const outcome = { workId: theirs.record.workId, status: 'completed' } as TraceOutcome;
  expect(await workOfOutcome(workplace(), traces, own, outcome)).toEqual({ ...theirs, outcome });
  expect(await left()).toEqual([theirs.record.workId]);
});

test('a record of which something began stays, and so does what runs or nobody can tell of', async () => {
  const batchId = `trace-batch/${name}/20260105T101530123Z`;
  for (const startedFor of [own.record.workId, batchId]) {
    expect(await recordAtWork(workplace(), traces, running(startedFor), own)).toEqual(own);
  }
  await file.putAnswer(own.folder, Buffer.from('{}'));
  await recordAtWork(workplace(), traces, running(theirs.record.workId), own);
  expect(await left()).toHaveLength(2);
});

test('a cancel commits that nothing more is sent, and of what does not run takes it back', async () => {
  jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  const cancelled = async ({ record }: typeof own) =>
    traceWorks.order(workplace(), record.workId, 'cancel', {});
  await expect(cancelled(own)).rejects.toThrow('does not run');
  expect(ordered).toEqual([]);
  expect(trail).toMatchObject([{ result: 'refused' }]);
  await cancelled(theirs);
  expect(ordered).toEqual([theirs.record.workId]);
  const claims = [own, theirs].map(({ folder }) =>
    place.store.attempts.claim(`trace/${folder}`, 1, claimAt(0), folder),
  );
  expect(await Promise.all(claims)).toEqual(['ours', 'cancelled']);
  jest.restoreAllMocks();
});
