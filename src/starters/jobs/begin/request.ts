import { z } from 'zod';
import { readDuration } from '../duration';

export const durationExpected = 'expected a duration like 90s, 15m, 24h or 7d';

/** Parsed to milliseconds. */
export const duration = z.string().transform((text, context) => {
  const ms = readDuration(text);
  if (ms !== null) return ms;
  context.addIssue({ code: 'custom', message: durationExpected });
  return z.NEVER;
});

/** In every request; the command line has a flag for each. @param deadline a duration */
export function startTerms(deadline: string) {
  return {
    label: z.string().optional().describe('a word of yours to find it by'),
    rerun: z
      .boolean()
      .optional()
      .describe('order it anew although there is a result: it may be charged again'),
    deadline: duration.prefault(deadline).describe('time to the outcome'),
    maxAge: duration.optional().describe('take what ended within this time for the answer'),
  };
}

/** For kinds whose results have a default maximum age. */
export function maxAgeTerm(age: string) {
  return {
    maxAge: duration.prefault(age).describe('take what ended within this time for the answer'),
  };
}

/** For jobs that send more than one chargeable request. */
export const budgetTerm = {
  budget: z
    .int()
    .min(1)
    .optional()
    .describe('requests that may be charged before a person must look'),
};

/** For batches. @param what column of the sheet */
export function inputTerms(what: string, concurrency: number) {
  return {
    input: z.string().describe(`path of a CSV or .xlsx file with a column of ${what}`),
    column: z.string().optional().describe('the column that holds them: its name'),
    reference: z
      .string()
      .optional()
      .describe('the column that names the rows in results and files'),
    sheet: z.string().optional().describe('of a workbook: its name or number'),
    concurrency: z.int().min(1).max(500).default(concurrency).describe('jobs in flight at once'),
  };
}
