import { plansOfAge } from '../../store/erasure/age';
import { reasonOnRecord, type ErasureAsked } from '../../store/erasure/asked';
import {
  erase,
  finishErasure,
  isSameTarget,
  openErasures,
  type ErasureTools,
} from '../../store/erasure/erasures';
import type { ErasurePlan } from '../../store/erasure/plan';
import type { EngineClient } from '../../temporal/connection';
import {
  addPlan,
  doneOf,
  planLines,
  showDone,
  showDryRun,
  summaryOf,
  type DoneErasure,
  type PlanSummary,
} from './erase-print';
import { runningAmong } from './erase-refusals';
import { CommandError } from '../jobs/errors';
import { exitCodes, print, printJson, tell } from '../cli/terminal';
import type { CommandContext } from '../jobs/context';

interface AgeFlags {
  asked: Extract<ErasureAsked, { kind: 'age' }>;
  reason?: string;
  dryRun?: true;
  yes?: true;
  json?: true;
}

/** Histories hold nothing of a class, and stay. */
const noRuns = { closed: [], running: [] };

/** `erase --older-than`: in parts, so that its size is no matter; each is planned when it is its turn. */
export async function eraseByAge(
  { store, idKey, audit, environment }: CommandContext,
  { client }: EngineClient,
  flags: AgeFlags,
  isConfirmed: () => Promise<boolean>,
): Promise<number> {
  const json = flags.json === true;
  const { asked } = flags;
  const nameOf = (text: string): string => idKey.nameOf('document', text);
  const plans = (): AsyncGenerator<ErasurePlan> => plansOfAge(store, nameOf, asked);
  const summary = await summed(plans());
  const refusals = await runningAmong(client, [...summary.jobs.keys()]);
  if (flags.dryRun === true) return showDryRun(summary, refusals, json);
  if (refusals.length > 0) throw new CommandError(`nothing was changed: ${refusals.join('; ')}`);
  const begun = (await openErasures(store)).filter(({ record }) =>
    isSameTarget(record.target, summary.target),
  );
  if (summary.objects.size === 0 && begun.length === 0) {
    if (json) printJson({ exitCode: exitCodes.done, found: false });
    else print('nothing is there to erase');
    return exitCodes.done;
  }
  if (flags.yes !== true) {
    for (const line of planLines(summary)) tell(line);
    if (!(await isConfirmed())) return exitCodes.failed;
  }
  const tools: ErasureTools = {
    macOf: (text) => idKey.macOf(text),
    deleteRuns: async () => undefined,
  };
  const done: DoneErasure[] = [];
  for (const open of begun) done.push(doneOf(await finishErasure(store, open, tools)));
  for await (const plan of plans()) {
    if (plan.draft.size === 0) continue;
    const reason = reasonOnRecord(flags.reason ?? '', asked, plan.quoted);
    const startedAt = new Date().toISOString();
    const how = { by: environment.actor, reason, startedAt, runs: [], ...tools };
    done.push(doneOf(await erase(store, plan, how)));
  }
  const auditHead = await audit.anchor();
  let left = 0;
  for await (const { draft } of plans()) left += draft.size;
  return showDone(done, auditHead, left, json);
}

async function summed(plans: AsyncGenerator<ErasurePlan>): Promise<PlanSummary> {
  let summary: PlanSummary | null = null;
  for await (const plan of plans) {
    if (summary === null) summary = summaryOf({ plan, runs: noRuns });
    else addPlan(summary, plan.jobs, plan.rows, plan.draft);
  }
  if (summary === null) throw new RangeError('no plan at all');
  return summary;
}
