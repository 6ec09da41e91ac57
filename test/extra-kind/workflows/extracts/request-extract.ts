import type { ExtractOutcome } from '../../domain/extracts/extract';
import { runJob, unsettled, type Job } from '../core/run-job';
import type { JobWorkflowInput } from '../inputs';
import { extractActivities } from './activities';

type Ending = Pick<ExtractOutcome, 'status'> & Partial<Pick<ExtractOutcome, 'sha256' | 'error'>>;

/** One extract, from its request to what it says, stored. */
export async function requestExtract(input: JobWorkflowInput): Promise<ExtractOutcome> {
  const { ref, deadlineAt } = input;
  const { polling, requesting, recording } = extractActivities(input);

  async function request(job: Job): Promise<Ending> {
    const started = await job.poll((ask) => requesting(ask).startExtract({ ...ask, ref }), {
      deadlineAt,
      seen: 'requesting',
    });
    if (started.kind !== 'settled') return unsettled(started, 'the extract');
    const { extractId } = started.value;
    job.progress.externalId = extractId;
    const end = await job.poll((ask) => polling(ask).awaitExtract({ ...ask, ref, extractId }), {
      deadlineAt,
      seen: 'queued',
    });
    if (end.kind !== 'settled') return unsettled(end, 'the extract');
    const { sha256, status } = end.value;
    return { status: status === 'completed' ? 'completed' : 'failed', sha256 };
  }

  return runJob<Ending, ExtractOutcome>({
    kind: 'extract',
    folder: ref.folder,
    stage: 'requesting',
    steps: (job) =>
      job.cancellable(
        () => request(job),
        (): Ending => ({ status: 'cancelled' }),
      ),
    finalize: (ending) =>
      recording.finalizeExtract({ ref, ended: { sha256: null, error: null, ...ending } }),
  });
}
