import { ConfigError } from '../../../src/environment';
import { KeyRing } from '../../../src/protection/key-ring';
import { keyHolder, nextStep, workerIdentity } from '../../../src/temporal/payload/key-holders';
import { keyChecks, proveKeys, registerKey } from '../../../src/temporal/payload/store-keys';
import { TemporaryStore } from '../../support/temporary-store';

const entry = (id: string, byte: string) => `${id}:${byte.repeat(32)}`;
const [a, b, c] = [entry('key-a', 'a1'), entry('key-b', 'b2'), entry('key-c', 'c3')];
const otherA = entry('key-a', 'd4');
const ringOf = (...entries: string[]) => KeyRing.parse(entries.join(','));
const holderOf = (...entries: string[]) => keyHolder(workerIdentity(ringOf(...entries)));

let place: TemporaryStore;
beforeEach(() => {
  place = new TemporaryStore();
});
afterEach(() => place.remove());

const prove = (...entries: string[]) => proveKeys(place.store, ringOf(...entries));
const registered = async () => (await keyChecks(place.store)).map(({ id }) => id);

describe('the keys that a store asks for', () => {
  it('are, at its first use, the first one of the list', async () => {
    await prove(a, b);
    expect(await registered()).toEqual(['key-a']);
    await expect(prove(a)).resolves.toBeUndefined();
  });

  it('never let two processes start that have different keys', async () => {
    const results = await Promise.allSettled([prove(a), prove(b)]);
    expect(results.map(({ status }) => status)).toContain('rejected');
  });

  it('must all be in a list, and the refusal names the one that is not', async () => {
    await prove(a);
    await registerKey(place.store, ringOf(a, b), 'key-b');
    await expect(prove(a, b)).resolves.toBeUndefined();
    await expect(prove(b, c, a)).resolves.toBeUndefined();
    await expect(prove(a)).rejects.toThrow(ConfigError);
    await expect(prove(a)).rejects.toThrow(/DILIGENCE_PAYLOAD_KEYS: lacks the key key-b/);
  });

  it('must be the same keys, not others by the same names', async () => {
    await prove(a);
    await expect(prove(otherA)).rejects.toThrow(/another key by the name key-a/);
  });

  it('must hold the one that would encrypt', async () => {
    await prove(a);
    await expect(prove(b, a)).rejects.toThrow(/has key-b first, which the store does not know/);
  });

  it('are in the order in which they came, whatever the clocks say', async () => {
    jest.useFakeTimers({ now: Date.parse('2030-01-01T00:00:00Z'), doNotFake: ['nextTick'] });
    try {
      await prove(b);
      jest.setSystemTime(Date.parse('2020-01-01T00:00:00Z'));
      await registerKey(place.store, ringOf(b, a), 'key-a');
      expect(await registered()).toEqual(['key-b', 'key-a']);
    } finally {
      jest.useRealTimers();
    }
  });
});

describe('a rotation', () => {
  const step = async (entries: string[], holders: string[][] = []) =>
    nextStep(
      ringOf(...entries),
      await keyChecks(place.store),
      holders.map((one) => holderOf(...one)),
    );

  it('goes from one key to two, to the other first, and on to a third', async () => {
    await prove(a);
    expect(await step([a])).toEqual({ waiting: null, lacking: [] });
    expect(await step([a, b])).toEqual({ waiting: 'key-b', lacking: [] });
    await registerKey(place.store, ringOf(a, b), 'key-b');
    expect(await step([a, b])).toEqual({ waiting: 'key-b', lacking: [] });
    expect(await step([b, a])).toEqual({ waiting: null, lacking: [] });
    expect(await step([b, a, c])).toMatchObject({ waiting: 'key-c' });
  });

  it('waits for every worker to hold the very key', async () => {
    await prove(a);
    const otherB = entry('key-b', 'e5');
    expect(await step([a, b], [[a, b], [a]])).toMatchObject({ lacking: [holderOf(a)] });
    expect(await step([a, b], [[a, otherB]])).toMatchObject({ lacking: [holderOf(a, otherB)] });
    expect(await step([a, b], [[b]])).toMatchObject({ lacking: [holderOf(b)] });
    expect(
      await step(
        [a, b],
        [
          [b, a],
          [a, b],
        ],
      ),
    ).toMatchObject({ lacking: [] });
  });

  it('waits for a worker that does not tell what it holds', async () => {
    await prove(a);
    const silent = keyHolder('1@host');
    const found = nextStep(ringOf(a, b), await keyChecks(place.store), [silent]);
    expect(found).toMatchObject({ waiting: 'key-b', lacking: [silent] });
  });
});

describe('the name of a worker', () => {
  it('tells its keys, and nothing of their secrets', () => {
    const identity = workerIdentity(ringOf(a, b));
    const { marks } = keyHolder(identity);
    expect(identity).toMatch(/^\d+@\S+ keys=key-a\.[0-9a-f]{8}\+key-b\.[0-9a-f]{8}$/);
    expect(identity).not.toMatch(/a1a1|b2b2/);
    expect(marks).toHaveLength(2);
  });

  it('fits with many keys, and still tells the first and the last', () => {
    const many = Array.from({ length: 20 }, (_, n) => entry(`key-number-${10 + n}-of-many`, 'a1'));
    const identity = workerIdentity(ringOf(...many));
    const { marks } = keyHolder(identity);
    expect(identity.length).toBeLessThanOrEqual(255);
    expect(marks?.at(0)).toMatch(/^key-number-10-of-many\./);
    expect(marks?.at(-1)).toMatch(/^key-number-29-of-many\./);
  });
});

describe('a worker that started while a key was brought in', () => {
  it('is named for as long as it lacks the key', async () => {
    await prove(a);
    await registerKey(place.store, ringOf(a, b), 'key-b');
    const known = await keyChecks(place.store);
    const [old, renewed] = [holderOf(a), holderOf(b, a)];
    expect(nextStep(ringOf(b, a), known, [old, renewed])).toEqual({
      waiting: null,
      lacking: [old],
    });
  });
});
