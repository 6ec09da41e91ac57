import { OutstandingRows } from '../../../src/workflows/certificates/rows/outstanding-rows';

const now = 1_000_000;
const dueIn = (ms: number): OutstandingRows =>
  new OutstandingRows([[0, 'certidao', now, now + ms, 1, 0]]);
const share = 100;

describe('an outstanding row that is not due yet', () => {
  test('waits for company while requests are under way', () => {
    expect(dueIn(300).next(now, share, true)).toEqual({ at: now + 150 });
    expect(dueIn(150).next(now, share, true)).toHaveProperty('rows.length', 1);
  });

  test('is watched in good time where a timer of the server alone could wake the driver', () => {
    expect(dueIn(900).next(now, share, false)).toHaveProperty('rows.length', 1);
    expect(dueIn(5_000).next(now, share, false)).toEqual({ at: now + 4_000 });
  });
});
