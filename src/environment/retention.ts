import { z } from 'zod';
import { retainedKinds, type RetentionTerm } from '../domain/core/retention';

const mostYears = 100;

/** `certificate-batch=5y,trace=90d`: retention of the jobs of a kind. */
export const retentionTerms = z.string().transform((text, context): RetentionTerm[] => {
  if (text === '') return [];
  const terms: RetentionTerm[] = [];
  for (const entry of text.split(',').map((one) => one.trim())) {
    const term = termOf(entry);
    const isTwice = terms.some(({ kind }) => kind === term?.kind);
    if (term !== null && !isTwice) {
      terms.push(term);
      continue;
    }
    const expected = isTwice
      ? 'its kind once'
      : `a kind and its term, like trace=90d or dossier=2y (at most ${mostYears}y), of ${retainedKinds.join(', ')}`;
    context.addIssue({ code: 'custom', message: `${entry}: expected ${expected}` });
    return z.NEVER;
  }
  return terms;
});

function termOf(entry: string): RetentionTerm | null {
  const [, word, digits, unit] = /^([a-z-]+)=([1-9]\d{0,4})([dy])$/.exec(entry) ?? [];
  const kind = retainedKinds.find((one) => one === word);
  const count = Number(digits);
  if (kind === undefined || count > mostYears * (unit === 'y' ? 1 : 365)) return null;
  return { kind, count, unit: unit as RetentionTerm['unit'] };
}
