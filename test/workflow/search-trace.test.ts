import { WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { notSettledYet } from '../../src/activities/core/failures';
import type { StartedTrace } from '../../src/activities/traces/traces';
import type { Polled } from '../../src/domain/core/service/poll-request';
import type { TraceOutcome, TraceSeen } from '../../src/domain/traces/search';
import { cancelUpdate, jobProgressQuery, type JobProgress } from '../../src/workflows/messages';
import { searched, shareSearches, type Answer } from '../support/trace-searches';
import {
  hour,
  minute,
  representativeSuite,
  type WorkflowRig,
} from '../support/workflow-environment';

const traceId = 'fa9d7ea9-0f5a-4b8e-9f0a-111111111111';
const made: Polled<StartedTrace> = {
  kind: 'settled',
  value: { kind: 'created', traceId, state: 'queued', seen: seen('queued') },
};

function seen(state: TraceSeen['state'], more: Partial<TraceSeen> = {}): TraceSeen {
  const told = { type: 'email', partial: null, sources: { web: 'ok' }, artifacts: 0 };
  return {
    traceId,
    state,
    statusWord: state,
    ...told,
    billing: null,
    sha256: null,
    failure: null,
    ...more,
  };
}

const running: Polled<TraceSeen> = { kind: 'changed', status: 'running', value: seen('running') };
const completed: Polled<TraceSeen> = {
  kind: 'settled',
  value: seen('completed', { partial: true }),
};

const inTenMinutes = (): never => {
  throw notSettledYet(10 * minute);
};

/** @param at what the workflow shows when the order is given */
async function cancelledWhen(
  rig: WorkflowRig,
  at: (progress: JobProgress) => boolean,
  starts: Answer<StartedTrace>[],
  reads: Answer<TraceSeen>[],
) {
  return searched(rig, starts, reads, {
    meanwhile: async (id) => {
      const handle = rig.env.client.workflow.getHandle(id);
      while (!at(await handle.query(jobProgressQuery))) {
        await new Promise((done) => setTimeout(done, 20));
      }
      await rig.untilBetweenTries(id);
      await handle.executeUpdate(cancelUpdate, { args: [{ now: true }] });
    },
  });
}

representativeSuite(
  'a search',
  (rig) => {
    shareSearches(rig);

    test('is asked for once and read until it has settled, in thirty events', async () => {
      const { outcome, asked, read, events, progress } = await searched(
        rig(),
        [made],
        [running, completed],
      );
      expect(outcome).toMatchObject({ status: 'completed', seen: { partial: true } });
      expect(asked).toHaveLength(1);
      expect(read.map(({ seen: state }) => state)).toEqual(['queued', 'running']);
      expect(read[0]).toMatchObject({ traceId });
      expect(events).toBeLessThanOrEqual(30);
      expect(progress).toMatchObject({
        stage: 'done',
        externalId: traceId,
        details: { sources: { web: 'ok' } },
      });
    });

    test('that has no more time is expired, with what was seen last', async () => {
      const late = (): never => {
        throw notSettledYet(2 * hour);
      };
      const { outcome } = await searched(rig(), [made], [running, late]);
      expect(outcome).toMatchObject({ status: 'expired', seen: { state: 'running' } });
    });

    test('waits for credentials, and shows it', async () => {
      const locked = { kind: 'changed', status: 'waiting: credentials', value: null } as const;
      const { outcome, asked, progress } = await searched(rig(), [locked, made], [completed]);
      expect(asked.map(({ seen: state }) => state)).toEqual(['requesting', 'waiting: credentials']);
      expect(outcome.status).toBe('completed');
      expect(progress.waiting).toBeNull();
    });

    test('cancelled while it runs, it keeps what was seen last', async () => {
      const { outcome } = await cancelledWhen(
        rig(),
        ({ stage }) => stage === 'running',
        [made],
        [running, inTenMinutes],
      );
      expect(outcome).toMatchObject({ status: 'cancelled', seen: { state: 'running' } });
    });
  },
  (rig) => {
    test.each(['failed', 'cancelled'] as const)('that the service %s is an end', async (state) => {
      const failure = { code: 'c', message: 'm' };
      const { outcome } = await searched(
        rig(),
        [made],
        [{ kind: 'settled', value: seen(state, { failure }) }],
      );
      expect(outcome).toMatchObject({ status: state, error: failure });
    });

    test('leaves the same history after one poll of each and after fifty', async () => {
      const unsettled = (): never => {
        throw notSettledYet(minute / 2);
      };
      const fifty = Array(50).fill(unsettled) as (() => never)[];
      const once = await searched(rig(), [unsettled, made], [unsettled, completed]);
      const often = await searched(rig(), [...fifty, made], [...fifty, completed]);
      expect(often.read).toHaveLength(51);
      expect(often.events).toBe(once.events);
    });

    test.each<[string, Answer<StartedTrace>, Partial<TraceOutcome>]>([
      [
        'a refusal',
        { kind: 'refused', status: 400, code: 'c', message: 'm' },
        { status: 'refused' },
      ],
      ['no time left', { kind: 'expired', value: null }, { status: 'expired', seen: null }],
      [
        'a key that leads nowhere',
        { kind: 'settled', value: { kind: 'unknown', code: 'c', message: 'm' } },
        { status: 'unknown_outcome', error: { code: 'c', message: 'm' } },
      ],
      [
        'an end on file',
        { kind: 'settled', value: { kind: 'ended', status: 'failed' } },
        { status: 'failed', seen: null },
      ],
    ])('%s of the request ends it before anything is read', async (_, start, end) => {
      const { outcome, read } = await searched(rig(), [start], []);
      expect(outcome).toMatchObject(end);
      expect(read).toHaveLength(0);
    });

    test('that takes two days is read every hour of them, in as few events', async () => {
      const unsettled = (): never => {
        throw notSettledYet(hour);
      };
      const hours = Array(24).fill(unsettled) as (() => never)[];
      const { outcome, read, events, tookMs } = await searched(
        rig(),
        [made],
        [...hours, running, ...hours, completed],
        { deadlineMs: 72 * hour },
      );
      expect(outcome.status).toBe('completed');
      expect(read).toHaveLength(50);
      expect(tookMs).toBeGreaterThanOrEqual(48 * hour);
      expect(events).toBeLessThanOrEqual(30);
    });

    test('cancelled before its request has an answer, it was not made', async () => {
      const locked = { kind: 'changed', status: 'waiting: credentials', value: null } as const;
      const { outcome, asked, read } = await cancelledWhen(
        rig(),
        ({ waiting }) => waiting !== null,
        [locked, inTenMinutes],
        [],
      );
      expect(outcome).toMatchObject({ status: 'cancelled', seen: null });
      expect(asked.length).toBeLessThanOrEqual(2);
      expect(read).toHaveLength(0);
    });

    test('cancelled while it is queued, it keeps what the request was answered', async () => {
      const billing = { status: 'reserved', amount: 2, unit: 'credits' };
      const told = seen('queued', { billing });
      const value = { kind: 'created', traceId, state: 'queued', seen: told } as const;
      const { outcome } = await cancelledWhen(
        rig(),
        ({ externalId }) => externalId !== null,
        [{ kind: 'settled', value }],
        [inTenMinutes],
      );
      expect(outcome).toMatchObject({ status: 'cancelled', seen: { state: 'queued', billing } });
    });

    test('cancelled while its end is put on file, it refuses, and the end stands', async () => {
      let tryToCancel: () => Promise<unknown> = async () => undefined;
      let refusal: unknown = null;
      const { outcome } = await searched(rig(), [made], [completed], {
        meanwhile: async (id) => {
          const handle = rig().env.client.workflow.getHandle(id);
          tryToCancel = () => handle.executeUpdate(cancelUpdate, { args: [{ now: true }] });
        },
        atEnd: async () => {
          refusal = await tryToCancel().catch((error: unknown) => error);
        },
      });
      expect(refusal).toBeInstanceOf(WorkflowUpdateFailedError);
      expect(outcome.status).toBe('completed');
    });

    test('that is refused keeps what was seen before', async () => {
      const refused = { kind: 'refused', status: 404, code: 'c', message: 'm' } as const;
      const { outcome } = await searched(rig(), [made], [running, refused]);
      expect(outcome).toMatchObject({ status: 'refused', seen: { state: 'running' } });
    });

    test('is waited for from the answer on, not from the first try of its request', async () => {
      const { asked, read } = await searched(rig(), [inTenMinutes, made], [completed]);
      expect((read[0]?.since ?? 0) - (asked[0]?.since ?? 0)).toBeGreaterThanOrEqual(10 * minute);
    });

    test('fails on what no time can mend', async () => {
      const broken = (): never => {
        throw ApplicationFailure.nonRetryable('gone', 'StoreIncomplete');
      };
      await expect(searched(rig(), [broken], [])).rejects.toThrow('Workflow execution failed');
    });
  },
);
