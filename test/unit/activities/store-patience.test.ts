import { claimForSure } from '../../../src/activities/core/attempt';
import { withStorePatience } from '../../../src/activities/core/store-patience';
import type { Claim } from '../../../src/domain/core/service/attempts';
import type { AttemptRepository } from '../../../src/store/core/attempts';
import { StoreError, type StoreErrorCode } from '../../../src/store/store-error';

let clock = 0;
let lives = true;
const patience = {
  now: () => clock,
  mayWait: () => lives,
  pause: async (ms: number) => {
    clock += ms;
  },
};

beforeEach(() => {
  clock = 0;
  lives = true;
});

/** Refuses until the clock says so. */
const refusing = (code: StoreErrorCode, untilMs: number) => async (): Promise<string> => {
  if (clock < untilMs) throw new StoreError(code, 'refused');
  return 'written';
};

it.each(['busy', 'full', 'gone', 'read-only', 'other'] as const)(
  'writes once the store takes it again: %s',
  async (code) => {
    expect(await withStorePatience(refusing(code, 10_000), patience)).toBe('written');
  },
);

it.each(['constraint', 'corrupt'] as const)('does not wait for what stays so: %s', async (code) => {
  await expect(withStorePatience(refusing(code, 1), patience)).rejects.toMatchObject({ code });
  expect(clock).toBe(0);
});

it('does not wait for an error that is not of the store', async () => {
  const write = (): Promise<never> => Promise.reject(new RangeError('no item'));
  await expect(withStorePatience(write, patience)).rejects.toThrow(RangeError);
});

it('gives up after 20 seconds, and when the attempt is over', async () => {
  await expect(withStorePatience(refusing('full', 60_000), patience)).rejects.toThrow('refused');
  expect(clock).toBeGreaterThanOrEqual(20_000);
  expect(clock).toBeLessThan(22_000);
  lives = false;
  await expect(withStorePatience(refusing('full', 60_000), patience)).rejects.toThrow('refused');
});

describe('a claim of which nobody knows whether it stands', () => {
  const attempt = { n: 1, claim: {} as Claim };

  /** @param untilMs how long the database is away after its commit was cut */
  function attemptsOf(untilMs: number): AttemptRepository {
    let asked = 0;
    const claim = async () => {
      asked += 1;
      if (clock < untilMs) throw new StoreError(asked === 1 ? 'other' : 'gone', 'cut');
      return 'ours' as const;
    };
    return { claim } as unknown as AttemptRepository;
  }

  it('is asked about as long as the attempt lives: that nothing was sent is known to it alone', async () => {
    expect(await claimForSure(attemptsOf(70_000), 'a', attempt, 'job', patience)).toBe('ours');
    lives = false;
    clock = 0;
    const gone = claimForSure(attemptsOf(70_000), 'a', attempt, 'job', patience);
    await expect(gone).rejects.toMatchObject({ code: 'gone' });
  });

  it('is asked about only when it may stand', async () => {
    const claim = () => Promise.reject(new StoreError('gone', 'away'));
    const attempts = { claim } as unknown as AttemptRepository;
    const refused = claimForSure(attempts, 'a', attempt, 'job', patience);
    await expect(refused).rejects.toMatchObject({ code: 'gone' });
    expect(clock).toBe(0);
  });
});
