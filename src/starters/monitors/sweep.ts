import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { Command } from 'commander';
import { monitorDecisionEntry } from '../../domain/monitors/audit';
import { scheduleIdOf } from '../../domain/monitors/scan';
import { sweepWorkflowId, type SweepTerms } from '../../domain/monitors/sweep';
import { queueName } from '../../domain/core/queues';
import { MonitorListRepository } from '../../store/monitors/lists';
import { MonitorRepository } from '../../store/monitors/monitors';
import type { EngineClient } from '../../temporal/connection';
import { refuseMissingSearchAttributes } from '../../temporal/search-attributes';
import type { MonitorScanInput, MonitorSweepInput } from '../../workflows/messages';
import { attributesAtStart } from '../../workflows/core/search-attributes';
import { withActor, withDetach } from '../cli/flags';
import { followByLines } from '../cli/follow';
import { exitCodes, print, printJson, tell } from '../cli/terminal';
import { openContext, warnWithoutPollers, withEngine, type CommandContext } from '../jobs/context';
import { CommandError } from '../jobs/errors';
import { monitorIdsOf, monitorsOption, termsOf, withTerms, type SweepFlags } from './ids';
import { monitorProgress, printOutcome, progressLine, type MonitorOutcome } from './outcome';

interface Flags extends SweepFlags {
  monitors: string;
  by?: string;
  detach?: true;
  json?: true;
}

/** What a person asks for. */
interface Order {
  ids: string[];
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

function sweepLike(name: string, description: string, reconcile: boolean): Command {
  return withTerms(withDetach(withActor(new Command(name))))
    .description(description)
    .addOption(monitorsOption())
    .option('--json', 'one JSON document on standard output')
    .addHelpText(
      'after',
      '\nExit codes: 0 all is through; 1 something is left, it failed, or a sweep of the monitor runs already; 3 a person must look.',
    )
    .action(async (flags: Flags) => {
      const ids = await monitorIdsOf(flags.monitors);
      process.exitCode = await run({ ids, terms: termsOf(flags), reconcile }, name, flags);
    });
}

async function run(order: Order, name: string, { by, detach, json }: Flags): Promise<number> {
  const ctx = await openContext(tell, by);
  const { ids } = order;
  const only = ids.length === 1 ? ids[0] : undefined;
  return withEngine(ctx, async (engine) => {
    await refuseMissingSearchAttributes(engine);
    const work = only === undefined ? scheduleIdOf('by-hand') : `monitor/${only}`;
    const { actor } = ctx.environment;
    await ctx.audit.append([
      monitorDecisionEntry(name, { work, by: actor }, { monitors: ids.length }),
    ]);
    const id =
      only === undefined
        ? await startScan(ctx, engine, order)
        : await startSweep(ctx, engine, only, order);
    if (detach === true) {
      if (json === true) printJson({ id, status: 'started' });
      else print(id);
      return exitCodes.done;
    }
    tell(id);
    await warnWithoutPollers(engine, ctx, 'monitors');
    const outcome = await followByLines<MonitorOutcome>(ctx, engine, id, async (current) => {
      const progress = await monitorProgress(current, id);
      return progress && progressLine(progress);
    });
    return printOutcome(ctx, id, outcome, json === true);
  });
}

async function startSweep(
  ctx: CommandContext,
  engine: EngineClient,
  monitorId: string,
  { terms, reconcile }: Order,
): Promise<string> {
  const id = sweepWorkflowId(monitorId);
  const { store, idKey, queueSuffix, environment } = ctx;
  const known = new MonitorRepository(store, (text) => idKey.nameOf('document', text));
  // The first sweep looks for what others acknowledged before it.
  const walks = (await known.get(monitorId))?.walks;
  const isFirst = walks?.at == null || walks.unfinished !== null;
  const input: MonitorSweepInput = {
    monitorId,
    by: environment.actor,
    terms,
    reconcile: reconcile || isFirst,
    interactive: true,
    queueSuffix,
    carryover: null,
  };
  const attributes = attributesAtStart('monitor-sweep', id);
  await start(engine, 'monitorSweep', id, input, attributes);
  return id;
}

/** Many at once go by a scan: one probe for each, and sweeps where something is open. */
async function startScan(
  { store, queueSuffix, environment }: CommandContext,
  engine: EngineClient,
  { ids, terms, reconcile }: Order,
): Promise<string> {
  const list = await new MonitorListRepository(store).put('by-hand', ids);
  const id = `${scheduleIdOf('by-hand')}/${list.edition}`;
  const input: MonitorScanInput = {
    list,
    by: environment.actor,
    terms,
    reconcileAll: reconcile,
    interactive: true,
    queueSuffix,
    carryover: null,
  };
  const attributes = attributesAtStart('monitor-scan', scheduleIdOf('by-hand'));
  await start(engine, 'monitorScan', id, input, attributes);
  return id;
}

/** @throws CommandError when one runs already: two sweeps of one monitor never run at once */
async function start(
  { client }: EngineClient,
  workflow: 'monitorSweep' | 'monitorScan',
  workflowId: string,
  input: MonitorSweepInput | MonitorScanInput,
  typedSearchAttributes: ReturnType<typeof attributesAtStart>,
): Promise<void> {
  try {
    await client.workflow.start(workflow, {
      workflowId,
      taskQueue: queueName('workflows', input.queueSuffix),
      args: [input],
      typedSearchAttributes,
      workflowIdConflictPolicy: 'FAIL',
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    throw new CommandError(`${error.workflowId} is running already: nothing was started`);
  }
}
