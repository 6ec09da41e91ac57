import * as fc from 'fast-check';
import { readRemittance } from '../../src/sandbox/credit/remittance';
import { Refusal } from '../../src/sandbox/http/answer';
import { cnabFile } from '../support/cnab-files';

const files = [
  cnabFile({ bank: 'paulista', lineEnd: '\r\n' }),
  cnabFile({ bank: 'itau', shape: 'mixed' }),
  cnabFile({ lineEnd: '\r' }),
  Buffer.concat([cnabFile(), Buffer.from('\r\n\x1a\0')]),
];

describe('the CNAB reading of the sandbox', () => {
  test('refuses what it cannot read, and never breaks', () => {
    const change = fc.tuple(fc.nat(5_000), fc.integer({ min: 0, max: 255 }));
    const changes = fc.array(change, { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(fc.constantFrom(...files), changes, (file, bytes) => {
        const spoilt = Buffer.from(file);
        for (const [place, byte] of bytes) spoilt[place % file.length] = byte;
        try {
          expect(readRemittance(spoilt).titulos.length).toBeGreaterThan(0);
        } catch (error) {
          expect(error).toBeInstanceOf(Refusal);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
