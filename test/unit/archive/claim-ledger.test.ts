import type { Archive } from '../../../src/archive/archive';
import { ClaimLedger, certificateThing } from '../../../src/archive/claim-ledger';
import type { Claim, Receipt, Ruling } from '../../../src/domain/claims';
import { claimState } from '../../../src/domain/claims';
import { TemporaryArchive } from '../../support/temporary-archive';

const thing = certificateThing('cnpj', 'a1'.repeat(16));
const owner = { workflowId: 'work-1', run: 'lane-0-1' };

const claimOf = (fields: Partial<Claim> = {}): Claim => ({
  owner,
  kind: 'send',
  nonce: 'nonce-1',
  notAfter: 5_000,
  claimedAt: 1_000,
  afterUnknown: false,
  ...fields,
});
const accepted = (certidaoId: string): Receipt => ({ kind: 'accepted', certidaoId, at: 2_000 });

let place: TemporaryArchive;
let ledger: ClaimLedger;

beforeEach(() => {
  place = new TemporaryArchive();
  ledger = new ClaimLedger(place.archive);
});

afterEach(() => place.remove());

function spoil(key: string, text: string): void {
  place.spoil(key, text);
}

it('knows no decision of a thing that was never claimed', async () => {
  expect(await ledger.history(thing)).toEqual({ last: null, decided: 0 });
});

it('names the folder of a thing by type and keyed name', () => {
  expect(thing.key).toBe(`claims/certificate/cnpj/a1/${'a1'.repeat(16)}`);
  expect(certificateThing('trabalhista', 'a1'.repeat(16)).key).not.toBe(thing.key);
});

it('gives one decision to one of many that claim it at once', async () => {
  const results = await Promise.all(
    Array.from({ length: 30 }, (_, n) => ledger.claim(thing, 1, claimOf({ nonce: `n-${n}` }))),
  );
  expect(results.filter((result) => result === 'ours')).toHaveLength(1);
  const winner = results.indexOf('ours');
  expect((await ledger.history(thing)).last?.claim).toEqual(claimOf({ nonce: `n-${winner}` }));
});

it('takes a claim for ours when our put landed and its answer was lost', async () => {
  await ledger.claim(thing, 1, claimOf());
  expect(await ledger.claim(thing, 1, claimOf())).toBe('ours');
  expect(await ledger.claim(thing, 1, claimOf({ nonce: 'another' }))).toBe('taken');
});

it('does not take a claim for ours that cannot be read', async () => {
  spoil(`${thing.key}/000001.claim.json`, '{"owner":{"workflowId":"work-1"');
  expect(await ledger.claim(thing, 1, claimOf())).toBe('taken');
});

it.each(['', '{"owner":{"workf', 'not json'])(
  'counts the unreadable claim %j as one to send',
  async (text) => {
    spoil(`${thing.key}/000001.claim.json`, text);
    const history = await ledger.history(thing);
    expect(history).toEqual({
      last: { n: 1, claim: 'unreadable', receipt: null, ruling: null },
      decided: 1,
    });
    expect(claimState(history, 0)).toMatchObject({ kind: 'unknown', n: 1, owner: null });
  },
);

it('reads the decision with the highest number, over nine too', async () => {
  for (let n = 1; n <= 12; n += 1) await ledger.claim(thing, n, claimOf({ nonce: `n-${n}` }));
  await ledger.putReceipt(thing, 11, accepted('c-11'));
  expect(await ledger.history(thing)).toMatchObject({
    last: { n: 12, claim: { nonce: 'n-12' }, receipt: null },
    decided: 12,
  });
});

it('keeps things apart whose names begin alike', async () => {
  const longer = { key: `${thing.key}0` };
  await ledger.claim(longer, 3, claimOf());
  expect(await ledger.history(thing)).toEqual({ last: null, decided: 0 });
  expect(await ledger.decisionOf(thing, owner)).toBeNull();
});

it('lets the first receipt stand and answers with it', async () => {
  await ledger.claim(thing, 1, claimOf());
  expect(await ledger.putReceipt(thing, 1, accepted('c-1'))).toEqual(accepted('c-1'));
  const late: Receipt = { kind: 'unknown', reason: 'x', at: 9 };
  expect(await ledger.putReceipt(thing, 1, late)).toEqual(accepted('c-1'));
  expect((await ledger.history(thing)).last?.receipt).toEqual(accepted('c-1'));
});

it('lets the last ruling stand, over nine too, and keeps those before it', async () => {
  const ruling: Ruling = { action: 'abandon', certidaoId: null, by: 'ana', note: 'paid', at: 3 };
  await ledger.claim(thing, 1, claimOf());
  for (let at = 1; at <= 12; at += 1) {
    await ledger.putRuling(thing, 1, { ...ruling, at });
    expect((await ledger.history(thing)).last?.ruling).toEqual({ ...ruling, at });
  }
  const keys = await place.archive.list(`${thing.key}/`);
  expect(keys.filter((key) => key.includes('.ruling-'))).toHaveLength(12);
});

it('keeps the rulings of two decisions apart', async () => {
  const ruling: Ruling = { action: 'reissue', certidaoId: null, by: 'ana', note: '', at: 3 };
  await ledger.claim(thing, 1, claimOf());
  await ledger.putRuling(thing, 1, ruling);
  await ledger.claim(thing, 2, claimOf({ nonce: 'nonce-2' }));
  expect((await ledger.history(thing)).last).toMatchObject({ n: 2, ruling: null });
});

