import { checkPlan } from '../../domain/investigations/check-plan';
import type { Subject } from '../../domain/investigations/plan';
import { planThings } from '../../sheets/read/plan-rows';
import { readSheet } from '../../sheets/read/read-rows';
import { ofFile, type BatchRequest, type InputFile } from '../jobs/batches/ask';
import type { CommandContext } from '../jobs/context';
import { UsageError } from '../jobs/errors';
import { isWithin } from '../jobs/begin/start-job';
import {
  askedFor,
  newestInvestigation,
  putInvestigation,
  termsOf,
  type InvestigationTerms,
} from './recorded';
import { PlanForesight } from './foresee';
import { planError, readPlan } from './plan-file';
import { subjectReader } from './subject-row';

/**
 * An investigation by one plan for each different subject of a sheet.
 *
 * @throws UsageError when the plan is at fault, or says itself whom it is about
 */
export async function investigationBatch(
  ctx: CommandContext,
  asked: InputFile & Omit<InvestigationTerms, 'label'> & { plan: string },
): Promise<BatchRequest> {
  const { budget = null, choice, path, rerun } = asked;
  const written = await readPlan(asked.plan);
  const { plan, subject } = written;
  if (subject !== null)
    throw new UsageError(`--input: the plan ${asked.plan} names a subject of its own`);
  const faults = checkPlan(plan, null);
  if (faults.length > 0) throw planError(asked.plan, faults, written.lineOf);
  const files = { photo: null, receivables: null };
  const of = (thing: string) => ({
    ...askedFor(ctx, plan, JSON.parse(thing) as Subject, { ...asked, label: null }),
    files,
  });
  return {
    kind: 'investigation-batch',
    ...ofFile(asked),
    terms: [plan, budget],
    rows: (told) =>
      planThings(readSheet(path, { ...choice, holds: 'subjects', ...told }), subjectReader(plan)),
    standing: async (thing) => {
      const found = await newestInvestigation(ctx, of(thing));
      if (found === null) return null;
      const { id: jobId, input, outcome } = found;
      if (outcome === null) return { jobId, ended: false, terms: { ...termsOf(input) } };
      const stands = found.status === 'completed' && isWithin(asked.maxAge, found);
      return stands ? { jobId, ended: true, terms: {} } : null;
    },
    put: async (thing) => {
      const one = { ...of(thing), rerun };
      return { jobId: await putInvestigation(ctx, one), terms: { ...termsOf(one) } };
    },
    foresight: () => {
      const foresight = new PlanForesight(ctx, written);
      return { add: (thing) => foresight.add(of(thing)), lines: () => foresight.lines() };
    },
  };
}
