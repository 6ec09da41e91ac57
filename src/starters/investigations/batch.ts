import { checkPlan } from '../../domain/investigations/check-plan';
import type { Subject } from '../../domain/investigations/plan';
import { ofFile, type BatchRequest } from '../jobs/batches/request';
import type { CommandContext } from '../jobs/context';
import { UsageError } from '../jobs/errors';
import { isWithin } from '../jobs/begin/start-job';
import {
  requestedFor,
  newestInvestigation,
  putInvestigation,
  type InvestigationTerms,
} from './recorded';
import { termsOf } from './kind';
import { PlanForesight } from './foresee';
import { planError, readPlan } from './plan-file';
import { subjectReader } from './subject-row';

export async function investigationBatch(
  ctx: CommandContext,
  request: Parameters<typeof ofFile>[0] & InvestigationTerms & { plan: string },
): Promise<BatchRequest> {
  const { budget = null, rerun = false } = request;
  const written = await readPlan(request.plan);
  const { plan, subject } = written;
  if (subject !== null)
    throw new UsageError([
      `--input: the plan ${request.plan} names a subject of its own`,
      `--input: o plano ${request.plan} já indica o seu próprio sujeito`,
    ]);
  const faults = checkPlan(plan, null);
  if (faults.length > 0) throw planError(request.plan, faults, written.lineOf);
  const files = { photo: null, receivables: null };
  const of = (item: string) => ({
    ...requestedFor(ctx, plan, JSON.parse(item) as Subject, { ...request, label: null }),
    files,
  });
  return {
    kind: 'investigation-batch',
    ...ofFile(request, 'subjects', subjectReader(plan)),
    terms: [plan, budget],
    existing: async (item) => {
      const found = await newestInvestigation(ctx, of(item));
      if (found === null) return null;
      const { id: jobId, input, outcome } = found;
      if (outcome === null) return { jobId, ended: false, terms: { ...termsOf(input) } };
      const isAnswer = found.status === 'completed' && isWithin(request.maxAge, found);
      return isAnswer ? { jobId, ended: true, terms: {} } : null;
    },
    put: async (item) => {
      const one = { ...of(item), rerun };
      return { jobId: await putInvestigation(ctx, one), terms: { ...termsOf(one) } };
    },
    foresight: () => {
      const foresight = new PlanForesight(ctx, written);
      return { add: (item) => foresight.add(of(item)), lines: () => foresight.lines() };
    },
  };
}
