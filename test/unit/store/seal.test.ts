import { join } from 'node:path';
import { IdKey } from '../../../src/protection/id-key';
import { storeInFolder, openStore } from '../../../src/store/open-store';
import { KeySeal } from '../../../src/store/sealed/seal';
import { Store } from '../../../src/store/store';
import { BrokenSealError, KeyRing } from '../../../src/protection/key-ring';
import { inFolder, notesAbout, TemporaryStore } from '../../support/temporary-store';

const first = KeyRing.parse(`k-first:${'1a'.repeat(32)}`);
const second = KeyRing.parse(`k-second:${'2b'.repeat(32)}`);
const idKey = IdKey.parse('ab'.repeat(32));
const body = '{"document":"11144477735"}';

let place: TemporaryStore;

beforeEach(() => {
  place = new TemporaryStore();
});

afterEach(() => place.remove());

function sealedWith(keys: KeyRing | null): Store {
  return new Store(place.database, new KeySeal(keys));
}

describe('a sealed store', () => {
  it.each(['putIfAbsent', 'replace'] as const)(
    'holds nothing of what %s was given, and answers it whole',
    async (put) => {
      const store = sealedWith(first);
      await store.records[put]('a/b', body);
      await store.records[put]('a/empty', '');
      expect(place.bodyOf('a/b').includes('11144477735')).toBe(false);
      expect((await store.records.get('a/b'))?.toString()).toBe(body);
      expect((await store.records.get('a/empty'))?.length).toBe(0);
      expect(await store.records.get('a/c')).toBeNull();
      expect(await store.records.list('a/')).toEqual(['a/b', 'a/empty']);
    },
  );

  it('seals once its keys can be proven, though the first proof failed', async () => {
    let proofs = 0;
    const prove = async () => {
      proofs += 1;
      if (proofs === 1) throw new Error('EIO');
    };
    const store = new Store(place.database, new KeySeal(first, prove));
    await expect(store.records.putIfAbsent('a', body)).rejects.toThrow('EIO');
    expect(await store.records.putIfAbsent('a', body)).toBe('stored');
    expect(await store.records.putIfAbsent('b', body)).toBe('stored');
    expect(proofs).toBe(2);
  });

  it('keeps bytes as they are, also such as begin like a sealed object', async () => {
    const store = sealedWith(first);
    await store.records.putIfAbsent('a', Buffer.from([0, 255, 128, 10]));
    const sealed = place.bodyOf('a');
    await store.records.putIfAbsent('b', sealed);
    expect(await store.records.get('a')).toEqual(Buffer.from([0, 255, 128, 10]));
    expect(await store.records.get('b')).toEqual(sealed);
  });

  it('stores one of 20 objects put under one key at once', async () => {
    const store = sealedWith(first);
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, n) => store.records.putIfAbsent('a', `writer ${n}`)),
    );
    const winner = results.indexOf('stored');
    expect(results.filter((result) => result === 'stored')).toHaveLength(1);
    expect((await store.records.get('a'))?.toString()).toBe(`writer ${winner}`);
  });

  it('opens what older keys sealed, and not what a stranger put there in the clear', async () => {
    await place.store.records.putIfAbsent('clear', body);
    await sealedWith(first).records.putIfAbsent('old', body);
    const both = sealedWith(KeyRing.parse(`${second.reveal()},${first.reveal()}`));
    await both.records.putIfAbsent('new', body);
    for (const key of ['old', 'new']) {
      expect((await both.records.get(key))?.toString()).toBe(body);
    }
    await expect(sealedWith(first).records.get('new')).rejects.toMatchObject({
      name: 'StoreConfigError',
    });
    await expect(both.records.get('clear')).rejects.toThrow(BrokenSealError);
  });

  it('names the object and the cure, and no key, when there is no key for it', async () => {
    await sealedWith(first).records.putIfAbsent('works/w1/rows', body);
    await expect(sealedWith(null).records.get('works/w1/rows')).rejects.toMatchObject({
      name: 'StoreConfigError',
      message: expect.stringMatching(/works\/w1\/rows.*DILIGENCE_PAYLOAD_KEYS/) as string,
    });
    await expect(sealedWith(second).records.get('works/w1/rows')).rejects.toMatchObject({
      name: 'StoreConfigError',
      message: expect.stringMatching(/works\/w1\/rows.*k-first/) as string,
    });
  });

  it('refuses an object that was put in the place of another', async () => {
    const store = sealedWith(first);
    await store.records.putIfAbsent('a', 'of a');
    await store.records.putIfAbsent('b', 'of b');
    place.spoil('a', place.bodyOf('b'));
    await expect(store.records.get('a')).rejects.toThrow(BrokenSealError);
  });

  it('answers an error for every byte that is altered, and for every end that is cut off', async () => {
    const store = sealedWith(first);
    await store.records.putIfAbsent('a', body);
    const whole = place.bodyOf('a');
    const markLength = 14;
    const refused = expect.stringMatching(/^(?:StoreConfigError|BrokenSealError)$/) as string;
    for (let at = markLength; at < whole.length; at += 1) {
      const altered = Buffer.from(whole);
      altered[at] = (altered[at] ?? 0) ^ 1;
      place.spoil('a', altered);
      await expect(store.records.get('a')).rejects.toMatchObject({ name: refused });
      place.spoil('a', whole.subarray(0, at));
      await expect(store.records.get('a')).rejects.toMatchObject({ name: refused });
    }
  });
});

describe('attempts in a sealed store', () => {
  const subject = `certificate/cnpj/${idKey.nameOf('document', '11222333000181')}`;
  const resolution = {
    action: 'abandon',
    externalId: null,
    by: 'ana',
    note: 'for Bia',
    at: 3,
  } as const;

  it('say in the clear neither who decided nor why, and tell those who have the key', async () => {
    const store = sealedWith(first);
    await store.attempts.resolve(subject, 1, resolution);
    expect(await notesAbout(store, subject)).toEqual(['for Bia']);
    const [row] = place.database.readNow({ sql: 'SELECT * FROM resolution', parameters: [] });
    const stands = Buffer.from((row as { said: Uint8Array }).said).toString('latin1');
    expect(JSON.stringify(row) + stands).not.toMatch(/ana|Bia/);
    await expect(notesAbout(sealedWith(second), subject)).rejects.toMatchObject({
      name: 'StoreConfigError',
    });
  });

  it('are refused when what was decided about one is put in the place of another', async () => {
    const store = sealedWith(first);
    await store.attempts.resolve(subject, 1, resolution);
    place.database.commitNow([{ sql: 'UPDATE resolution SET n = 2', parameters: [] }]);
    await expect(notesAbout(store, subject)).rejects.toThrow(BrokenSealError);
  });
});

describe('opening a store with encryption', () => {
  it('leaves readable whose it is, and which keys are its own', async () => {
    const root = join(place.folder, 'opened');
    const store = await openStore(inFolder(root), idKey, { keys: first });
    await store.prove();
    await store.records.putIfAbsent('keys/k-first.json', '{}');
    const seen = storeInFolder(root);
    expect(seen?.id).toBe(store.id);
    expect((await seen?.records.get('keys/k-first.json'))?.toString()).toBe('{}');
  });
});
