import { CancellationScope, isCancellation, setHandler } from '@temporalio/workflow';
import {
  mostReplacements,
  uploadExpiredCode,
  type LensFiles,
  type LensOutcome,
  type LensSeen,
} from '../domain/lens/analyze';
import { waitingForCredentials } from '../domain/settled-wait';
import { lensActivities } from './lens-activities';
import {
  cancelUpdate,
  lensProgressQuery,
  type AnalyzeLensInput,
  type LensProgress,
} from './messages';
import { tellAttention, tellLensEnd } from './search-attributes';
import { waitOn, type WaitEnd } from './wait-on';

type Ending = Pick<LensOutcome, 'status'> & Partial<Pick<LensOutcome, 'seen' | 'files' | 'error'>>;

/** What is found at the last moment is fetched all the same. */
const fetchingMs = 10 * 60_000;

/** One file, from the request for its analysis to what was found, put on file. */
export async function analyzeLens(input: AnalyzeLensInput): Promise<LensOutcome> {
  const { ref, deadlineAt, queueSuffix, interactive } = input;
  const activities = lensActivities(queueSuffix, interactive);
  const startedAt = Date.now();
  const waiting = new CancellationScope();
  const last = input.attempt + mostReplacements;
  let { attempt } = input;
  const progress: LensProgress = {
    kind: 'lens',
    stage: 'handing in',
    analysisId: null,
    replaced: [],
    waiting: null,
    startedAt,
  };
  setHandler(lensProgressQuery, () => ({ ...progress }));
  setHandler(cancelUpdate, () => {
    waiting.cancel();
    return 'cancelling: what was handed in goes on at the service';
  });
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
      if (value.kind !== 'upload_expired') {
        const status = value.kind === 'unknown' ? 'unknown_outcome' : 'refused';
        return { status, error: { code: value.code, message: value.message } };
      }
      progress.replaced.push({ attempt: at, analysisId: value.analysisId });
      if (at >= last) {
        const message = `${progress.replaced.length} uploads in a row did not arrive in time`;
        return { status: 'expired', error: { code: uploadExpiredCode, message } };
      }
    }
  }

  async function follow(analysisId: string, state: string): Promise<Ending> {
    const end = await waitOn(
      (order) => activities.awaitLens({ ...order, ref, analysisId }),
      { deadlineAt, since: Date.now(), seen: state },
      show,
    );
    if (end.kind !== 'settled') return unsettled(end, end);
    const seen = end.value;
    if (seen.artifacts === 0) return settled(seen, { filed: [], unfiled: [] });
    progress.stage = 'fetching';
    const fetched = await waitOn(
      (order) => activities.fileLens({ ...order, ref, analysisId }),
      {
        deadlineAt: Math.max(deadlineAt, Date.now() + fetchingMs),
        since: Date.now(),
        seen: 'fetching',
      },
      show,
    );
    return settled(seen, fetched.kind === 'refused' ? null : fetched.value);
  }

  return CancellationScope.nonCancellable(async () => {
    const ending = await waiting.run(run).catch((error: unknown): Ending => {
      if (isCancellation(error)) return { status: 'cancelled' };
      throw error;
    });
    progress.stage = 'done';
    progress.waiting = null;
    const outcome = await activities.concludeLens({
      ref,
      attempt,
      outcome: {
        seen: null,
        files: null,
        error: null,
        replaced: progress.replaced,
        startedAt: new Date(startedAt).toISOString(),
        ...ending,
      },
    });
    tellLensEnd(outcome);
    return outcome;
  });
}

function settled(seen: LensSeen, files: LensFiles | null): Ending {
  const { failure, state } = seen;
  if (state === 'completed') return { status: 'completed', seen, files };
  if (state === 'expired') {
    const message = 'the service let the analysis expire after its file was handed in';
    return { status: 'expired', seen, files, error: failure ?? { code: null, message } };
  }
  return { status: state === 'failed' ? 'failed' : 'cancelled', seen, files, error: failure };
}

function unsettled(
  end: Exclude<WaitEnd<unknown>, { kind: 'settled' }>,
  last: WaitEnd<LensSeen> | null,
): Ending {
  if (end.kind === 'refused') {
    const { code, message } = end;
    return { status: 'refused', error: { code, message } };
  }
  const seen = last?.kind === 'expired' ? last.value : null;
  const message = 'the analysis had not settled at the deadline';
  return { status: 'expired', seen, error: { code: 'deadline', message } };
}
