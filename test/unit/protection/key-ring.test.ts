import { BrokenSealError, KeyRing, UnknownKeyError } from '../../../src/protection/key-ring';

const entryA = `key-a:${'a1'.repeat(32)}`;
const entryB = `key-b:${'b2'.repeat(32)}`;
const plain = Buffer.from('12.345.678/0001-95');

describe('a list of payload keys', () => {
  it('opens what it has sealed, for what it was sealed for', () => {
    const ring = KeyRing.parse(entryA);
    const { keyId, bytes } = ring.seal('payload', plain, 'default');
    expect(keyId).toBe('key-a');
    expect(bytes.includes(plain)).toBe(false);
    expect(ring.open('payload', keyId, bytes, 'default')).toEqual(plain);
    expect(() => ring.open('payload', keyId, bytes, 'other')).toThrow(BrokenSealError);
    expect(() => ring.open('store', keyId, bytes, 'default')).toThrow(BrokenSealError);
  });

  it('never seals the same twice alike', () => {
    const ring = KeyRing.parse(entryA);
    const sealed = Array.from({ length: 100 }, () => ring.seal('payload', plain, 'x').bytes);
    expect(new Set(sealed.map((bytes) => bytes.toString('hex'))).size).toBe(100);
  });

  it('seals with its first key and opens with all', () => {
    const old = KeyRing.parse(entryA);
    const both = old.withLast(entryB);
    const { keyId, bytes } = old.seal('payload', plain, 'x');
    expect(both.ids).toEqual(['key-a', 'key-b']);
    expect(both.seal('payload', plain, 'x').keyId).toBe('key-a');
    const rotated = both.withFirst('key-b');
    expect(rotated.ids).toEqual(['key-b', 'key-a']);
    expect(rotated.seal('payload', plain, 'x').keyId).toBe('key-b');
    expect(rotated.open('payload', keyId, bytes, 'x')).toEqual(plain);
    expect(KeyRing.parse(rotated.reveal()).ids).toEqual(rotated.ids);
  });

  it('names the key that it lacks', () => {
    const { keyId, bytes } = KeyRing.parse(entryA).seal('payload', plain, 'x');
    const open = () => KeyRing.parse(entryB).open('payload', keyId, bytes, 'x');
    expect(open).toThrow(UnknownKeyError);
    expect(open).toThrow(/key-a/);
  });

  it('refuses every altered byte, and what is too short to be sealed', () => {
    const ring = KeyRing.parse(entryA);
    const { bytes } = ring.seal('payload', plain, 'x');
    for (let at = 0; at < bytes.length; at += 1) {
      const altered = Buffer.from(bytes);
      altered[at] = (altered[at] ?? 0) ^ 1;
      expect(() => ring.open('payload', 'key-a', altered, 'x')).toThrow(BrokenSealError);
    }
    for (const length of [0, 11, 27]) {
      const cut = bytes.subarray(0, length);
      expect(() => ring.open('payload', 'key-a', cut, 'x')).toThrow(BrokenSealError);
    }
  });

  it('has a check value that tells two keys of one id apart', () => {
    const other = KeyRing.parse(`key-a:${'c3'.repeat(32)}`);
    const value = KeyRing.parse(entryA).checkValue('key-a');
    expect(value).toMatch(/^[0-9a-f]{32}$/);
    expect(KeyRing.parse(`${entryB},${entryA}`).checkValue('key-a')).toBe(value);
    expect(other.checkValue('key-a')).not.toBe(value);
  });

  it('takes what it generates', () => {
    const [a, b] = [KeyRing.generateEntry(), KeyRing.generateEntry()];
    expect(KeyRing.parse(`${a}, ${b}`).ids).toHaveLength(2);
    expect(a).not.toBe(b);
  });

  it.each(['', 'key-a', `key-a:${'a1'.repeat(31)}`, `Key A:${'a1'.repeat(32)}`, `${entryA},`])(
    'refuses %j, and shows no key while it does',
    (text) => {
      expect(() => KeyRing.parse(text)).toThrow(RangeError);
      expect(() => KeyRing.parse(text)).not.toThrow(/a1a1/);
    },
  );

  it('refuses two keys of one id', () => {
    expect(() => KeyRing.parse(`${entryA},${entryA}`)).toThrow(RangeError);
  });

  it('does not show itself', () => {
    expect(JSON.stringify({ ring: KeyRing.parse(entryA) })).not.toMatch(/a1a1/);
  });
});
