import { proxyActivities } from '@temporalio/workflow';
import type { ArtifactFiles } from '../../domain/core/artifact';
import { queueName } from '../../domain/core/queues';
import { lensEnd } from '../../domain/job-ends';
import {
  isLensSettled,
  mostReplacements,
  uploadExpiredCode,
  type LensOutcome,
  type LensSeen,
  type ReplacedLens,
} from '../../domain/lens/analyze';
import { jobActivities } from '../core/job-activities';
import { runJob, unsettled, type Job } from '../core/run-job';
import type { AnalyzeLensInput } from '../inputs';
import type { Activities } from './activities';

type Ending = Pick<LensOutcome, 'status'> &
  Partial<Pick<LensOutcome, 'seen' | 'error' | 'billing' | 'files'>>;

/** Time for the artifacts of a settled analysis, regardless of the deadline. */
const fetchingMs = 3_600_000;

/** Analyses one file and stores what was found. */
export async function analyzeLens(input: AnalyzeLensInput): Promise<LensOutcome> {
  const { ref, deadlineAt } = input;
  const { polling, requesting, recording } = jobActivities<Activities>('investigation', input);
  /** One read; without a response the last observed status stays. */
  const { lookAtLens } = proxyActivities<Activities>({
    taskQueue: queueName('investigation', input.queueSuffix),
    startToCloseTimeout: '1m',
    scheduleToCloseTimeout: '2m',
    priority: { priorityKey: 1 },
  });
  const replaced: ReplacedLens[] = [];
  const last = input.attempt + mostReplacements;
  let { attempt } = input;
  let seen: LensSeen | null = null;

  async function analyze(job: Job): Promise<Ending> {
    for (; ; attempt += 1) {
      const at = attempt;
      const handed = await job.poll(
        (request) => requesting(request).submitLens({ ...request, ref, attempt: at }),
        { deadlineAt, seen: 'handing in' },
      );
      if (handed.kind !== 'settled') return unsettled(handed, 'the analysis');
      const { value } = handed;
      if (value.kind === 'submitted') return follow(job, value.analysisId, value.state);
      if (value.kind === 'unknown') {
        return { status: 'unknown_outcome', error: { code: value.code, message: value.message } };
      }
      const { billing } = value;
      if (value.kind === 'upload_refused') {
        const error = { code: value.code, message: value.message };
        return { status: 'refused', error, billing };
      }
      replaced.push({ attempt: at, analysisId: value.analysisId, billing });
      job.progress.details = { replaced: [...replaced] };
      if (at >= last) {
        const message = `${replaced.length} uploads in a row did not arrive in time`;
        return { status: 'expired', error: { code: uploadExpiredCode, message }, billing };
      }
    }
  }

  async function follow(job: Job, analysisId: string, state: string): Promise<Ending> {
    job.progress.externalId = analysisId;
    job.progress.stage = state;
    const end = await job.poll(
      (request) => polling(request).awaitLens({ ...request, ref, analysisId }),
      {
        deadlineAt,
        seen: state,
        onChange(status, value) {
          job.progress.stage = status;
          seen = value ?? seen;
        },
      },
    );
    if (end.kind === 'settled') return settled(end.value);
    const value = end.kind === 'expired' ? (end.value ?? seen) : seen;
    return { ...unsettled(end, 'the analysis'), seen: value };
  }

  /** Reads the analysis once more when polling was cancelled: it may have been charged. */
  async function onCancelled(): Promise<Ending> {
    const found = await lookAtLens({ ref, attempt }).catch(() => null);
    const isDone = found !== null && ['completed', 'failed', 'cancelled'].includes(found.state);
    return isDone ? settled(found) : { status: 'cancelled', seen: found ?? seen };
  }

  /** Null: nothing to fetch, or fetching failed. */
  async function filesOf(
    job: Job,
    { analysisId, artifacts }: LensSeen,
  ): Promise<ArtifactFiles | null> {
    if (artifacts === 0) return { stored: [], notStored: [] };
    job.progress.stage = 'fetching';
    const fetching = { deadlineAt: Date.now() + fetchingMs };
    const end = await job.poll(
      (request) => polling(request).fileLens({ ...request, ref, analysisId }),
      { ...fetching, seen: 'fetching' },
    );
    return end.kind === 'refused' ? null : end.value;
  }

  return runJob<Ending, LensOutcome>({
    kind: 'lens',
    folder: input.ref.folder,
    stage: 'handing in',
    async steps(job) {
      const ending = await job.cancellable(() => analyze(job), onCancelled);
      const hasSettled = ending.seen != null && isLensSettled(ending.seen.state);
      const files = hasSettled ? await filesOf(job, ending.seen as LensSeen) : null;
      return { ...ending, files };
    },
    finalize: (ending) =>
      recording.finalizeLens({
        ref,
        attempt,
        outcome: { seen: null, files: null, error: null, billing: null, replaced, ...ending },
      }),
    end: lensEnd,
  });
}

function settled(seen: LensSeen): Ending {
  const { failure, state } = seen;
  if (state === 'completed') return { status: 'completed', seen };
  if (state === 'expired') {
    const message = 'the service let the analysis expire after its file was uploaded';
    return { status: 'expired', seen, error: failure ?? { code: null, message } };
  }
  return { status: state === 'failed' ? 'failed' : 'cancelled', seen, error: failure };
}
