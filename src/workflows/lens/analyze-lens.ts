import { CancellationScope, isCancellation, setHandler } from '@temporalio/workflow';
import { ApplicationFailure } from '@temporalio/common';
import {
  isLensSettled,
  mostReplacements,
  uploadExpiredCode,
  type LensFiles,
  type LensOutcome,
  type LensSeen,
} from '../../domain/lens/analyze';
import { waitingForCredentials } from '../../domain/core/settled-wait';
import { lensEnd } from '../../domain/job-ends';
import { lensActivities } from './activities';
import {
  cancelUpdate,
  lensProgressQuery,
  type AnalyzeLensInput,
  type LensProgress,
} from '../messages';
import { tellAttention, tellEnd } from '../core/search-attributes';
import { waitOn, type WaitEnd } from '../core/wait-on';

type Ending = Pick<LensOutcome, 'status'> &
  Partial<Pick<LensOutcome, 'seen' | 'error' | 'billing'>>;

/** Time for the artifacts of an analysis that has settled, whatever the deadline. */
const fetchingMs = 3_600_000;

/** One file, from the request for its analysis to what was found, put on file. */
export async function analyzeLens(input: AnalyzeLensInput): Promise<LensOutcome> {
  const { ref, deadlineAt, queueSuffix, interactive } = input;
  const activities = lensActivities(queueSuffix, interactive);
  const startedAt = Date.now();
  const waiting = new CancellationScope();
  const last = input.attempt + mostReplacements;
  let { attempt } = input;
  let seen: LensSeen | null = null;
  let isOver = false;
  let isCancelled = false;
  const progress: LensProgress = {
    kind: 'lens',
    stage: 'handing in',
    analysisId: null,
    replaced: [],
    waiting: null,
    startedAt,
  };
  setHandler(lensProgressQuery, () => ({ ...progress }));
  setHandler(
    cancelUpdate,
    () => {
      isCancelled = true;
      waiting.cancel();
      return 'cancelling: what was handed in goes on at the service';
    },
    {
      validator(_order) {
        if (isOver) throw ApplicationFailure.nonRetryable('it has settled', 'TooLate');
        if (isCancelled) throw ApplicationFailure.nonRetryable('it is cancelled', 'TooLate');
      },
    },
  );
  CancellationScope.current().cancelRequested.catch(() => waiting.cancel());

  function show(visible: string): void {
    progress.waiting = visible === waitingForCredentials ? visible : null;
    tellAttention(progress.waiting !== null);
    if (progress.waiting === null) progress.stage = visible;
  }

  async function run(): Promise<Ending> {
    for (; ; attempt += 1) {
      const at = attempt;
      const handed = await waitOn(
        (order) => activities.submitLens({ ...order, ref, attempt: at }),
        { deadlineAt, since: Date.now(), seen: 'handing in' },
        show,
      );
      if (handed.kind !== 'settled') return unsettled(handed, null);
      const { value } = handed;
      if (value.kind === 'submitted') {
        progress.analysisId = value.analysisId;
        show(value.state);
        return follow(value.analysisId, value.state);
      }
      if (value.kind === 'unknown') {
        return { status: 'unknown_outcome', error: { code: value.code, message: value.message } };
      }
      const { billing } = value;
      if (value.kind === 'upload_refused') {
        const error = { code: value.code, message: value.message };
        return { status: 'refused', error, billing };
      }
      progress.replaced.push({ attempt: at, analysisId: value.analysisId, billing });
      if (at >= last) {
        const message = `${progress.replaced.length} uploads in a row did not arrive in time`;
        return { status: 'expired', error: { code: uploadExpiredCode, message }, billing };
      }
    }
  }

  async function follow(analysisId: string, state: string): Promise<Ending> {
    const end = await waitOn(
      (order) => activities.awaitLens({ ...order, ref, analysisId }),
      { deadlineAt, since: Date.now(), seen: state },
      (visible, value) => {
        show(visible);
        seen = value ?? seen;
      },
    );
    if (end.kind === 'settled') return settled(end.value);
    return unsettled(end, end.kind === 'expired' ? (end.value ?? seen) : seen);
  }

  /** What it had come to when it was waited for no longer: that may have been paid for. */
  async function cancelled(): Promise<Ending> {
    const look = await activities.lookAtLens({ ref, attempt }).catch(() => null);
    const isDone = look !== null && ['completed', 'failed', 'cancelled'].includes(look.state);
    return isDone ? settled(look) : { status: 'cancelled', seen: look ?? seen };
  }

  /** Null: there is nothing to fetch, or it could not be. */
  async function fetched({ analysisId, artifacts }: LensSeen): Promise<LensFiles | null> {
    if (artifacts === 0) return { filed: [], unfiled: [] };
    progress.stage = 'fetching';
    const since = Date.now();
    const end = await waitOn(
      (order) => activities.fileLens({ ...order, ref, analysisId }),
      { deadlineAt: since + fetchingMs, since, seen: 'fetching' },
      show,
    );
    return end.kind === 'refused' ? null : end.value;
  }

  return CancellationScope.nonCancellable(async () => {
    const ending = await waiting.run(run).catch((error: unknown) => {
      if (isCancellation(error)) return cancelled();
      throw error;
    });
    isOver = true;
    const hasSettled = ending.seen != null && isLensSettled(ending.seen.state);
    const files = hasSettled ? await fetched(ending.seen as LensSeen) : null;
    progress.stage = 'done';
    progress.waiting = null;
    const outcome = await activities.concludeLens({
      ref,
      attempt,
      outcome: {
        seen: null,
        files,
        error: null,
        billing: null,
        replaced: progress.replaced,
        startedAt: new Date(startedAt).toISOString(),
        ...ending,
      },
    });
    tellEnd(lensEnd(outcome));
    return outcome;
  });
}

function settled(seen: LensSeen): Ending {
  const { failure, state } = seen;
  if (state === 'completed') return { status: 'completed', seen };
  if (state === 'expired') {
    const message = 'the service let the analysis expire after its file was handed in';
    return { status: 'expired', seen, error: failure ?? { code: null, message } };
  }
  return { status: state === 'failed' ? 'failed' : 'cancelled', seen, error: failure };
}

function unsettled(
  end: Exclude<WaitEnd<unknown>, { kind: 'settled' }>,
  seen: LensSeen | null,
): Ending {
  if (end.kind === 'refused') {
    const { code, message } = end;
    return { status: 'refused', seen, error: { code, message } };
  }
  const message = 'the analysis had not settled at the deadline';
  return { status: 'expired', seen, error: { code: 'deadline', message } };
}
