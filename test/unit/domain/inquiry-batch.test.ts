import { gravestInquiry } from '../../../src/domain/core/inquiry-batch';
import { profileStatuses } from '../../../src/domain/profiles/lookup';
import { traceStatuses } from '../../../src/domain/traces/search';

test.each([...new Set<string>([...traceStatuses, ...profileStatuses]), 'lost'])(
  'a batch whose works ended as %s ended so itself',
  (status) => {
    expect(gravestInquiry({ [status]: 3 })).toBe(status);
  },
);

test('a line that could not be asked for needs a person, whatever became of the others', () => {
  expect(gravestInquiry({ completed: 5 }, 1)).toBe('invalid');
  expect(gravestInquiry({ found: 5 }, 0)).toBe('found');
  expect(gravestInquiry({ failed: 1, completed: 4 }, 1)).toBe('failed');
});
