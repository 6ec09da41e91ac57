import { withStorePatience } from '../../../src/activities/store-patience';
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
