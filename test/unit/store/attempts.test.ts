import {
  attemptOf,
  latestAttempt,
  type Attempt,
  type Claim,
  type Receipt,
  type Resolution,
} from '../../../src/domain/core/service/attempts';
import type { AttemptRepository } from '../../../src/store/core/attempts';
import { endDoubt, newEpoch } from '../../../src/store/epoch';
import { statement } from '../../../src/store/statement';
import { TemporaryStore, notesAbout } from '../../support/temporary-store';

const subject = `certificate/cnpj/${'a1'.repeat(16)}`;
const owner = { workflowId: 'work-1', chunk: 'lane-0-1' };
const others = { workflowId: 'work-2', chunk: 'lane-0-1' };

const claimOf = (fields: Partial<Claim> = {}): Claim => ({
  owner,
  kind: 'send',
  nonce: 'nonce-1',
  answerBy: 5_000,
  claimedAt: 1_000,
  afterUnknown: false,
  ...fields,
});
const accepted = (externalId: string): Receipt => ({ kind: 'accepted', externalId, at: 2_000 });
const refused: Receipt = { kind: 'refused', status: 422, code: 'x', at: 2_000 };
const notSent: Receipt = { kind: 'not_sent', reason: 'answered 429', at: 2_000 };
const unknown: Receipt = { kind: 'unknown', reason: 'reset', at: 2_000 };
const resolutionOf = (fields: Partial<Resolution> = {}): Resolution => ({
  action: 'abandon',
  externalId: null,
  by: 'ana',
  note: 'paid',
  at: 3,
  ...fields,
});

const entry = { kind: 'backup', id: 'b', result: 'settled', by: 'ana', happenedAt: 't' } as const;

let place: TemporaryStore;
let attempts: AttemptRepository;

beforeEach(() => {
  place = new TemporaryStore();
  attempts = place.store.attempts;
});

afterEach(() => place.remove());

const take = (of: string, n: number, one: Claim) => attempts.claim(of, n, one, 'job');

async function attempt(n: number): Promise<Attempt> {
  const found = (await attempts.of(subject)).find((one) => one.n === n);
  if (found === undefined) throw new Error(`no attempt ${n}`);
  return found;
}

async function receive(n: number, receipt: Receipt): Promise<Receipt> {
  return attempts.putReceipt(subject, await attempt(n), receipt);
}

