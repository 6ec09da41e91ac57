import * as fc from 'fast-check';
import { CnabReader } from '../../src/sandbox/credit/cnab-reading';
import { Refusal } from '../../src/sandbox/http/refusal';
import { cnabFile } from '../support/cnab-files';

const files = [
  cnabFile({ bank: 'paulista', lineEnd: '\r\n' }),
  cnabFile({ bank: 'itau', shape: 'mixed' }),
  cnabFile({ lineEnd: '\r' }),
  Buffer.concat([cnabFile(), Buffer.from('\r\n\x1a\0')]),
];

function read(pieces: readonly Buffer[]) {
  const reader = new CnabReader();
  for (const piece of pieces) reader.push(piece);
  return reader.end();
}

function cutAt(file: Buffer, places: readonly number[]): Buffer[] {
  const edges = [
    0,
    ...places.map((place) => place % file.length).sort((a, b) => a - b),
    file.length,
  ];
  return edges.slice(1).map((edge, index) => file.subarray(edges[index], edge));
}

describe('the CNAB reading of the sandbox', () => {
  test('is the same wherever the bytes are cut on their way', () => {
    const places = fc.array(fc.nat(5_000), { maxLength: 20 });
    fc.assert(
      fc.property(fc.constantFrom(...files), places, (file, cuts) => {
        expect(read(cutAt(file, cuts))).toEqual(read([file]));
      }),
    );
  });

  test('refuses what it cannot read, and never breaks', () => {
    const change = fc.tuple(fc.nat(5_000), fc.integer({ min: 0, max: 255 }));
    const changes = fc.array(change, { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(fc.constantFrom(...files), changes, (file, bytes) => {
        const spoilt = Buffer.from(file);
        for (const [place, byte] of bytes) spoilt[place % file.length] = byte;
        try {
          expect(read([spoilt]).titulos.length).toBeGreaterThan(0);
        } catch (error) {
          expect(error).toBeInstanceOf(Refusal);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
