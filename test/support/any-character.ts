import * as fc from 'fast-check';

const [firstSurrogate, surrogates] = [0xd800, 0x800];

/**
 * Any character that a text may hold, surrogates alone aside. It is fast-check's unit `binary`, which
 * takes seconds to be made: it lists them all.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10ffff - surrogates })
  .map((n) => String.fromCodePoint(n < firstSurrogate ? n : n + surrogates));