describe('a claim', () => {
  it('does not commit once its job was stopped, and that of another job does', async () => {
    const { jobs } = place.store;
    await jobs.start('job', { id: 'j', kind: 'lens', createdAt: 't', label: null }, {});
    await jobs.stop('job', 'paused');
    expect(await take(subject, 1, claimOf())).toBe('paused');
    expect(await attempts.claim('certificate/cnpj/b', 1, claimOf(), 'another')).toBe('ours');
    await jobs.release('job', 'paused');
    expect(await take(subject, 1, claimOf())).toBe('ours');
    await receive(1, notSent);
    await jobs.stop('job', 'cancelled');
    await jobs.stop('job', 'paused');
    await jobs.release('job', 'paused');
    expect(await take(subject, 2, claimOf({ nonce: 'nonce-2' }))).toBe('cancelled');
    // Its own commit landed before the mark, and the answer to it was lost.
    expect(await take(subject, 1, claimOf())).toBe('ours');
  });

  it('of a store that was restored is unknown first, and a person decides before it is sent', async () => {
    const bought = 'certificate/cnpj/before';
    await take(bought, 1, claimOf({ claimedAt: 500 }));
    for (const one of await attempts.of(bought))
      await attempts.putReceipt(bought, one, accepted('id-1'));
    await place.store.commit([statement('UPDATE install SET doubt_since = 1000')]);
    expect(await take(subject, 1, claimOf())).toBe('taken');
    expect(await take(bought, 2, claimOf({ nonce: 'nonce-2' }))).toBe('taken');
    const reason = expect.stringContaining('restored from a backup');
    const doubtful = {
      claim: { owner: { workflowId: 'restore' } },
      receipt: { kind: 'unknown', reason },
    };
    expect(await attempts.of(subject)).toMatchObject([doubtful]);
    expect(await attempts.of(bought)).toMatchObject([{ n: 1 }, { n: 2, ...doubtful }]);

    // Nobody is given it before a person has decided, and then once.
    expect(await take(subject, 2, claimOf())).toBe('taken');
    await attempts.resolve(subject, 1, resolutionOf({ action: 'reissue' }));
    expect(await take(subject, 2, claimOf({ afterUnknown: true }))).toBe('ours');

    await endDoubt(place.store, entry);
    expect(await take('certificate/cnpj/new', 1, claimOf())).toBe('ours');
  });

  it('is refused to a process that opened the store before it was restored', async () => {
    await place.store.commit(newEpoch(1_000));
    await expect(take(subject, 1, claimOf())).rejects.toMatchObject({ code: 'gone' });
    expect(await attempts.of(subject)).toEqual([]);
  });

  it('is given to one of many that want it at once', async () => {
    const claims = Array.from({ length: 30 }, (_, n) => claimOf({ nonce: `n-${n}` }));
    const results = await Promise.all(claims.map((claim) => take(subject, 1, claim)));
    expect(results.filter((result) => result === 'ours')).toHaveLength(1);
    expect((await attempt(1)).claim).toEqual(claims[results.indexOf('ours')]);
  });

  it('is ours when our commit landed and its answer was lost', async () => {
    await take(subject, 1, claimOf());
    expect(await take(subject, 1, claimOf())).toBe('ours');
    expect(await take(subject, 1, claimOf({ nonce: 'another' }))).toBe('taken');
  });

  it.each<[string, Receipt | null]>([
    ['in flight', null],
    ['unknown', unknown],
  ])('is not given under a later number while an earlier one is %s', async (_word, receipt) => {
    await take(subject, 1, claimOf());
    if (receipt !== null) await receive(1, receipt);
    const later = claimOf({ owner: others, nonce: 'later' });
    expect(await take(subject, 2, later)).toBe('taken');
    await attempts.resolve(subject, 1, resolutionOf({ action: 'reissue' }));
    expect(await take(subject, 2, later)).toBe('ours');
  });

  it.each([accepted('c-1'), refused, notSent])('is given after one that was $kind', async (one) => {
    await take(subject, 1, claimOf());
    await receive(1, one);
    const later = claimOf({ owner: others, nonce: 'later' });
    expect(await take(subject, 2, later)).toBe('ours');
  });

  it.each([accepted('c-1'), refused])(
    'is not given to the same run after it was $kind',
    async (one) => {
      await take(subject, 1, claimOf());
      await receive(1, one);
      expect(await take(subject, 2, claimOf({ nonce: 'again' }))).toBe('taken');
    },
  );

  it('keeps subjects apart whose names begin alike', async () => {
    await take(`${subject}0`, 3, claimOf());
    expect(await attempts.of(subject)).toEqual([]);
    expect(await attempts.subjects('certificate/')).toEqual([`${subject}0`]);
    expect(await attempts.subjects('credit/')).toEqual([]);
  });

  it('is read back with all it says, over nine of them in order', async () => {
    for (let n = 1; n <= 12; n += 1) {
      const claim = claimOf({ nonce: `n-${n}`, owner: { ...owner, chunk: `${n}` } });
      await take(subject, n, { ...claim, afterUnknown: n === 12 });
      await receive(n, n === 11 ? accepted('c-11') : refused);
    }
    const all = await attempts.of(subject);
    expect(all.map(({ n }) => n)).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
    expect(all.at(-1)).toEqual({
      n: 12,
      claim: claimOf({ nonce: 'n-12', owner: { ...owner, chunk: '12' }, afterUnknown: true }),
      receipt: refused,
      resolution: null,
    });
  });
});

