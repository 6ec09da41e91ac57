import { z } from 'zod';
import { isUuid } from '../../domain/core/documents/documents';
import { jobFolder, jobIdAt } from '../../domain/job';
import { decisionEntry } from '../../domain/core/audit';
import { severities } from '../../domain/monitors/change';
import {
  mostMonitors,
  scheduleIdOf,
  type ScanOutcome,
  type ScanRecord,
} from '../../domain/monitors/scan';
import {
  sweepWorkflowId,
  type SweepOutcome,
  type SweepRecord,
  type SweepTerms,
} from '../../domain/monitors/sweep';
import { recordsOf } from './stored-changes';
import type { MonitorScanInput, MonitorSweepInput } from '../../workflows/inputs';
import type { CommandContext } from '../jobs/context';
import { CommandError } from '../jobs/errors';
import type { Job } from '../jobs/job-kind';
import { duration } from '../jobs/begin/request';
import type { StartPlan } from '../jobs/begin/start-job';
import { startable } from '../jobs/begin/startable';
import { scanKind, sweepKind } from './kind';

const uuid = z
  .string()
  .refine(isUuid, 'expected the id of a monitor, a UUID')
  .transform((id) => id.trim().toLowerCase());

const requestTerms = {
  severity: z
    .array(z.enum(severities))
    .optional()
    .describe('only changes of these; the others stay open'),
  cooldown: duration
    .optional()
    .describe('send repeats of (monitor, type, severity) within it in one digest'),
  reconcile: z
    .boolean()
    .default(false)
    .describe('walk over all states too: what others acknowledged is stored as such'),
};

const sweepRequest = z.strictObject({ monitor: uuid, ...requestTerms });

const scanRequest = z.strictObject({
  monitors: z
    .array(uuid)
    .min(2)
    .max(mostMonitors)
    .transform((ids) => [...new Set(ids)]),
  ...requestTerms,
});

export type Pass = Omit<z.output<typeof sweepRequest>, 'monitor'>;

export function termsOf({ cooldown, severity }: Partial<Pass>): SweepTerms {
  return { severities: severity ?? null, cooldownMs: cooldown ?? null };
}

export async function planSweep(ctx: CommandContext, monitorId: string, pass: Pass) {
  const records = recordsOf(ctx);
  return planPass<SweepRecord, SweepOutcome>(ctx, pass, {
    workflowId: sweepWorkflowId(monitorId),
    monitors: 1,
    walks: ({ reconcile }) => reconcile,
    put: async (stamp) => {
      // The first sweep looks for changes that others acknowledged before it.
      const walks = (await records.monitors.get(monitorId))?.walks;
      const isFirst = walks?.at == null || walks.unfinished !== null;
      const reconcile = pass.reconcile || isFirst;
      const record = { ...stamp, monitorId, terms: termsOf(pass), reconcile };
      await records.sweeps.putRecord(jobFolder(stamp.jobId), record);
    },
    run: {
      workflow: 'monitorSweep',
      input: ({ input: record }): MonitorSweepInput => {
        return { record, interactive: true, queueSuffix: ctx.queueSuffix, carryover: null };
      },
    },
  });
}

/** @param ids in lower case, each once */
export async function planScan(ctx: CommandContext, ids: readonly string[], pass: Pass) {
  const { lists, scans } = recordsOf(ctx);
  const list = await lists.put('by-hand', ids);
  const workflowId = `${scheduleIdOf('by-hand')}/${list.edition}`;
  return planPass<ScanRecord, ScanOutcome>(ctx, pass, {
    workflowId,
    monitors: ids.length,
    walks: ({ reconcileAll }) => reconcileAll,
    put: (stamp) => {
      const about = { workflowId, list, terms: termsOf(pass), reconcileAll: pass.reconcile };
      return scans.putRecord(jobFolder(stamp.jobId), { ...stamp, ...about });
    },
    run: {
      workflow: 'monitorScan',
      input: ({ id: jobId, input }): MonitorScanInput => {
        const { createdBy: by, list: its, reconcileAll, terms } = input;
        const request = { list: its, by, terms, reconcileAll, jobId, interactive: true };
        return { ...request, queueSuffix: ctx.queueSuffix, carryover: null };
      },
    },
  });
}

interface Planned<Input, Outcome> {
  workflowId: string;
  monitors: number;
  walks: (input: Input) => boolean;
  put: (stamp: Stamp) => Promise<void>;
  run: StartPlan<Input, Outcome>['run'];
}

type Stamp = Record<'jobId' | 'createdAt' | 'createdBy', string>;

/** An interrupted one is not resumed: a new one lists what is open. */
async function planPass<Input, Outcome>(
  { audit, environment, store }: CommandContext,
  { reconcile }: Pass,
  { monitors, put, run, walks, workflowId }: Planned<Input, Outcome>,
): Promise<StartPlan<Input, Outcome>> {
  const name = reconcile ? 'reconcile' : 'sweep';
  return {
    existing: (await store.jobs.find(workflowId)) as Job<Input, Outcome> | null,
    isAnswer: false,
    goesOn: () => false,
    attach: async (_, { id, input }) => {
      if (reconcile && !walks(input))
        throw new CommandError([
          `${id} is running, and is no ${name}: try again when it has ended`,
          `${id} está em andamento e não é ${name}: tente de novo quando terminar`,
        ]);
    },
    record: async () => {
      const [now, createdBy] = [new Date(), environment.actor];
      const jobId = jobIdAt(workflowId, now);
      await put({ jobId, createdAt: now.toISOString(), createdBy });
      await audit.append([decisionEntry(name, { jobId, by: createdBy }, { monitors })]);
      return jobId;
    },
    run,
  };
}

export const sweep = startable(sweepKind, sweepRequest, (ctx, { monitor, ...pass }) =>
  planSweep(ctx, monitor, pass),
);
export const scan = startable(scanKind, scanRequest, (ctx, { monitors, ...pass }) =>
  planScan(ctx, monitors, pass),
);
