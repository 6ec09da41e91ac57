import {
  claimState,
  isSameOwner,
  type Claim,
  type Decision,
  type Receipt,
  type Ruling,
} from '../../../src/domain/claims';

const owner = { workflowId: 'work-1', run: 'lane-0-1' };
const claim: Claim = {
  owner,
  kind: 'send',
  nonce: 'n',
  notAfter: 1_000,
  claimedAt: 500,
  afterUnknown: false,
};
const closed: Claim = { ...claim, kind: 'closed' };
const doubtful: Claim = { ...claim, afterUnknown: true };

const accepted: Receipt = { kind: 'accepted', certidaoId: 'c-1', at: 600 };
const refused: Receipt = { kind: 'refused', status: 400, code: 'x', at: 600 };
const notSent: Receipt = { kind: 'not_sent', reason: 'x', at: 600 };
const unknown: Receipt = { kind: 'unknown', reason: 'reset', at: 600 };
const rulingOf = (action: Ruling['action'], certidaoId: string | null = null): Ruling => ({
  action,
  certidaoId,
  by: 'ana',
  note: '',
  at: 700,
});

const decision = (fields: Partial<Decision> & { claim?: Decision['claim'] } = {}): Decision => ({
  n: 4,
  claim,
  receipt: null,
  ruling: null,
  ...fields,
});
const stateOf = (fields: Partial<Decision>, now = 900) =>
  claimState({ last: decision(fields) }, now);

it('is free for the first decision when there was none', () => {
  expect(claimState({ last: null }, 0)).toEqual({ kind: 'free', afterUnknown: false });
});

describe('without a receipt', () => {
  it('is in flight up to the last instant, and unknown after it', () => {
    expect(stateOf({}, 1_000)).toEqual({ kind: 'in_flight', n: 4, notAfter: 1_000, owner });
    expect(stateOf({}, 1_001)).toMatchObject({ kind: 'unknown', n: 4, owner });
  });

  it('is unknown when the claim cannot be read: it may have been sent', () => {
    expect(stateOf({ claim: 'unreadable' }, 0)).toMatchObject({
      kind: 'unknown',
      n: 4,
      owner: null,
    });
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
      certidaoId: 'c-1',
      at: 600,
      owner,
      afterUnknown: false,
    });
  });

  it('is accepted even if the claim cannot be read', () => {
    expect(stateOf({ claim: 'unreadable', receipt: accepted })).toMatchObject({
      kind: 'accepted',
      owner: null,
    });
  });

  it.each([refused, notSent])('is free for the next decision after $kind', (receipt) => {
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

describe('with a ruling', () => {
  it.each([rulingOf('reissue'), rulingOf('abandon')])(
    'is free after $action, and remembers that the outcome was unknown',
    (ruling) => {
      for (const receipt of [null, unknown, accepted]) {
        expect(stateOf({ receipt, ruling })).toEqual({ kind: 'free', afterUnknown: true });
      }
    },
  );

  it('remembers nothing unknown when surely nothing was bought', () => {
    for (const receipt of [refused, notSent]) {
      expect(stateOf({ receipt, ruling: rulingOf('reissue') })).toEqual({
        kind: 'free',
        afterUnknown: false,
      });
    }
  });

  it('is accepted under the id that a person adopted', () => {
    expect(stateOf({ receipt: unknown, ruling: rulingOf('adopt', 'c-9') })).toEqual({
      kind: 'accepted',
      n: 4,
      certidaoId: 'c-9',
      at: 700,
      owner,
      afterUnknown: false,
    });
  });

  it('keeps the id of a receipt that came late over an adopted one', () => {
    const ruling = rulingOf('adopt', 'c-9');
    expect(stateOf({ receipt: accepted, ruling })).toMatchObject({ certidaoId: 'c-1', at: 600 });
  });

  it('ignores an adoption that names nothing', () => {
    expect(stateOf({ receipt: unknown, ruling: rulingOf('adopt') })).toMatchObject({
      kind: 'unknown',
    });
  });
});

describe('after an unknown decision', () => {
  it.each([
    ['a refusal', { receipt: refused }],
    ['nothing sent', { receipt: notSent }],
    ['nothing sent and a ruling', { receipt: notSent, ruling: rulingOf('reissue') }],
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
    ['adopted', { ruling: rulingOf('adopt', 'c-9') }],
  ])('shows the doubt on an issuance that was %s', (_words, fields) => {
    expect(stateOf({ claim: doubtful, ...fields })).toMatchObject({
      kind: 'accepted',
      afterUnknown: true,
    });
  });
});

it('takes owners for the same only when workflow and run are', () => {
  expect(isSameOwner(owner, { ...owner })).toBe(true);
  expect(isSameOwner(owner, { ...owner, run: 'lane-0-2' })).toBe(false);
  expect(isSameOwner(owner, { ...owner, workflowId: 'work-2' })).toBe(false);
});
