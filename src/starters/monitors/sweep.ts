import { Command } from 'commander';
import { monitorDecisionEntry } from '../../domain/monitors/audit';
import { jobIdAt } from '../../domain/job';
import {
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
import { monitorRecords, type MonitorRecords } from '../../store/monitors/records';
import type { MonitorScanInput, MonitorSweepInput } from '../../workflows/inputs';
import { withActor, withDetach } from '../cli/flags';
import { start } from '../cli/start-command';
import type { CommandContext } from '../jobs/context';
import { CommandError } from '../jobs/errors';
import type { Job } from '../jobs/job-kind';
import type { Ask } from '../jobs/start-job';
import { monitorIdsOf, monitorsOption, termsOf, withTerms, type SweepFlags } from './ids';
import { scanKind, sweepKind } from './kind';

/** What a person asks for. */
interface Order {
  name: string;
  ids: readonly string[];
  terms: SweepTerms;
  reconcile: boolean;
}

/** `diligence monitor sweep`. */
export function sweepCommand(): Command {
  return sweepLike('sweep', 'Pull, deliver and acknowledge what is open now.', false);
}

/** `diligence monitor reconcile`. */
export function reconcileCommand(): Command {
  return sweepLike(
    'reconcile',
    'Sweep, then walk over all states: what others acknowledged is stored as such.',
    true,
  );
}

/** Many at once go by a scan: one probe for each, and sweeps where something is open. */
function sweepLike(name: string, description: string, reconcile: boolean): Command {
  return withTerms(withDetach(withActor(new Command(name))))
    .description(description)
    .addOption(monitorsOption())
    .option('--json', 'one JSON document on standard output')
    .addHelpText(
      'after',
      '\nExit codes: 0 all is through; 1 something is left, or it failed; 3 a person must look.',
    )
    .action(async (flags: SweepFlags & { monitors: string }, command: Command) => {
      const ids = await monitorIdsOf(flags.monitors);
      const order = { name, ids, terms: termsOf(flags), reconcile };
      const [only = ''] = ids;
      if (ids.length > 1) await start(command, scanKind, (ctx) => prepareScan(ctx, order));
      else await start(command, sweepKind, (ctx) => prepareSweep(ctx, only, order));
    });
}

async function prepareSweep(
  ctx: CommandContext,
  monitorId: string,
  order: Order,
): Promise<Ask<SweepRecord, SweepOutcome>> {
  const { environment, queueSuffix, store } = ctx;
  const records = recordsOf(ctx);
  const { reconcile, terms } = order;
  return {
    ...passAsk,
    standing: (await store.jobs.find(sweepWorkflowId(monitorId))) as SweepJob | null,
    attach: async (_, { id, input }) => refuseOther(id, input.reconcile, order),
    record: async () => {
      // The first sweep looks for what others acknowledged before it.
      const walks = (await records.monitors.get(monitorId))?.walks;
      const isFirst = walks?.at == null || walks.unfinished !== null;
      const createdAt = new Date().toISOString();
      const workId = sweepIdAt(monitorId, createdAt);
      const about = { workId, monitorId, terms, reconcile: reconcile || isFirst };
      const record = { ...about, createdAt, createdBy: environment.actor };
      await records.sweeps.putRecord(sweepFolder(workId), record);
      await audit(ctx, workId, order);
      return workId;
    },
    workflow: 'monitorSweep',
    workflowInput: ({ input: record }): MonitorSweepInput => {
      return { record, interactive: true, queueSuffix, carryover: null };
    },
  };
}

async function prepareScan(
  ctx: CommandContext,
  order: Order,
): Promise<Ask<ScanRecord, ScanOutcome>> {
  const { environment, queueSuffix, store } = ctx;
  const records = recordsOf(ctx);
  const list = await records.lists.put('by-hand', order.ids);
  const workflowId = `${scheduleIdOf('by-hand')}/${list.edition}`;
  return {
    ...passAsk,
    standing: (await store.jobs.find(workflowId)) as ScanJob | null,
    attach: async (_, { id, input }) => refuseOther(id, input.reconcileAll, order),
    record: async () => {
      const now = new Date();
      const workId = jobIdAt(workflowId, now);
      const about = { workId, workflowId, list, terms: order.terms, reconcileAll: order.reconcile };
      const record = { ...about, createdAt: now.toISOString(), createdBy: environment.actor };
      await records.scans.putRecord(scanFolder(workId), record);
      await audit(ctx, workId, order);
      return workId;
    },
    workflow: 'monitorScan',
    workflowInput: ({ id: workId, input }): MonitorScanInput => {
      const { createdBy: by, list: its, reconcileAll, terms } = input;
      const asked = { list: its, by, terms, reconcileAll, workId };
      return { ...asked, interactive: true, queueSuffix, carryover: null };
    },
  };
}

type SweepJob = Job<SweepRecord, SweepOutcome>;
type ScanJob = Job<ScanRecord, ScanOutcome>;

/** What was interrupted is left: what is open is listed anew. */
const passAsk = { stands: false, goesOn: () => false };

function recordsOf({ store, idKey }: CommandContext): MonitorRecords {
  return monitorRecords(store, (text) => idKey.nameOf('document', text));
}

async function audit(
  { audit: trail, environment }: CommandContext,
  work: string,
  { ids, name }: Order,
): Promise<void> {
  const who = { work, by: environment.actor };
  await trail.append([monitorDecisionEntry(name, who, { monitors: ids.length })]);
}

/** @throws CommandError when the one that runs does not walk over all states, as was asked for */
function refuseOther(id: string, walks: boolean, { name, reconcile }: Order): void {
  if (reconcile && !walks)
    throw new CommandError(`${id} runs, and is no ${name}: ask again when it has ended`);
}
