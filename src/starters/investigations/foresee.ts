import { knownThings } from '../../domain/investigations/check-plan';
import type { InvestigationRecord } from '../../domain/investigations/investigation';
import { chargedFor } from '../../domain/investigations/plan';
import { childMaker } from '../../store/investigations/children';
import type { CommandContext } from '../jobs/context';
import type { Foreseen } from '../jobs/begin/start-job';
import { graphLines, type WrittenPlan } from './plan-file';

type Asked = Omit<InvestigationRecord, 'workId' | 'createdAt' | 'createdBy'>;

/** The graph, what would be reused, and what may be charged at most. */
export async function foresee(
  ctx: CommandContext,
  written: WrittenPlan,
  asked: Asked,
): Promise<Foreseen> {
  const { foresee: look } = childMaker(ctx);
  const at = new Date();
  const workId = `investigation/${asked.name}`;
  const record = {
    ...asked,
    workId,
    createdAt: at.toISOString(),
    createdBy: ctx.environment.actor,
  };
  const sum = { request: 0, reuse: 0, underWay: 0, unknown: 0 };
  const atMost = new Map<string, number>();
  const graph = graphLines(written);
  const lines: string[] = [];
  for (const [index, step] of asked.plan.steps.entries()) {
    const own = { request: 0, reuse: 0, underWay: 0, unknown: 0 };
    const things = knownThings(step, asked.subject);
    for (const thing of things ?? [])
      own[await look({ record, step, thing, at, deadlineMs: asked.deadlineMs })] += 1;
    const words = Object.entries(own).flatMap(([word, count]) =>
      count > 0 ? `${count} ${word}` : [],
    );
    const found =
      things === null ? `at most ${step.most}, as told by what it needs` : words.join(', ');
    lines.push(`${graph[index]}`, `    ${found || 'nothing to ask about'}`);
    for (const word of ['request', 'reuse', 'underWay', 'unknown'] as const) sum[word] += own[word];
    const charged = chargedFor(step);
    const most = things === null ? step.most : own.request;
    if (charged === null || most === 0) continue;
    const { times, unit } = charged;
    atMost.set(unit, (atMost.get(unit) ?? 0) + most * times);
  }
  const costs = [...atMost].map(([unit, count]) => `${count} x ${unit}`);
  lines.push(`may be charged at most: ${costs.join(', ') || 'nothing'}`);
  return { ...sum, problems: [], lines };
}