describe('a receipt', () => {
  beforeEach(() => take(subject, 1, claimOf()));

  it('stands when it is the first, and answers those that come after it', async () => {
    expect(await receive(1, accepted('c-1'))).toEqual(accepted('c-1'));
    expect(await receive(1, unknown)).toEqual(accepted('c-1'));
    expect((await attempt(1)).receipt).toEqual(accepted('c-1'));
  });

  it.each([refused, notSent, unknown])('says why it was $kind', async (receipt) => {
    await receive(1, receipt);
    expect((await attempt(1)).receipt).toEqual(receipt);
  });

  it('is not written on what another claimed under the same number', async () => {
    const other = { n: 1, claim: claimOf({ nonce: 'another' }) };
    await attempts.putReceipt(subject, other, notSent);
    expect((await attempt(1)).receipt).toBeNull();
  });
});

describe('a resolution', () => {
  beforeEach(() => take(subject, 1, claimOf()));

  it('stands when it is the last, over nine too, and those before it are kept', async () => {
    for (let at = 1; at <= 12; at += 1) {
      await attempts.resolve(subject, 1, resolutionOf({ at, note: `${at}` }));
      expect((await attempt(1)).resolution).toEqual(resolutionOf({ at, note: `${at}` }));
    }
    expect(await notesAbout(place.store, subject)).toHaveLength(12);
  });

  it('is made once when the same decision is carried out again', async () => {
    await attempts.resolve(subject, 1, resolutionOf({ at: 1 }));
    await attempts.resolve(subject, 1, resolutionOf({ at: 2 }));
    await attempts.resolve(subject, 1, resolutionOf({ at: 1 }));
    expect(await notesAbout(place.store, subject)).toHaveLength(2);
    expect((await attempt(1)).resolution).toMatchObject({ at: 2 });
  });

  it('is not lost when many decide at once', async () => {
    const all = Array.from({ length: 10 }, (_, at) => resolutionOf({ at }));
    await Promise.all(all.map((one) => attempts.resolve(subject, 1, one)));
    expect(await notesAbout(place.store, subject)).toHaveLength(10);
  });

  it('is of one attempt alone', async () => {
    await attempts.resolve(subject, 1, resolutionOf({ action: 'reissue' }));
    await take(subject, 2, claimOf({ nonce: 'n-2', owner: others }));
    expect((await attempt(2)).resolution).toBeNull();
    expect((await attempt(1)).resolution).toMatchObject({ action: 'reissue' });
  });

  it('leaves room for the receipt that comes late', async () => {
    await attempts.resolve(subject, 1, resolutionOf({ action: 'reissue' }));
    await take(subject, 2, claimOf({ nonce: 'n-2', owner: others }));
    await receive(1, accepted('c-late'));
    expect((await attempt(1)).receipt).toEqual(accepted('c-late'));
  });
});