it('loses no ruling of many that are put at once', async () => {
  const ruling: Ruling = { action: 'reissue', certidaoId: null, by: 'ana', note: '', at: 3 };
  await ledger.claim(thing, 1, claimOf());
  await Promise.all(
    Array.from({ length: 10 }, (_, at) => ledger.putRuling(thing, 1, { ...ruling, at })),
  );
  const keys = await place.archive.list(`${thing.key}/`);
  expect(keys.filter((key) => key.includes('.ruling-'))).toHaveLength(10);
});

it('throws when the archive fails, instead of calling the claim unreadable', async () => {
  await ledger.claim(thing, 1, claimOf());
  const failing = Object.assign(Object.create(place.archive) as Archive, {
    list: () => Promise.resolve([`${thing.key}/000001.claim.json`]),
    get: () => Promise.reject(Object.assign(new Error('EIO'), { code: 'EIO' })),
  });
  await expect(new ClaimLedger(failing).history(thing)).rejects.toThrow('EIO');
  await expect(new ClaimLedger(failing).decisionOf(thing, owner)).rejects.toThrow('EIO');
});

const closed = claimOf({ kind: 'closed', nonce: 'closed-1' });

it('passes over the doors that were shut, and counts their numbers as used', async () => {
  await ledger.claim(thing, 1, claimOf());
  await ledger.putReceipt(thing, 1, accepted('c-1'));
  for (let n = 2; n <= 4; n += 1) await ledger.claim(thing, n, { ...closed, nonce: `c-${n}` });
  expect(await ledger.history(thing)).toEqual({
    last: { n: 1, claim: claimOf(), receipt: accepted('c-1'), ruling: null },
    decided: 4,
  });
});

it('knows no last decision where only doors were shut', async () => {
  await ledger.claim(thing, 1, closed);
  expect(await ledger.history(thing)).toEqual({ last: null, decided: 1 });
});

it('does not look past a claim that cannot be read', async () => {
  await ledger.claim(thing, 1, claimOf());
  spoil(`${thing.key}/000002.claim.json`, '{');
  await ledger.claim(thing, 3, closed);
  expect(await ledger.history(thing)).toMatchObject({
    last: { n: 2, claim: 'unreadable' },
    decided: 3,
  });
});

describe('the decision of a run', () => {
  const others = claimOf({ owner: { workflowId: 'work-2', run: 'lane-0-1' }, nonce: 'o' });

  const anotherTakesTo = async (last: number): Promise<void> => {
    for (let n = 2; n <= last; n += 1) await ledger.claim(thing, n, { ...others, nonce: `o-${n}` });
  };

  it('is none where nothing was claimed', async () => {
    expect(await ledger.decisionOf(thing, owner)).toBeNull();
  });

  it.each([1, 4])('is the door that a recovery shut in its name, of %i decisions', async (last) => {
    await ledger.claim(thing, 1, closed);
    await anotherTakesTo(last);
    expect(await ledger.decisionOf(thing, owner)).toEqual({
      n: 1,
      claim: closed,
      receipt: null,
      ruling: null,
    });
  });

  it.each([1, 4])('is its claim to send with the receipt, of %i decisions', async (last) => {
    await ledger.claim(thing, 1, claimOf());
    await ledger.putReceipt(thing, 1, accepted('c-1'));
    await anotherTakesTo(last);
    expect(await ledger.decisionOf(thing, owner)).toEqual({
      n: 1,
      claim: claimOf(),
      receipt: accepted('c-1'),
      ruling: null,
    });
  });

  it('is found below a claim that cannot be read', async () => {
    await ledger.claim(thing, 1, claimOf());
    spoil(`${thing.key}/000002.claim.json`, '{');
    expect(await ledger.decisionOf(thing, owner)).toMatchObject({ n: 1 });
  });

  it('is none of another run or work, to send or closed, and none that cannot be read', async () => {
    await ledger.claim(thing, 1, others);
    await ledger.claim(thing, 2, { ...closed, owner: { ...owner, run: 'lane-0-2' } });
    await ledger.claim(thing, 3, { ...closed, owner: { ...owner, workflowId: 'work-2' } });
    spoil(`${thing.key}/000004.claim.json`, '{');
    expect(await ledger.decisionOf(thing, owner)).toBeNull();
  });
});

it('counts what a workflow has sent, not what never left, was closed, or was sent by another', async () => {
  const refused: Receipt = { kind: 'not_sent', reason: 'answered 429', at: 2_000 };
  await ledger.claim(thing, 1, claimOf({ nonce: 'a' }));
  await ledger.putReceipt(thing, 1, refused);
  await ledger.claim(thing, 2, claimOf({ nonce: 'b' }));
  await ledger.claim(thing, 3, claimOf({ nonce: 'c', kind: 'closed' }));
  await ledger.claim(thing, 4, claimOf({ nonce: 'd', owner: { ...owner, workflowId: 'work-2' } }));
  await ledger.claim(thing, 5, claimOf({ nonce: 'e' }));
  await ledger.putReceipt(thing, 5, accepted('c-1'));
  expect(await ledger.sentBy(thing, 'work-1')).toBe(2);
});
