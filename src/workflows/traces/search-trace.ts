import {
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  setHandler,
} from '@temporalio/workflow';
import type { TraceOutcome, TraceSeen } from '../../domain/traces/search';
import { waitingForCredentials } from '../../domain/core/settled-wait';
import { endOf } from '../../domain/attention';
import { cancelUpdate, traceProgressQuery, type SearchTraceInput } from '../messages';
import type { TraceProgress } from '../messages';
import { tellAttention, tellEnd } from '../core/search-attributes';
import { traceActivities } from './activities';
import { waitOn, type WaitEnd } from '../core/wait-on';

type Ending = Pick<TraceOutcome, 'status'> & Partial<Pick<TraceOutcome, 'seen' | 'error'>>;

/** One search, from its request to what it found, put on file. */
export async function searchTrace(input: SearchTraceInput): Promise<TraceOutcome> {
  const { ref, deadlineAt, queueSuffix, interactive } = input;
  const activities = traceActivities(queueSuffix, interactive);
  const startedAt = Date.now();
  const waiting = new CancellationScope();
  let last: TraceSeen | null = null;
  const progress: TraceProgress = {
    kind: 'trace',
    stage: 'requesting',
    traceId: null,
    sources: null,
    waiting: null,
    startedAt,
  };
  setHandler(traceProgressQuery, () => ({ ...progress }));
  setHandler(
    cancelUpdate,
    () => {
      waiting.cancel();
      return 'cancelling: what was asked for goes on at the service';
    },
    {
      validator(_order) {
        if (progress.stage !== 'done') return;
        throw ApplicationFailure.nonRetryable('it has ended: its end is put on file', 'TooLate');
      },
    },
  );
  CancellationScope.current().cancelRequested.catch(() => waiting.cancel());

  function show(visible: string, seen: TraceSeen | null): void {
    last = seen ?? last;
    progress.waiting = visible === waitingForCredentials ? visible : null;
    tellAttention(progress.waiting !== null);
    if (progress.waiting !== null) return;
    progress.stage = visible;
    progress.sources = seen?.sources ?? progress.sources;
  }

  async function run(): Promise<Ending> {
    const started = await waitOn(
      (order) => activities.startTrace({ ...order, ref }),
      { deadlineAt, since: startedAt, seen: 'requesting' },
      (visible) => show(visible, null),
    );
    if (started.kind !== 'settled') return unsettled(started);
    if (started.value.kind === 'unknown') {
      const { code, message } = started.value;
      return { status: 'unknown_outcome', error: { code, message } };
    }
    // What stands on file is returned when it is concluded.
    if (started.value.kind === 'ended') return { status: started.value.status };
    const { traceId, state, seen } = started.value;
    progress.traceId = traceId;
    show(state, seen);
    const end = await waitOn(
      (order) => activities.awaitTrace({ ...order, ref, traceId }),
      { deadlineAt, since: Date.now(), seen: state },
      show,
    );
    if (end.kind === 'settled') return settled(end.value);
    last = (end.kind === 'expired' ? end.value : null) ?? last;
    return unsettled(end);
  }

  return CancellationScope.nonCancellable(async () => {
    const ending = await waiting.run(run).catch((error: unknown): Ending => {
      if (isCancellation(error)) return { status: 'cancelled' };
      throw error;
    });
    progress.stage = 'done';
    progress.waiting = null;
    const outcome = await activities.concludeTrace({
      ref,
      outcome: {
        seen: last,
        error: null,
        startedAt: new Date(startedAt).toISOString(),
        ...ending,
      },
    });
    tellEnd(endOf('trace', outcome.status));
    return outcome;
  });
}

function settled(seen: TraceSeen): Ending {
  const { state, failure } = seen;
  if (state === 'completed') return { status: 'completed', seen };
  return { status: state === 'failed' ? 'failed' : 'cancelled', seen, error: failure };
}

function unsettled(end: Exclude<WaitEnd<unknown>, { kind: 'settled' }>): Ending {
  if (end.kind === 'refused') {
    const { code, message } = end;
    return { status: 'refused', error: { code, message } };
  }
  const message = 'the search had not settled at the deadline';
  return { status: 'expired', error: { code: 'deadline', message } };
}