describe('a request with a key', () => {
  const mine = claimOf({ owner: { workflowId: 'w', chunk: '1-a' }, nonce: 'a' });
  const theirs = claimOf({ owner: { workflowId: 'w', chunk: '1-b' }, nonce: 'b', answerBy: 9_000 });

  it('goes again under the claim that stands, and only who joined last says that nothing was done', async () => {
    expect(await attempts.take(subject, mine, 'job')).toEqual({ n: 1, claim: mine, isNew: true });
    const joined = { ...mine, owner: theirs.owner, answerBy: 9_000 };
    expect(await attempts.take(subject, theirs, 'job')).toEqual({
      n: 1,
      claim: joined,
      isNew: false,
    });
    expect(await attempts.putReceipt(subject, { n: 1, claim: mine }, refused)).toEqual(refused);
    expect((await attempt(1)).receipt).toBeNull();
    await attempts.putReceipt(subject, { n: 1, claim: mine }, accepted('c-1'));
    expect(await receive(1, unknown)).toEqual(accepted('c-1'));
  });

  it('takes the next number after a receipt, and keeps what is reported with an id', async () => {
    const reported = { billing: { amount: 2 } };
    await attempts.take(subject, mine, 'job');
    await receive(1, { ...accepted('c-1'), reported } as Receipt);
    expect((await attempt(1)).receipt).toEqual({ ...accepted('c-1'), reported });
    expect(await attempts.take(subject, theirs, 'job')).toMatchObject({ n: 2, isNew: true });
  });

  it('is not sent, first or again, once its job was stopped', async () => {
    const { jobs } = place.store;
    await jobs.start('job', { id: 'j', kind: 'trace', createdAt: 't', label: null }, {});
    await jobs.stop('job', 'cancelled');
    expect(await attempts.take(subject, mine, 'job')).toBe('cancelled');
    expect(await attempts.of(subject)).toEqual([]);
    await attempts.take(subject, mine, 'another');
    expect(await attempts.take(subject, theirs, 'job')).toBe('cancelled');
    expect((await attempt(1)).claim).toEqual(mine);
  });

  it('is not joined by a process that opened the store before it was restored', async () => {
    await attempts.take(subject, mine, 'job');
    await place.store.commit(newEpoch(1_000));
    await expect(attempts.take(subject, theirs, 'job')).rejects.toMatchObject({ code: 'gone' });
    expect((await attempt(1)).claim).toEqual(mine);
  });

  it('that is found on a list is of one subject alone', async () => {
    const [first, second] = ['trace/a', 'trace/b'];
    for (const one of [first, second]) await attempts.take(one, mine, 'job');
    const found = { kind: 'accepted', externalId: 't-1', at: 2_000 } as const;
    const claims = [first, second].map((one) =>
      attempts.putFound(one, { n: 1, claim: mine }, found, []),
    );
    expect(new Set(await Promise.all(claims))).toEqual(new Set([false, true]));
    expect([first, second]).toContain(await attempts.holderOfTrace('t-1'));
    expect(await attempts.holderOfTrace('t-2')).toBeNull();
  });
});

describe('closing a run', () => {
  it('leaves a closed attempt under which it sends no more', async () => {
    expect(await attempts.close(subject, owner, 9)).toMatchObject({
      n: 1,
      claim: { kind: 'closed', owner, claimedAt: 9 },
    });
    expect(await take(subject, 2, claimOf())).toBe('taken');
    expect(await take(subject, 2, claimOf({ owner: others }))).toBe('ours');
  });

  it('closes nothing twice', async () => {
    await attempts.close(subject, owner, 9);
    await attempts.close(subject, owner, 10);
    expect(await attempts.of(subject)).toHaveLength(1);
  });

  it.each([null, accepted('c-1'), refused, unknown])(
    'gives what has left, whatever came of it: %j',
    async (receipt) => {
      await take(subject, 1, claimOf());
      if (receipt !== null) await receive(1, receipt);
      const another = { ...owner, run: 'lane-0-2' };
      if (receipt?.kind === 'refused') {
        await take(subject, 2, claimOf({ owner: another, nonce: 'n-2' }));
      }
      expect(await attempts.close(subject, owner, 9)).toMatchObject({ n: 1, receipt });
      expect((await attempts.of(subject)).every(({ claim }) => claim.kind === 'send')).toBe(true);
    },
  );

  it('closes a run whose last try surely never left, and which may try again', async () => {
    await take(subject, 1, claimOf());
    await receive(1, notSent);
    await take(subject, 2, claimOf({ nonce: 'n-2' }));
    await receive(2, notSent);
    expect(await attempts.close(subject, owner, 9)).toMatchObject({
      n: 3,
      claim: { kind: 'closed' },
    });
    expect(await take(subject, 4, claimOf({ nonce: 'n-4' }))).toBe('taken');
  });

  it.each<[string, Receipt]>([
    ['bought', accepted('c-1')],
    ['unknown', unknown],
  ])(
    'frees nothing that another run has %s, though its number is higher',
    async (_word, receipt) => {
      await take(subject, 1, claimOf({ owner: others }));
      await receive(1, receipt);
      await attempts.close(subject, owner, 9);
      const all = await attempts.of(subject);
      expect(attemptOf(all, owner)).toMatchObject({ n: 2, claim: { kind: 'closed' } });
      expect(latestAttempt(all)).toMatchObject({ n: 1, receipt });
    },
  );
});
