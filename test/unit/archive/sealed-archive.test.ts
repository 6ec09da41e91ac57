import { join } from 'node:path';
import { IdKey } from '../../../src/protection/id-key';
import { archiveAsItIs, openArchive } from '../../../src/archive/open-archive';
import { SealedArchive } from '../../../src/archive/sealed-archive';
import { BrokenSealError, KeyRing } from '../../../src/protection/key-ring';
import { TemporaryArchive } from '../../support/temporary-archive';

const first = KeyRing.parse(`k-first:${'1a'.repeat(32)}`);
const second = KeyRing.parse(`k-second:${'2b'.repeat(32)}`);
const idKey = IdKey.parse('ab'.repeat(32));
const body = '{"document":"11144477735"}';

let place: TemporaryArchive;

beforeEach(() => {
  place = new TemporaryArchive();
});

afterEach(() => place.remove());

function sealedWith(keys: KeyRing | null): SealedArchive {
  return new SealedArchive(place.archive, keys && { keys });
}

describe('a sealed archive', () => {
  it.each(['putIfAbsent', 'replace'] as const)(
    'holds nothing of what %s was given, and answers it whole',
    async (put) => {
      const archive = sealedWith(first);
      await archive[put]('a/b', body);
      await archive[put]('a/empty', '');
      expect(place.bodyOf('a/b').includes('11144477735')).toBe(false);
      expect((await archive.get('a/b'))?.toString()).toBe(body);
      expect((await archive.get('a/empty'))?.length).toBe(0);
      expect(await archive.get('a/c')).toBeNull();
      expect(await archive.list('a/')).toEqual(['a/b', 'a/empty']);
    },
  );

  it('seals once its keys can be proven, though the first proof failed', async () => {
    let proofs = 0;
    const prove = async () => {
      proofs += 1;
      if (proofs === 1) throw new Error('EIO');
    };
    const archive = new SealedArchive(place.archive, {
      keys: first,
      proveKeys: prove,
    });
    await expect(archive.putIfAbsent('a', body)).rejects.toThrow('EIO');
    expect(await archive.putIfAbsent('a', body)).toBe('stored');
    expect(await archive.putIfAbsent('b', body)).toBe('stored');
    expect(proofs).toBe(2);
  });

  it('keeps bytes as they are, also such as begin like a sealed object', async () => {
    const archive = sealedWith(first);
    await archive.putIfAbsent('a', Buffer.from([0, 255, 128, 10]));
    const sealed = place.bodyOf('a');
    await archive.putIfAbsent('b', sealed);
    expect(await archive.get('a')).toEqual(Buffer.from([0, 255, 128, 10]));
    expect(await archive.get('b')).toEqual(sealed);
  });

  it('stores one of 20 objects put under one key at once', async () => {
    const archive = sealedWith(first);
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, n) => archive.putIfAbsent('a', `writer ${n}`)),
    );
    const winner = results.indexOf('stored');
    expect(results.filter((result) => result === 'stored')).toHaveLength(1);
    expect((await archive.get('a'))?.toString()).toBe(`writer ${winner}`);
  });

  it('opens what older keys sealed, and not what a stranger put there in the clear', async () => {
    await place.archive.putIfAbsent('clear', body);
    await sealedWith(first).putIfAbsent('old', body);
    const both = sealedWith(KeyRing.parse(`${second.reveal()},${first.reveal()}`));
    await both.putIfAbsent('new', body);
    for (const key of ['old', 'new']) {
      expect((await both.get(key))?.toString()).toBe(body);
    }
    await expect(sealedWith(first).get('new')).rejects.toMatchObject({ name: 'ArchiveError' });
    await expect(both.get('clear')).rejects.toThrow(BrokenSealError);
  });

  it('names the object and the cure, and no key, when there is no key for it', async () => {
    await sealedWith(first).putIfAbsent('works/w1/rows', body);
    await expect(sealedWith(null).get('works/w1/rows')).rejects.toMatchObject({
      name: 'ArchiveError',
      message: expect.stringMatching(/works\/w1\/rows.*DILIGENCE_PAYLOAD_KEYS/) as string,
    });
    await expect(sealedWith(second).get('works/w1/rows')).rejects.toMatchObject({
      name: 'ArchiveError',
      message: expect.stringMatching(/works\/w1\/rows.*k-first/) as string,
    });
  });

  it('refuses an object that was put in the place of another', async () => {
    const archive = sealedWith(first);
    await archive.putIfAbsent('a', 'of a');
    await archive.putIfAbsent('b', 'of b');
    place.spoil('a', place.bodyOf('b'));
    await expect(archive.get('a')).rejects.toThrow(BrokenSealError);
  });

  it('answers an error for every byte that is altered, and for every end that is cut off', async () => {
    const archive = sealedWith(first);
    await archive.putIfAbsent('a', body);
    const whole = place.bodyOf('a');
    const markLength = 14;
    const refused = expect.stringMatching(/^(?:ArchiveError|BrokenSealError)$/) as string;
    for (let at = markLength; at < whole.length; at += 1) {
      const altered = Buffer.from(whole);
      altered[at] = (altered[at] ?? 0) ^ 1;
      place.spoil('a', altered);
      await expect(archive.get('a')).rejects.toMatchObject({ name: refused });
      place.spoil('a', whole.subarray(0, at));
      await expect(archive.get('a')).rejects.toMatchObject({ name: refused });
    }
  });
});

describe('attempts in a sealed archive', () => {
  const subject = `certificate/cnpj/${idKey.nameOf('document', '11222333000181')}`;
  const resolution = {
    action: 'abandon',
    externalId: null,
    by: 'ana',
    note: 'for Bia',
    at: 3,
  } as const;

  it('say in the clear neither who decided nor why, and tell those who have the key', async () => {
    const { attempts } = sealedWith(first);
    await attempts.resolve(subject, 1, resolution);
    expect(await attempts.notesOf(subject)).toEqual(['for Bia']);
    const [row] = place.store.readNow({ sql: 'SELECT * FROM resolution', parameters: [] });
    const stands = Buffer.from((row as { said: Uint8Array }).said).toString('latin1');
    expect(JSON.stringify(row) + stands).not.toMatch(/ana|Bia/);
    await expect(sealedWith(second).attempts.notesOf(subject)).rejects.toMatchObject({
      name: 'ArchiveError',
    });
  });

  it('are refused when what was decided about one is put in the place of another', async () => {
    const { attempts } = sealedWith(first);
    await attempts.resolve(subject, 1, resolution);
    place.store.commitNow([{ sql: 'UPDATE resolution SET n = 2', parameters: [] }]);
    await expect(attempts.notesOf(subject)).rejects.toThrow(BrokenSealError);
  });
});

describe('opening an archive with encryption', () => {
  it('leaves readable whose it is, and which keys are its own', async () => {
    const root = join(place.folder, 'opened');
    const archive = await openArchive(root, idKey, { keys: first });
    await archive.prove();
    await archive.putIfAbsent('keys/k-first.json', '{}');
    const seen = archiveAsItIs(root);
    expect(seen?.id).toBe(archive.id);
    expect((await seen?.get('keys/k-first.json'))?.toString()).toBe('{}');
  });
});
