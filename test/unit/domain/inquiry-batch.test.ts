import { gravestInquiry } from '../../../src/domain/inquiry-batch';
import { profileStatuses } from '../../../src/domain/profiles/lookup';
import { traceStatuses } from '../../../src/domain/traces/search';

test.each([...new Set<string>([...traceStatuses, ...profileStatuses]), 'lost'])(
  'a batch whose works ended as %s ended so itself',
  (status) => {
    expect(gravestInquiry({ [status]: 3 })).toBe(status);
  },
);
