import {
  claimMarginMs,
  claimNext,
  ownerOf,
  sendKeyed,
  sendUnder,
  type NotClaimed,
} from '../../../src/activities/core/attempt';
import { subjectState, type Taken } from '../../../src/domain/core/service/attempts';
import type { BeforeSend } from '../../../src/apis/http/call';
import { StatusError } from '../../../src/apis/http/errors';
import { TemporaryStore } from '../../support/temporary-store';

/** The fence of everything that is bought: claim, the last look at the clock, send, receipt. */

const subject = 'certificate/cnpj/ab';
const job = 'works/certificate/1';
const timeoutMs = 30_000;
let place: TemporaryStore;
let ahead: number;
let sent: number;
const now = (): number => Date.now() + ahead;

beforeEach(async () => {
  place = new TemporaryStore();
  const createdAt = new Date().toISOString();
  const start = { id: 'certificate/1', kind: 'certificate', createdAt, label: null } as const;
  await place.store.jobs.start(job, start, {});
  ahead = 0;
  sent = 0;
});
afterEach(() => place.remove());

/** As the service calls: the claim right before the bytes, and the last look with nothing awaited after it. */
const dispatch =
  (answer: () => string = () => 'id-1', frozenMs = 0) =>
  async (before: BeforeSend): Promise<string> => {
    const check = await before();
    ahead += frozenMs;
    check?.();
    sent += 1;
    return answer();
  };

const ways = {
  keyless: (send = dispatch(), sendBy = Infinity, mayClaim = () => true) =>
    sendUnder<string>(claim, send, { now, sendBy, mayClaim }),
  keyed: (send = dispatch(), sendBy = Infinity) =>
    sendKeyed<string>(
      {
        subject,
        job,
        by: { jobId: 'w', number: 1 },
        attempts: place.store.attempts,
        timeoutMs,
        now,
        sendBy,
      },
      send,
    ),
};
const kinds = ['keyless', 'keyed'] as const;

function claim(): Promise<Taken | NotClaimed> {
  return claimNext({
    attempts: place.store.attempts,
    subject,
    job,
    n: 1,
    owner: ownerOf({ jobId: 'w', number: 1 }),
    timeoutMs,
    afterUnknown: false,
    patience: { now, mayWait: () => true },
  });
}

const claims = () => place.store.attempts.of(subject);

describe.each(kinds)('a request that is %s', (kind) => {
  const way = ways[kind];

  it('leaves under a claim that stands before it does', async () => {
    const stood: number[] = [];
    const send = async (before: BeforeSend): Promise<string> => {
      const check = await before();
      check?.();
      stood.push((await claims()).length);
      return 'id-1';
    };
    expect(await way(send)).toMatchObject({
      kind: 'answered',
      answer: 'id-1',
      taken: { n: 1, isNew: true },
    });
    expect(stood).toEqual([1]);
  });

  it.each(['cancelled', 'paused'] as const)('is not claimed once its job is %s', async (word) => {
    await place.store.jobs.stop(job, word);
    expect(await way()).toEqual({ kind: 'stopped', why: word });
    expect({ sent, claims: await claims() }).toEqual({ sent: 0, claims: [] });
  });

  it('is not claimed from the deadline on', async () => {
    expect(await way(dispatch(), now())).toEqual({ kind: 'stopped', why: 'late' });
    expect({ sent, claims: await claims() }).toEqual({ sent: 0, claims: [] });
  });

  it.each([
    ['the deadline has passed', 2_000, 1_000],
    ['its claim is old', claimMarginMs + 1, Infinity],
  ])(
    'does not leave when its process froze after the claim, and %s',
    async (_, frozenMs, leftMs) => {
      await way(dispatch(undefined, frozenMs), now() + leftMs);
      expect(sent).toBe(0);
      const [claimed, ...more] = await claims();
      expect(more).toEqual([]);
      // Of a keyless one, the receipt is written by who asked for it.
      expect(claimed?.receipt?.kind).toBe(kind === 'keyed' ? 'not_sent' : undefined);
    },
  );

  it('says that it stays open when its answer is lost', async () => {
    const lost = dispatch(() => {
      throw new StatusError({ method: 'POST', pathTemplate: '/' }, lostStatus);
    });
    const came = await Promise.resolve(way(lost)).catch((error: unknown) => error);
    if (kind === 'keyless')
      expect(came).toMatchObject({ kind: 'failed', received: { receipt: { kind: 'unknown' } } });
    else expect(came).toBeInstanceOf(StatusError);
    expect(subjectState(await claims(), now()).kind).toBe('in_flight');
    ahead += timeoutMs + claimMarginMs + 1;
    expect(subjectState(await claims(), now()).kind).toBe('unknown');
  });

  it('throws what came before the claim, and leaves none', async () => {
    const away = new Error('no permit');
    await expect(way(() => Promise.reject(away))).rejects.toBe(away);
    expect(await claims()).toEqual([]);
  });
});

it('of two that decided on the same number, one is sent', async () => {
  const [one, other] = await Promise.all([ways.keyless(), ways.keyless()]);
  expect([one.kind, other.kind].toSorted()).toEqual(['answered', 'stopped']);
  expect(sent).toBe(1);
});

it('is not claimed by a process that may have lost its work to another', async () => {
  expect(await ways.keyless(dispatch(), Infinity, () => false)).toEqual({
    kind: 'stopped',
    why: 'late',
  });
  expect(await claims()).toEqual([]);
});

it('goes again with its key under the claim that stands, and not after the deadline', async () => {
  const lost = dispatch(() => {
    throw new StatusError({ method: 'POST', pathTemplate: '/' }, lostStatus);
  });
  await ways.keyed(lost).catch(() => undefined);
  expect(await ways.keyed()).toMatchObject({ kind: 'answered', taken: { n: 1, isNew: false } });
  expect(await ways.keyed(dispatch(), now())).toEqual({ kind: 'stopped', why: 'late' });
  expect(sent).toBe(2);
});

const lostStatus = {
  status: 500,
  code: null,
  detail: null,
  requestId: null,
  retryable: null,
  retryAfterMs: null,
  location: null,
  elsewhere: false,
  wasNotProcessed: false,
  hasProblem: false,
};
