import { checkPlan } from '../../domain/investigations/check-plan';
import type { Subject } from '../../domain/investigations/plan';
import { ofFile, type BatchRequest } from '../jobs/batches/request';
import type { CommandContext } from '../jobs/context';
import { UsageError } from '../jobs/errors';
import { rowsBy } from '../jobs/begin/same-request';
import { investigationsBy, requestedFor, type InvestigationTerms } from './recorded';
import { termsOf } from './kind';
import { planForesight } from './foresee';
import { planError, readPlan } from './plan-file';
import { subjectReader } from './subject-row';

export async function investigationBatch(
  ctx: CommandContext,
  request: Parameters<typeof ofFile>[0] & InvestigationTerms & { plan: string },
): Promise<BatchRequest> {
  const { budget = null, maxAge } = request;
  const written = await readPlan(request.plan);
  const { plan, subject } = written;
  if (subject !== null)
    throw new UsageError([
      `--input: the plan ${request.plan} names a subject of its own`,
      `--input: o plano ${request.plan} já indica o seu próprio sujeito`,
    ]);
  const faults = checkPlan(plan, null);
  if (faults.length > 0) throw planError(request.plan, faults);
  const files = { photo: null, receivables: null };
  const of = (item: string) =>
    requestedFor(ctx, plan, JSON.parse(item) as Subject, { ...request, label: null });
  const same = investigationsBy(ctx, of, () => files);
  return {
    kind: 'investigation-batch',
    ...ofFile(request, 'subjects', subjectReader(plan)),
    terms: [plan, budget],
    ...rowsBy(ctx, { args: (_, { input }) => termsOf(input) }, same, maxAge),
    foresight: () => {
      const { add, lines } = planForesight(ctx, written);
      return { add: (item) => add({ ...of(item), files }), lines };
    },
  };
}
