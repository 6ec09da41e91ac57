import { z } from 'zod';
import { readDuration } from '../duration';

export const durationExpected = 'expected a duration like 90s, 15m, 24h or 7d';

/** Parsed to milliseconds. `value`: how the flag of the command line names it. */
export const duration = z
  .string()
  .meta({ value: 'duration' })
  .transform((text, context) => {
    const ms = readDuration(text);
    if (ms !== null) return ms;
    context.addIssue({ code: 'custom', message: durationExpected });
    return z.NEVER;
  });

/** In every request; the command line has a flag for each field. @param deadline a duration */
export function startTerms(deadline: string) {
  return {
    label: z
      .string()
      .optional()
      .meta({ value: 'text', description: 'a word of yours to find it by (`list --label`)' }),
    rerun: z
      .boolean()
      .optional()
      .describe('order it anew although there is a result: it may be charged again'),
    deadline: duration.prefault(deadline).describe('time to the outcome'),
    maxAge: duration.optional().describe('reuse what ended within this time'),
  };
}

export function maxAgeTerm(age: string) {
  return { maxAge: duration.prefault(age).describe('reuse what ended within this time') };
}

export const budgetTerm = {
  budget: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe('requests that may be charged before a person must look (default: no bound)'),
};

export type StartTerms = z.output<z.ZodObject<ReturnType<typeof startTerms>>>;

/** For batches. @param what column of the sheet */
export function inputTerms(what: string, concurrency: number) {
  return {
    input: z.string().meta({
      value: 'file',
      description: `CSV or .xlsx with a column of ${what}, a line each; of a command, - reads CSV`,
    }),
    column: z.string().optional().meta({
      value: 'name',
      description: 'the column that holds them: name, letter or number',
    }),
    reference: z.string().optional().meta({
      value: 'column',
      description: 'the column that names its rows in results, reports and files',
    }),
    sheet: z.string().optional().meta({
      value: 'name',
      description: 'name or number of the sheet of a workbook (default: the first with such)',
    }),
    concurrency: z.int().min(1).max(500).default(concurrency).describe('jobs in flight at once'),
  };
}

/** A sheet, and where in it the rows are. */
export type SheetTerms = Omit<z.output<z.ZodObject<ReturnType<typeof inputTerms>>>, 'concurrency'>;
