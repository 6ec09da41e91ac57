import { isReportedByAnother, knownTargets } from '../../domain/investigations/check-plan';
import type { InvestigationRecord } from '../../domain/investigations/investigation';
import { chargedFor } from '../../domain/investigations/plan';
import { childMaker } from '../../store/investigations/children';
import type { Words } from '../../domain/job';
import type { CommandContext } from '../jobs/context';
import type { Foreseen } from '../jobs/begin/start-job';
import { graphLines, type WrittenPlan } from './plan-file';

type Requested = Omit<InvestigationRecord, 'jobId' | 'createdAt' | 'createdBy'>;
type Sum = Pick<Foreseen, 'request' | 'reuse' | 'underWay' | 'unknown'>;

const words = ['request', 'reuse', 'underWay', 'unknown'] as const;
const foreseenWords: Record<(typeof words)[number], Words> = {
  request: ['request', 'a pedir'],
  reuse: ['reuse', 'a reaproveitar'],
  underWay: ['underWay', 'em andamento'],
  unknown: ['unknown', 'de resultado desconhecido'],
};
const unitsInPortuguese: Readonly<Record<string, string>> = {
  profile: 'perfil',
  certificate: 'certidão',
  search: 'busca',
  'picture analysis': 'análise de imagem',
  'credit analysis': 'análise de crédito',
  'dossier retry': 'nova tentativa de dossiê',
};
const nothing = (): Sum => ({ request: 0, reuse: 0, underWay: 0, unknown: 0 });

/** Dry run: the steps of a plan, what would be reused, and the maximum of charges; for one subject or many. */
export function planForesight(ctx: CommandContext, written: WrittenPlan) {
  const { steps } = written.plan;
  const sums = steps.map(nothing);
  const { foresee } = childMaker(ctx);
  let subjects = 0;
  const add = async (request: Requested): Promise<void> => {
    const at = new Date();
    const jobId = `investigation/${request.name}`;
    const [createdAt, createdBy] = [at.toISOString(), ctx.environment.actor];
    const record = { ...request, jobId, createdAt, createdBy };
    subjects += 1;
    for (const [index, step] of steps.entries()) {
      const sum = sums[index] ?? nothing();
      for (const target of knownTargets(step, request.subject) ?? [])
        sum[await foresee({ record, step, target, at, deadlineMs: request.deadlineMs })] += 1;
    }
  };
  const total = (): Sum => {
    const all = nothing();
    for (const sum of sums) for (const word of words) all[word] += sum[word];
    return all;
  };
  const lines = (): string[] => {
    const { say } = ctx.reader;
    const isOne = subjects === 1;
    const atMost = new Map<string, number>();
    const graph = graphLines(written, say);
    const shown = steps.flatMap((step, index) => {
      const sum = sums[index] ?? nothing();
      const isShown = isReportedByAnother(step);
      const counted = words.flatMap((word) =>
        sum[word] > 0 ? `${sum[word]} ${say(...foreseenWords[word])}` : [],
      );
      const found = isShown
        ? say(
            `at most ${step.most}${isOne ? '' : ' each'}, as told by what it needs`,
            `no máximo ${step.most}${isOne ? '' : ' por sujeito'}, conforme as etapas anteriores`,
          )
        : counted.join(', ');
      const charged = chargedFor(step);
      const most = isShown ? step.most * subjects : sum.request;
      if (charged !== null && most > 0)
        atMost.set(charged.unit, (atMost.get(charged.unit) ?? 0) + most * charged.times);
      return [
        `${graph[index]}`,
        `    ${found || say('nothing to ask about', 'não há o que perguntar')}`,
      ];
    });
    const costs = [...atMost].map(
      ([unit, count]) => `${count} x ${say(unit, unitsInPortuguese[unit] ?? unit)}`,
    );
    const most = say('may be charged at most', 'pode ser cobrado, no máximo');
    return [...shown, `${most}: ${costs.join(', ') || say('nothing', 'nada')}`];
  };
  return { add, total, lines };
}
