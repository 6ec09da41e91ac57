import { z } from 'zod';
import { isUuid } from '../../domain/core/documents/documents';
import { jobIdAt } from '../../domain/job';
import { decisionEntry } from '../../domain/core/audit';
import { severities } from '../../domain/monitors/change';
import {
  mostMonitors,
  scanFolder,
  scheduleIdOf,
  type ScanOutcome,
  type ScanRecord,
} from '../../domain/monitors/scan';
import {
  sweepFolder,
  sweepIdAt,
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

/** @param ids in lower case, each once */
function orderOf(
  ids: readonly string[],
  { cooldown, reconcile, severity }: Omit<z.output<typeof sweepRequest>, 'monitor'>,
): Order {
  const name = reconcile ? 'reconcile' : 'sweep';
  return {
    name,
    ids,
    terms: { severities: severity ?? null, cooldownMs: cooldown ?? null },
    reconcile,
  };
}

export interface Order {
  name: string;
  ids: readonly string[];
  terms: SweepTerms;
  reconcile: boolean;
}

export async function planSweep(
  ctx: CommandContext,
  monitorId: string,
  order: Order,
): Promise<StartPlan<SweepRecord, SweepOutcome>> {
  const { environment, queueSuffix, store } = ctx;
  const records = recordsOf(ctx);
  const { reconcile, terms } = order;
  return {
    ...scanStart,
    existing: (await store.jobs.find(sweepWorkflowId(monitorId))) as SweepJob | null,
    attach: async (_, { id, input }) => refuseOther(id, input.reconcile, order),
    record: async () => {
      // The first sweep looks for changes that others acknowledged before it.
      const walks = (await records.monitors.get(monitorId))?.walks;
      const isFirst = walks?.at == null || walks.unfinished !== null;
      const createdAt = new Date().toISOString();
      const jobId = sweepIdAt(monitorId, createdAt);
      const about = { jobId, monitorId, terms, reconcile: reconcile || isFirst };
      const record = { ...about, createdAt, createdBy: environment.actor };
      await records.sweeps.putRecord(sweepFolder(jobId), record);
      await audit(ctx, jobId, order);
      return jobId;
    },
    run: {
      workflow: 'monitorSweep',
      input: ({ input: record }): MonitorSweepInput => {
        return { record, interactive: true, queueSuffix, carryover: null };
      },
    },
  };
}

export async function planScan(
  ctx: CommandContext,
  order: Order,
): Promise<StartPlan<ScanRecord, ScanOutcome>> {
  const { environment, queueSuffix, store } = ctx;
  const records = recordsOf(ctx);
  const list = await records.lists.put('by-hand', order.ids);
  const workflowId = `${scheduleIdOf('by-hand')}/${list.edition}`;
  return {
    ...scanStart,
    existing: (await store.jobs.find(workflowId)) as ScanJob | null,
    attach: async (_, { id, input }) => refuseOther(id, input.reconcileAll, order),
    record: async () => {
      const now = new Date();
      const jobId = jobIdAt(workflowId, now);
      const about = { jobId, workflowId, list, terms: order.terms, reconcileAll: order.reconcile };
      const record = { ...about, createdAt: now.toISOString(), createdBy: environment.actor };
      await records.scans.putRecord(scanFolder(jobId), record);
      await audit(ctx, jobId, order);
      return jobId;
    },
    run: {
      workflow: 'monitorScan',
      input: ({ id: jobId, input }): MonitorScanInput => {
        const { createdBy: by, list: its, reconcileAll, terms } = input;
        const request = { list: its, by, terms, reconcileAll, jobId };
        return { ...request, interactive: true, queueSuffix, carryover: null };
      },
    },
  };
}

type SweepJob = Job<SweepRecord, SweepOutcome>;
type ScanJob = Job<ScanRecord, ScanOutcome>;

/** An interrupted scan is not resumed: a new one lists what is open. */
const scanStart = { isAnswer: false, goesOn: () => false };

async function audit(
  { audit: trail, environment }: CommandContext,
  jobId: string,
  { ids, name }: Order,
): Promise<void> {
  const who = { jobId, by: environment.actor };
  await trail.append([decisionEntry(name, who, { monitors: ids.length })]);
}

function refuseOther(id: string, walks: boolean, { name, reconcile }: Order): void {
  if (reconcile && !walks)
    throw new CommandError([
      `${id} is running, and is no ${name}: try again when it has ended`,
      `${id} está em andamento e não é ${name}: tente de novo quando terminar`,
    ]);
}

export const sweep = startable(sweepKind, sweepRequest, (ctx, { monitor, ...terms }) =>
  planSweep(ctx, monitor, orderOf([monitor], terms)),
);
export const scan = startable(scanKind, scanRequest, (ctx, { monitors, ...terms }) =>
  planScan(ctx, orderOf(monitors, terms)),
);
