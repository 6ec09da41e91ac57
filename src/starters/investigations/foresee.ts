import { isReportedByAnother, knownTargets } from '../../domain/investigations/check-plan';
import type { InvestigationRecord } from '../../domain/investigations/investigation';
import { chargedFor } from '../../domain/investigations/plan';
import { childMaker } from '../../store/investigations/children';
import type { CommandContext } from '../jobs/context';
import type { Foreseen } from '../jobs/begin/start-job';
import { graphLines, type WrittenPlan } from './plan-file';

type Requested = Omit<InvestigationRecord, 'jobId' | 'createdAt' | 'createdBy'>;
type Sum = Pick<Foreseen, 'request' | 'reuse' | 'underWay' | 'unknown'>;

const words = ['request', 'reuse', 'underWay', 'unknown'] as const;
const nothing = (): Sum => ({ request: 0, reuse: 0, underWay: 0, unknown: 0 });

/** Dry run: the steps of a plan, what would be reused, and the maximum of charges; for one subject or many. */
export class PlanForesight {
  readonly #ctx: CommandContext;
  readonly #written: WrittenPlan;
  /** In the plan's order. */
  readonly #sums: Sum[];
  #subjects = 0;

  constructor(ctx: CommandContext, written: WrittenPlan) {
    this.#ctx = ctx;
    this.#written = written;
    this.#sums = written.plan.steps.map(nothing);
  }

  async add(request: Requested): Promise<void> {
    const { foresee: look } = childMaker(this.#ctx);
    const at = new Date();
    const jobId = `investigation/${request.name}`;
    const [createdAt, createdBy] = [at.toISOString(), this.#ctx.environment.actor];
    const record = { ...request, jobId, createdAt, createdBy };
    this.#subjects += 1;
    for (const [index, step] of request.plan.steps.entries()) {
      const sum = this.#sums[index] ?? nothing();
      for (const target of knownTargets(step, request.subject) ?? [])
        sum[await look({ record, step, target, at, deadlineMs: request.deadlineMs })] += 1;
    }
  }

  /** Sum over all steps. */
  total(): Sum {
    const total = nothing();
    for (const sum of this.#sums) for (const word of words) total[word] += sum[word];
    return total;
  }

  lines(): string[] {
    const each = this.#subjects === 1 ? '' : ' each';
    const atMost = new Map<string, number>();
    const graph = graphLines(this.#written);
    const lines = this.#written.plan.steps.flatMap((step, index) => {
      const sum = this.#sums[index] ?? nothing();
      const isShown = isReportedByAnother(step);
      const counted = words.flatMap((word) => (sum[word] > 0 ? `${sum[word]} ${word}` : []));
      const found = isShown
        ? `at most ${step.most}${each}, as told by what it needs`
        : counted.join(', ');
      const charged = chargedFor(step);
      const most = isShown ? step.most * this.#subjects : sum.request;
      if (charged !== null && most > 0)
        atMost.set(charged.unit, (atMost.get(charged.unit) ?? 0) + most * charged.times);
      return [`${graph[index]}`, `    ${found || 'nothing to ask about'}`];
    });
    const costs = [...atMost].map(([unit, count]) => `${count} x ${unit}`);
    return [...lines, `may be charged at most: ${costs.join(', ') || 'nothing'}`];
  }
}
