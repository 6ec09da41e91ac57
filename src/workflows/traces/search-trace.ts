import type { TraceOutcome, TraceSeen } from '../../domain/traces/search';
import { jobActivities } from '../core/job-activities';
import { runJob, unsettled, type Job } from '../core/run-job';
import type { SearchTraceInput } from '../inputs';
import type { Activities } from './activities';

type Ending = Pick<TraceOutcome, 'status'> & Partial<Pick<TraceOutcome, 'seen' | 'error'>>;

/** One search, from its request to its stored results. */
export async function searchTrace(input: SearchTraceInput): Promise<TraceOutcome> {
  const { ref, deadlineAt } = input;
  const { polling, requesting, recording } = jobActivities<Activities>('investigation', input);
  let last: TraceSeen | null = null;

  async function search(job: Job): Promise<Ending> {
    const { progress } = job;
    const observe = (state: string, seen: TraceSeen | null): void => {
      last = seen ?? last;
      progress.stage = state;
      progress.details = { sources: last?.sources ?? null };
    };
    const started = await job.poll(
      (request) => requesting(request).startTrace({ ...request, ref }),
      { deadlineAt, seen: 'requesting' },
    );
    if (started.kind !== 'settled') return unsettled(started, 'the search');
    if (started.value.kind === 'unknown') {
      const { code, message } = started.value;
      return { status: 'unknown_outcome', error: { code, message } };
    }
    // Finalizing returns what is stored.
    if (started.value.kind === 'ended') return { status: started.value.status };
    const { traceId, state, seen } = started.value;
    progress.externalId = traceId;
    observe(state, seen);
    const end = await job.poll(
      (request) => polling(request).awaitTrace({ ...request, ref, traceId }),
      { deadlineAt, seen: state, onChange: observe },
    );
    if (end.kind === 'settled') return settled(end.value);
    last = (end.kind === 'expired' ? end.value : null) ?? last;
    return unsettled(end, 'the search');
  }

  return runJob<Ending, TraceOutcome>({
    kind: 'trace',
    folder: input.ref.folder,
    stage: 'requesting',
    steps: (job) =>
      job.cancellable(
        () => search(job),
        (): Ending => ({ status: 'cancelled' }),
      ),
    finalize: (ending) =>
      recording.finalizeTrace({ ref, outcome: { seen: last, error: null, ...ending } }),
  });
}

function settled(seen: TraceSeen): Ending {
  const { state, failure } = seen;
  if (state === 'completed') return { status: 'completed', seen };
  return { status: state === 'failed' ? 'failed' : 'cancelled', seen, error: failure };
}
