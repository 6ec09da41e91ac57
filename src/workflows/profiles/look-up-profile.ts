import { ApplicationFailure } from '@temporalio/common';
import { CancellationScope, isCancellation, setHandler, sleep } from '@temporalio/workflow';
import type { LookedUp, ProfileOutcome } from '../../domain/profiles/lookup';
import { endOf } from '../../domain/attention';
import {
  cancelUpdate,
  profileProgressQuery,
  type LookUpProfileInput,
  type ProfileProgress,
} from '../messages';
import { profileActivities } from './activities';
import { tellAttention, tellEnd } from '../core/search-attributes';
import { waitOn } from '../core/wait-on';

/** A rural query that took too long has time to become quick. */
const ruralPause = '30s';

type Found = Extract<LookedUp, { kind: 'found' }>;
type Ending = Pick<ProfileOutcome, 'status'> & Partial<ProfileOutcome>;

/** One profile, looked up and put on file. */
export async function lookUpProfile(input: LookUpProfileInput): Promise<ProfileOutcome> {
  const activities = profileActivities(input.queueSuffix, input.interactive);
  const startedAt = Date.now();
  const asking = new CancellationScope();
  let stage: ProfileProgress['stage'] = 'asking';
  let waiting: string | null = null;
  let refusedToken = false;
  setHandler(profileProgressQuery, () => ({ kind: 'profile', stage, waiting, startedAt }));
  setHandler(
    cancelUpdate,
    () => {
      asking.cancel();
      return 'cancelling';
    },
    {
      validator(_order) {
        if (stage !== 'done') return;
        throw ApplicationFailure.nonRetryable('it has ended: its end is put on file', 'TooLate');
      },
    },
  );
  CancellationScope.current().cancelRequested.catch(() => asking.cancel());

  /** Null: out of time. */
  async function ask(call: number): Promise<LookedUp | null> {
    const { ref, deadlineAt, interactive } = input;
    const end = await waitOn<LookedUp>(
      (order) =>
        activities.lookUpProfile({
          ...order,
          ref,
          call,
          ...(interactive !== undefined && { interactive }),
        }),
      { deadlineAt, since: Date.now(), seen: 'asking' },
      (visible) => {
        waiting = visible === 'asking' ? null : visible;
        tellAttention(waiting !== null);
      },
    );
    refusedToken = end.kind === 'expired' && waiting !== null;
    waiting = null;
    return end.kind === 'settled' ? end.value : null;
  }

  async function run(): Promise<Ending> {
    const first = await ask(1);
    if (first === null) return refusedToken ? lockedOut : expired;
    // What stands on file is returned when it is concluded.
    if (first.kind === 'ended') return { status: first.status };
    if (first.kind === 'no') {
      const { status, code, message } = first;
      return { status, error: { code, message } };
    }
    const second = await again(first);
    return { ...found(second ?? first), answered: second === null ? 1 : 2 };
  }

  /** Null: it was not asked again, or not had. The first answer stands whatever comes of it. */
  async function again(first: Found): Promise<Found | null> {
    if (!input.retryRural || first.rural === 'told') return null;
    try {
      stage = 'asking again';
      await asking.run(() => sleep(ruralPause));
      const second = await asking.run(() => ask(2));
      return second?.kind === 'found' ? second : null;
    } catch (error) {
      if (isCancellation(error)) return null;
      throw error;
    }
  }

  return CancellationScope.nonCancellable(async () => {
    const ending = await asking.run(run).catch((error: unknown): Ending => {
      if (isCancellation(error)) return { status: 'cancelled' };
      throw error;
    });
    stage = 'done';
    const outcome = await activities.concludeProfile({
      ref: input.ref,
      outcome: {
        rural: null,
        counts: null,
        sha256: null,
        call: null,
        answered: 0,
        error: null,
        startedAt: new Date(startedAt).toISOString(),
        ...ending,
      },
    });
    tellEnd(endOf('profile', outcome.status));
    return outcome;
  });
}

const expired: Ending = {
  status: 'expired',
  error: { code: 'deadline', message: 'the service had not answered at the deadline' },
};

const lockedOut: Ending = {
  status: 'expired',
  error: { code: 'credentials', message: 'the service refused our token until the deadline' },
};

function found({ rural, counts, sha256, call }: Found): Ending {
  return { status: 'found', rural, counts, sha256, call };
}
