import { readThing } from '../../domain/investigations/check-plan';
import type { InvestigationRecord } from '../../domain/investigations/investigation';
import { subjectFacts, type PlanStep } from '../../domain/investigations/plan';
import { readTemplate, toldBy } from '../../domain/investigations/template';
import { childMaker } from '../../store/investigations/children';
import type { CommandContext } from '../jobs/context';
import type { Foreseen } from '../jobs/start-job';
import { graphLines, type WrittenPlan } from './plan-file';

type Asked = Omit<InvestigationRecord, 'workId' | 'createdAt' | 'createdBy'>;

/** What each request may be charged as. */
const charged: Readonly<Record<PlanStep['kind'], string | null>> = {
  profile: 'profile',
  certificate: 'certificate',
  trace: 'search',
  lens: 'picture analysis',
  credit: 'credit analysis',
  // Following costs nothing; a retry does.
  dossier: null,
  monitor: null,
};

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
    const things = knownThings(step, asked);
    for (const thing of things ?? [])
      own[await look({ record, step, thing, at, deadlineMs: asked.deadlineMs })] += 1;
    const words = Object.entries(own).flatMap(([word, count]) =>
      count > 0 ? `${count} ${word}` : [],
    );
    const found =
      things === null ? `at most ${step.most}, as told by what it needs` : words.join(', ');
    lines.push(`${graph[index]}`, `    ${found || 'nothing to ask about'}`);
    for (const word of ['request', 'reuse', 'underWay', 'unknown'] as const) sum[word] += own[word];
    const unit = charged[step.kind];
    const most = things === null ? step.most : own.request;
    const each = (step.options.maxAttempts ?? 1) - 1;
    if (unit !== null && most > 0) atMost.set(unit, (atMost.get(unit) ?? 0) + most);
    if (step.kind === 'dossier' && each > 0 && most > 0)
      atMost.set('dossier retry', (atMost.get('dossier retry') ?? 0) + most * each);
  }
  const costs = [...atMost].map(([unit, count]) => `${count} x ${unit}`);
  lines.push(`may be charged at most: ${costs.join(', ') || 'nothing'}`);
  return { ...sum, problems: [], lines };
}

/** Null: another step tells. */
function knownThings(step: PlanStep, { subject }: Asked): string[] | null {
  const found = new Set<string>();
  for (const text of step.of) {
    const template = readTemplate(text);
    if (template !== null && template !== 'broken' && template.root !== 'subject') return null;
    const told =
      template === null || template === 'broken'
        ? [{ value: text }]
        : toldBy(template, subjectFacts(subject));
    for (const { value } of told) {
      const reading = readThing(step.kind, value, step);
      if ('thing' in reading) found.add(reading.thing);
    }
  }
  return [...found].slice(0, step.most);
}
