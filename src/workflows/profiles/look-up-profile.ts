import { isCancellation, sleep } from '@temporalio/workflow';
import type { LookedUp, ProfileOutcome } from '../../domain/profiles/lookup';
import type { PollEnd } from '../core/poll-until-settled';
import { jobActivities } from '../core/job-activities';
import { runJob, unsettled, type Job } from '../core/run-job';
import type { LookUpProfileInput } from '../inputs';
import type { Activities } from './activities';

/** Delay before a rural query that took too long is repeated. */
const ruralPause = '30s';

type Found = Extract<LookedUp, { kind: 'found' }>;
type Ending = Pick<ProfileOutcome, 'status'> & Partial<ProfileOutcome>;

/** One profile, looked up and stored. */
export async function lookUpProfile(input: LookUpProfileInput): Promise<ProfileOutcome> {
  const { ref, deadlineAt, interactive = true } = input;
  const { requesting, recording } = jobActivities<Activities>('investigation', input);

  const lookUpOnce = (job: Job, call: number): Promise<PollEnd<LookedUp>> =>
    job.poll<LookedUp>(
      (request) => requesting(request).lookUpProfile({ ...request, ref, call, interactive }),
      { deadlineAt, seen: 'asking', onChange: () => undefined },
    );

  async function lookUp(job: Job): Promise<Ending> {
    const first = await lookUpOnce(job, 1);
    if (first.kind !== 'settled') return unsettled(first, 'the lookup');
    const { value } = first;
    // Finalizing returns what is stored.
    if (value.kind === 'ended') return { status: value.status };
    if (value.kind === 'no') {
      const { status, code, message } = value;
      return { status, error: { code, message } };
    }
    const second = await again(job, value);
    return { ...found(second ?? value), answered: second === null ? 1 : 2 };
  }

  /** Null: not requested again, or failed. The first response stays in either case. */
  async function again(job: Job, first: Found): Promise<Found | null> {
    if (!input.retryRural || first.rural === 'reported') return null;
    try {
      job.progress.stage = 'asking again';
      await sleep(ruralPause);
      const second = await lookUpOnce(job, 2);
      return second.kind === 'settled' && second.value.kind === 'found' ? second.value : null;
    } catch (error) {
      if (isCancellation(error)) return null;
      throw error;
    }
  }

  return runJob<Ending, ProfileOutcome>({
    kind: 'profile',
    folder: input.ref.folder,
    stage: 'asking',
    steps: (job) =>
      job.cancellable(
        () => lookUp(job),
        (): Ending => ({ status: 'cancelled' }),
      ),
    finalize: (ending) => recording.finalizeProfile({ ref, outcome: { ...nothing, ...ending } }),
  });
}

const nothing = {
  rural: null,
  counts: null,
  sha256: null,
  call: null,
  answered: 0,
  error: null,
} as const;

function found({ rural, counts, sha256, call }: Found): Ending {
  return { status: 'found', rural, counts, sha256, call };
}
