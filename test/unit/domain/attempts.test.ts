import {
  attemptOf,
  attemptState,
  nextNumber,
  sentBy,
  latestAttempt,
  subjectState,
  type Attempt,
  type Claim,
  type Receipt,
  type Resolution,
} from '../../../src/domain/core/service/attempts';

const owner = { workflowId: 'work-1', chunk: 'lane-0-1' };
const claim: Claim = {
  owner,
  kind: 'send',
  nonce: 'n',
  answerBy: 1_000,
  claimedAt: 500,
  afterUnknown: false,
};
const closed: Claim = { ...claim, kind: 'closed' };
const doubtful: Claim = { ...claim, afterUnknown: true };

const accepted: Receipt = { kind: 'accepted', externalId: 'c-1', at: 600 };
const refused: Receipt = { kind: 'refused', status: 400, code: 'x', at: 600 };
const notSent: Receipt = { kind: 'not_sent', reason: 'x', at: 600 };
const unknown: Receipt = { kind: 'unknown', reason: 'reset', at: 600 };
const resolved = (action: Resolution['action'], externalId: string | null = null): Resolution => ({
  action,
  externalId,
  by: 'ana',
  note: '',
  at: 700,
});

const attempt = (fields: Partial<Attempt> = {}): Attempt => ({
  n: 4,
  claim,
  receipt: null,
  resolution: null,
  ...fields,
});
const stateOf = (fields: Partial<Attempt>, now = 900) => attemptState(attempt(fields), now);

it('is free for the first attempt when there was none', () => {
  expect(subjectState([], 0)).toEqual({ kind: 'free', afterUnknown: false });
  expect(nextNumber([])).toBe(1);
});

describe('without a receipt', () => {
  it('is in flight up to the last instant, and unknown after it', () => {
    expect(stateOf({}, 1_000)).toEqual({ kind: 'in_flight', n: 4, answerBy: 1_000, owner });
    expect(stateOf({}, 1_001)).toMatchObject({ kind: 'unknown', n: 4, owner });
  });

  it('is free at once when a recovery closed it', () => {
    expect(stateOf({ claim: closed })).toEqual({ kind: 'free', afterUnknown: false });
  });
});

describe('with a receipt', () => {
  it('is accepted under the id that came', () => {
    expect(stateOf({ receipt: accepted })).toEqual({
      kind: 'accepted',
      n: 4,
      externalId: 'c-1',
      at: 600,
      owner,
      afterUnknown: false,
    });
  });

  it.each([refused, notSent])('is free for the next attempt after $kind', (receipt) => {
    expect(stateOf({ receipt }, 5_000)).toEqual({ kind: 'free', afterUnknown: false });
  });

  it('is unknown at once when the sender says so, for its reason', () => {
    expect(stateOf({ receipt: unknown })).toEqual({
      kind: 'unknown',
      afterUnknown: false,
      n: 4,
      reason: 'reset',
      owner,
    });
  });
});

describe('with a resolution', () => {
  it.each([resolved('reissue'), resolved('abandon')])(
    'is free after $action, and remembers that the outcome was unknown',
    (resolution) => {
      for (const receipt of [null, unknown, accepted]) {
        expect(stateOf({ receipt, resolution })).toEqual({ kind: 'free', afterUnknown: true });
      }
    },
  );

  it('remembers nothing unknown when surely nothing was bought', () => {
    for (const receipt of [refused, notSent]) {
      expect(stateOf({ receipt, resolution: resolved('reissue') })).toEqual({
        kind: 'free',
        afterUnknown: false,
      });
    }
  });

  it('is accepted under the id that a person adopted', () => {
    expect(stateOf({ receipt: unknown, resolution: resolved('adopt', 'c-9') })).toEqual({
      kind: 'accepted',
      n: 4,
      externalId: 'c-9',
      at: 700,
      owner,
      afterUnknown: false,
    });
  });

  it('keeps the id of a receipt that came late over an adopted one', () => {
    const resolution = resolved('adopt', 'c-9');
    expect(stateOf({ receipt: accepted, resolution })).toMatchObject({
      externalId: 'c-1',
      at: 600,
    });
  });

  it('ignores an adoption that names nothing', () => {
    expect(stateOf({ receipt: unknown, resolution: resolved('adopt') })).toMatchObject({
      kind: 'unknown',
    });
  });
});

describe('after an unknown attempt', () => {
  it.each([
    ['a refusal', { receipt: refused }],
    ['nothing sent', { receipt: notSent }],
    ['nothing sent and a resolution', { receipt: notSent, resolution: resolved('reissue') }],
  ])('carries the doubt on over %s', (_words, fields) => {
    expect(stateOf({ claim: doubtful, ...fields })).toMatchObject({
      kind: 'free',
      afterUnknown: true,
    });
  });

  it('carries the doubt on over a closed door', () => {
    expect(stateOf({ claim: { ...closed, afterUnknown: true } })).toMatchObject({
      kind: 'free',
      afterUnknown: true,
    });
  });

  it.each([
    ['accepted', { receipt: accepted }],
    ['adopted', { resolution: resolved('adopt', 'c-9') }],
  ])('shows the doubt on an issuance that was %s', (_words, fields) => {
    expect(stateOf({ claim: doubtful, ...fields })).toMatchObject({
      kind: 'accepted',
      afterUnknown: true,
    });
  });
});

const of = (n: number, fields: Partial<Attempt> = {}): Attempt => attempt({ n, ...fields });

describe('of all attempts of a subject', () => {
  it.each<[string, Attempt[], number | null]>([
    ['the last that sent', [of(1, { receipt: refused }), of(2, { receipt: accepted })], 2],
    ['none, where only doors were shut', [of(1, { claim: closed })], null],
    [
      'what was bought before doors were shut',
      [of(1, { receipt: accepted }), of(2, { claim: closed })],
      1,
    ],
    [
      'one that nobody knows the end of, before all later ones',
      [of(1), of(2, { receipt: accepted })],
      1,
    ],
    [
      'an unknown one, before all later ones',
      [of(1, { receipt: unknown }), of(2, { receipt: refused })],
      1,
    ],
    [
      'not one that a person has resolved',
      [of(1, { receipt: unknown, resolution: resolved('reissue') }), of(2, { receipt: refused })],
      2,
    ],
  ])('counts %s', (_words, attempts, n) => {
    expect(latestAttempt(attempts)?.n ?? null).toBe(n);
  });

  it('gives the next one the number after all, closed ones too', () => {
    expect(nextNumber([of(1), of(2, { claim: closed })])).toBe(3);
  });

  it('finds what a run took last: workflow and run must be the same', () => {
    const others = { ...claim, owner: { ...owner, chunk: 'lane-0-2' } };
    const elsewhere = { ...claim, owner: { ...owner, workflowId: 'work-2' } };
    const attempts = [of(1), of(2), of(3, { claim: others }), of(4, { claim: elsewhere })];
    expect(attemptOf(attempts, owner)?.n).toBe(2);
    expect(attemptOf(attempts.slice(2), owner)).toBeNull();
  });

  it('counts what a workflow has sent, not what never left, was closed, or was sent by another', () => {
    const elsewhere = { ...claim, owner: { ...owner, workflowId: 'work-2' } };
    const sent = [of(1, { receipt: notSent }), of(2), of(3, { claim: closed })];
    expect(
      sentBy([...sent, of(4, { claim: elsewhere }), of(5, { receipt: accepted })], 'work-1'),
    ).toBe(2);
  });
});
