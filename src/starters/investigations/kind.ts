import {
  stepStatuses,
  type InvestigationOutcome,
  type InvestigationRecord,
} from '../../domain/investigations/investigation';
import type { SentRequests } from '../../report/investigations/schema';
import type { JobKind as KindName } from '../../domain/job';
import { whyInPortuguese } from '../../report/sentences-pt';
import { stateWord } from '../../report/words';
import type { InvestigateInput } from '../../workflows/inputs';
import type { CommandContext } from '../jobs/context';
import { outcomeOf } from '../jobs/envelope';
import { endedJob } from '../jobs/find-job';
import type { Job, JobKind } from '../jobs/job-kind';
import { progressOfOne } from '../jobs/progress';
import { kindOf } from '../kinds';
import { costOf, reportedJobs, requestsOf } from './report/spent';
import { jobBatchKind } from '../jobs/batches/batch-kind';

/** The findings of a step's job, as its `--json` prints them. */
export interface StepResult {
  step: string;
  id: string;
  kind: KindName;
  status: string | null;
  outcome: Record<string, unknown>;
}

export const investigationKind: JobKind<InvestigationRecord, InvestigationOutcome> = {
  kind: 'investigation',
  noun: ['investigation by plan', 'investigação pelo plano'],
  service: 'investigation',
  workflowId: ({ name }) => `investigation/${name}`,
  describe: ({ plan }) => plan.name,
  terms: ({ budget, deadlineMs, label, rerun }) => ({
    budget,
    deadline: deadlineMs,
    label,
    rerun,
  }),
  readProgress: progressOfOne,
  async lines({ outcome }, ctx) {
    const { error, status, steps } = outcome;
    const { language, say } = ctx.reader;
    const { unanswered } = await sentBy(ctx, outcome);
    const openRequests = say(
      `${'unanswered'.padEnd(14)} ${unanswered} request(s): they may still be charged`,
      `${'sem resposta'.padEnd(14)} ${unanswered}: ainda pode haver cobrança`,
    );
    return [
      stateWord(status, language),
      ...steps.map(({ id, status: how, why }) => {
        const because = why === null ? '' : `: ${say(why, whyInPortuguese(why))}`;
        return `  ${id.padEnd(14)} ${stateWord(how, language)}${because}`;
      }),
      ...(unanswered === 0 ? [] : [`  ${openRequests}`]),
      ...(error === null
        ? []
        : [
            `  ${say('error', 'erro').padEnd(10)} ${say(error.message, whyInPortuguese(error.message))}`,
          ]),
    ];
  },
  async report(ctx, { outcome }) {
    const jobs: StepResult[] = [];
    for (const { job, step } of await reportedJobs(ctx, outcome)) {
      const { id, kind, status } = job;
      const found = await outcomeOf(ctx, kindOf(kind), endedJob(job as Job), null);
      jobs.push({ step, id, kind, status, outcome: found });
    }
    return { ...outcome, jobs };
  },
  cost: async ({ outcome }, ctx) => costOf(ctx, await reportedJobs(ctx, outcome)),
  async requests({ outcome }, ctx) {
    const { unanswered: _, ...asked } = await sentBy(ctx, outcome);
    return asked;
  },
  heeds: ['lang'],
  export: (ctx, job, folder, { lang }) => {
    const { writeInvestigationFolder } =
      require('./report/folder') as typeof import('./report/folder');
    return writeInvestigationFolder(ctx, job, folder, lang);
  },
  workflow: 'investigateSubject',
  args: (_, { input }) => ({ ...termsOf(input), interactive: true }),
  resolver: () => ({ carryOut: async () => null }),
  orders: ['cancel', 'cancel_now', 'resume'],
  cancelsRemotely: true,
};

async function sentBy(ctx: CommandContext, outcome: InvestigationOutcome): Promise<SentRequests> {
  return requestsOf(ctx, await reportedJobs(ctx, outcome));
}

export const investigationBatchKind = jobBatchKind({
  noun: ['investigations', 'investigações'],
  columns: Object.fromEntries(
    stepStatuses.map((word) => [
      word,
      ({ steps }: InvestigationOutcome) => steps.filter(({ status }) => status === word).length,
    ]),
  ),
  child: investigationKind,
  hasFolders: true,
  hasStarted: async ({ rows }, { folder }) => (await rows.itemsAfter(folder, -1, 1)).length > 0,
});

export function termsOf({
  budget,
  plan,
}: Pick<InvestigationRecord, 'budget' | 'plan'>): Pick<InvestigateInput, 'budget' | 'steps'> {
  const steps = plan.steps.map(({ id, needs, required, deadlineMs }) => {
    return { id, needs, required, deadlineMs };
  });
  return { budget, steps };
}
