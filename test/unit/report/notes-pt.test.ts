import { outcomeOfFact } from '../../../src/activities/certificates/outcomes';
import { rowFlags } from '../../../src/domain/certificates/certificate-rows';
import { noteWords } from '../../../src/report/certificates/notes-pt';

test.each([
  ['reused', true],
  ['of another job', false],
])('the note of a row that is %s has its Portuguese', (_, reused) => {
  const fact = { certidaoId: 'c', status: 'issued', settledAt: 0, note: '' } as never;
  const item = { item: 0, line: 2, type: 'cnpj', document: '0' } as never;
  const terms = { requestedAt: 0, attempts: 0, flags: rowFlags.shared, reused };
  const { note } = outcomeOfFact(fact, item, terms);
  expect(note).not.toBe('');
  expect(noteWords(note, 'pt')).not.toBe(note);
});
